"""The engine as the oracle sees it: texts and dictionaries in, dictionaries out.

This is the only place where the oracle tests reach into the trainer, so that they can give it any vocabulary with any
probabilities. Vocabularies are those of `naive`: from a token's bytes to its log probability.
"""

from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from engine.config import TrainingSettings
from engine.corpus import arrays
from engine.lattice.lattice import Lattice, VocabularyLattice
from engine.lattice.vocabulary import Vocabulary
from engine.pretokenization import get_pretokenizer
from engine.training import seed_tokens
from engine.unigram.train import em
from engine.unigram.train.statistics import token_statistics
from engine.unigram.train.trainer import Trainer, _State, build_corpus


class ExpectationStep(NamedTuple):
    """An E step with the statistics of its sentences; dictionaries by token."""

    counts: dict[bytes, float]
    log_likelihood: float
    sentence_prob: dict[bytes, float]
    branching_entropy: dict[bytes, float]


class TrainedRound(NamedTuple):
    """One round of a training run; dictionaries by token."""

    vocabulary: dict[bytes, float]
    sentence_prob: dict[bytes, float]
    branching_entropy: dict[bytes, float]
    removed: set[bytes]
    n_tokens: float


def sentences(lines: list[str], settings: TrainingSettings) -> list[tuple[str, ...]]:
    """The lines cut into pre-tokens."""
    return [tuple(get_pretokenizer(settings.pretokenizer).split(line)) if line else () for line in lines]


def pretoken_counts(lines: list[str], settings: TrainingSettings) -> dict[str, int]:
    """Distinct pre-tokens with their counts, as the fast path counts them."""
    pretokens = arrays.count_pretokens(lines, get_pretokenizer(settings.pretokenizer))
    return {pretokens.text(i): int(count) for i, count in enumerate(pretokens.count)}


def make_trainer(lines: list[str], settings: TrainingSettings, shard_chars: int = 500_000) -> Trainer:
    """A trainer at its seed vocabulary. A small `shard_chars` cuts the corpus into many shards."""
    with patch.object(arrays, "_SHARD_CHARS", shard_chars):
        corpus = build_corpus(lines, settings)
        return Trainer(corpus, settings, seed_tokens=seed_tokens(corpus.pretokens, settings))


def seed_vocabulary(trainer: Trainer) -> dict[bytes, float]:
    """The trainer's tokens with their first log probabilities."""
    seed = trainer._seed
    return dict(zip(_tokens(trainer), em.first_log_prob(seed.weight).tolist(), strict=True))


def expectation_step(trainer: Trainer, vocabulary: dict[bytes, float]) -> ExpectationStep:
    """E step and statistics over a part of the seed vocabulary. Shrinks the trainer's arcs: use a fresh one."""
    state = _state(trainer, vocabulary)
    tokens = [token for token in _tokens(trainer) if token in vocabulary]
    statistics = trainer._statistics(state, trainer._fallback(state))
    # The E steps between two prunings take a path of their own; it must count the same.
    np.testing.assert_allclose(trainer._expected_counts(state), statistics.expected_count, rtol=1e-12)
    p, be = token_statistics(statistics, trainer._corpus.n_units)
    columns = [dict(zip(tokens, column.tolist(), strict=True)) for column in (statistics.expected_count, p, be)]
    return ExpectationStep(columns[0], statistics.log_likelihood, columns[1], columns[2])


def pruning_scores(score: str, trainer: Trainer, vocabulary: dict[bytes, float]) -> dict[bytes, float]:
    """What a round prunes by, over a part of the seed vocabulary.

    Shrinks the trainer's arcs: use a fresh one.
    """
    state = _state(trainer, vocabulary)
    fallback = trainer._fallback(state)
    values = trainer._record(state, fallback, trainer._statistics(state, fallback))
    return dict(zip((token for token in _tokens(trainer) if token in vocabulary), values.tolist(), strict=True))


def train(lines: list[str], settings: TrainingSettings) -> list[TrainedRound]:
    """All rounds of a training run, read off the trained model."""
    trainer = make_trainer(lines, settings)
    reports = list(trainer.rounds())
    model = trainer.model()
    trained = []
    for report, numbers in zip(reports, model.history, strict=True):
        tokens = [model.tokens[row] for row in model.alive_rows(report.number)]
        columns = (numbers.log_prob, numbers.sentence_prob, numbers.branching_entropy)
        removed = {model.tokens[row] for row in np.flatnonzero(model.died_in_round == report.number)}
        by_token = [dict(zip(tokens, column.tolist(), strict=True)) for column in columns]
        trained.append(TrainedRound(*by_token, removed, report.n_tokens))
    return trained


def m_step(counts: dict[bytes, float]) -> dict[bytes, float]:
    """M step over counts that begin with the 256 bytes."""
    return dict(zip(counts, em.maximise(np.array(list(counts.values()))).tolist(), strict=True))


def make_lattice(
    text: str,
    vocabulary: dict[bytes, float],
    settings: TrainingSettings,
    forbid: tuple[str, ...] = (),
    add: tuple[tuple[str, float], ...] = (),
    force: tuple[tuple[int, int], ...] = (),
) -> Lattice:
    """The lattice of one text over any vocabulary."""
    return VocabularyLattice(_vocabulary(vocabulary, settings), text, forbid, add, force)


def encode(text: str, vocabulary: dict[bytes, float], settings: TrainingSettings) -> list[bytes]:
    """Tokens of the best segmentation, as the fast path of `encode` finds it."""
    engine_vocabulary = _vocabulary(vocabulary, settings)
    return [engine_vocabulary.tokens[number] for number in engine_vocabulary.encode(text)[0]]


def _vocabulary(vocabulary: dict[bytes, float], settings: TrainingSettings) -> Vocabulary:
    tokens = sorted(vocabulary, key=lambda token: (len(token) > 1, token))
    log_prob = np.array([vocabulary[token] for token in tokens])
    return Vocabulary(tokens, log_prob, get_pretokenizer(settings.pretokenizer), settings.partial_characters)


def _tokens(trainer: Trainer) -> list[bytes]:
    seed = trainer._seed
    return [seed.blob[a:b].tobytes() for a, b in zip(seed.ptr[:-1], seed.ptr[1:], strict=True)]


def _state(trainer: Trainer, vocabulary: dict[bytes, float]) -> _State:
    """The trainer's state with this vocabulary, which must be a part of its seed."""
    tokens = _tokens(trainer)
    assert set(vocabulary) <= set(tokens)
    everything = _State(np.arange(len(tokens), dtype=np.int32), np.zeros(len(tokens)))
    gone = np.array([row for row, token in enumerate(tokens) if token not in vocabulary], dtype=np.int64)
    state = trainer._remove(everything, gone, np.ones(len(tokens)))
    return state._replace(log_prob=np.array([vocabulary[token] for token in tokens if token in vocabulary]))
