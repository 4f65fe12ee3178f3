"""A corpus whose pre-tokens are cut where no token crosses says the same as before."""

import numpy as np
import pytest

from engine.config import TrainingSettings
from engine.corpus import arrays
from engine.unigram.train.split import split
from engine.unigram.train.trainer import Trainer, _State, build_corpus
from tests.engine.unigram.test_trainer import sentences


def texts(trainer: Trainer) -> list[str]:
    """The sentences as the trainer has them."""
    corpus = trainer._corpus
    words = [corpus.pretokens.text(p) for p in corpus.sentence_pretoken.tolist()]
    return ["".join(words[a:b]) for a, b in zip(corpus.sentence_ptr[:-1], corpus.sentence_ptr[1:], strict=True)]


def begun(trainer: Trainer) -> _State:
    """Half of the candidates are gone, the corpus is not split."""
    trainer._split_size = 0
    n = trainer._seed.n_rows
    everything = _State(np.arange(n, dtype=np.int32), np.zeros(n))
    removed = np.random.default_rng(0).choice(np.arange(256, n), n - 256 - 40, replace=False)
    return trainer._remove(everything, np.sort(removed), np.random.default_rng(1).uniform(1.0, 99.0, n))


@pytest.mark.parametrize("context", ["sentence", "pretoken"])
@pytest.mark.parametrize("membership", ["inclusion", "expected", "occurrence"])
def test_all_sums_are_those_of_the_whole(context: str, membership: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 1000)
    settings = TrainingSettings(vocab_size=256, context=context, membership=membership, min_count=1)
    trainer = Trainer(build_corpus(sentences(150), settings), settings)
    state = begun(trainer)
    fallback = trainer._fallback(state)
    whole, before, counts = trainer._statistics(state, fallback), texts(trainer), trainer._expected_counts(state)
    rank = trainer._removal(state, fallback)
    n_arcs = int((trainer._arcs.stop - trainer._arcs.first).sum())

    trainer._corpus, trainer._arcs, trainer._first = split(trainer._corpus, trainer._arcs, trainer._first)
    trainer._mark(state.rows.size)
    assert trainer._corpus.n_shards > 2
    assert trainer._arcs.end.size < n_arcs / 2  # most parts repeat
    assert texts(trainer) == before
    parts = trainer._statistics(state, fallback)
    np.testing.assert_allclose(trainer._expected_counts(state), counts, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(parts.sums, whole.sums, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.log_likelihood, whole.log_likelihood, rtol=1e-12)
    again = trainer._removal(state, fallback)
    for column, other in zip(again, rank, strict=True):
        np.testing.assert_allclose(column, other, rtol=1e-11)


def test_a_second_split_finds_nothing_to_cut() -> None:
    settings = TrainingSettings(vocab_size=256)
    trainer = Trainer(build_corpus(sentences(100), settings), settings)
    begun(trainer)
    once = split(trainer._corpus, trainer._arcs, trainer._first)
    columns = [column.copy() for column in once.arcs]
    again = split(once.corpus, once.arcs, once.first)
    for column, other in zip(again.arcs, columns, strict=True):
        np.testing.assert_array_equal(column, other)
    np.testing.assert_array_equal(again.first, once.first)
    np.testing.assert_array_equal(again.corpus.pretokens.chars, once.corpus.pretokens.chars)
