"""Training as a whole: sizes, determinism, long and odd input, what is refused."""

import itertools
import random

import numpy as np
import pytest

from engine.config import CONTEXTS, MEMBERSHIPS, SCORES, SEED_VOCABULARIES, TrainingSettings
from engine.corpus import arrays
from engine.errors import InputError
from engine.training import seed_tokens
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import Trainer, build_corpus, train

_WORDS = [
    *("그", "말은", "틀렸어", "대한민국에서", "고구마는", "다양한", "음식입니다.", "할", "수", "있는", "것이", "많다."),
    *("정말?", "3.14", "It's", "😀", "학교에서"),
]


def sentences(n: int, seed: int = 0) -> list[str]:
    """Sentences of random words, so that every run sees the same ones."""
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(_WORDS, k=chosen.randint(2, 9))) for _ in range(n)]


def trained(lines: list[str], threads: int = 1, **settings: object) -> Model:
    """A model of the lines."""
    chosen = TrainingSettings(**settings)  # type: ignore[arg-type]
    corpus = build_corpus(lines, chosen)
    return train(corpus, chosen, threads, seed_tokens(corpus.pretokens, chosen))


@pytest.mark.parametrize(
    ("score", "seed_vocabulary", "context", "membership"),
    [  # every score with every seed, each with a context and a membership in turn
        (score, seed, CONTEXTS[(i + j) % len(CONTEXTS)], MEMBERSHIPS[(i + j) % len(MEMBERSHIPS)])
        for (i, score), (j, seed) in itertools.product(enumerate(SCORES), enumerate(SEED_VOCABULARIES))
    ],
)
def test_every_score_and_seed_lands_on_the_size(score, seed_vocabulary, context, membership) -> None:
    model = trained(
        sentences(60),
        vocab_size=300,
        score=score,
        seed_vocabulary=seed_vocabulary,
        context=context,
        membership=membership,
    )
    assert model.vocab_size == 300
    assert model.rounds[-1].is_last and model.rounds[-1].vocab_size == 300
    table = model.round_table()
    assert np.isfinite(table[["log_prob", "p", "be", "score"]].to_numpy()).all()
    assert (table["score"].diff().dropna() <= 0).all()


def test_the_size_counts_special_tokens_and_bytes() -> None:
    model = trained(sentences(60), vocab_size=280, special_tokens=("<s>", "</s>"))
    assert model.vocab_size == 280
    assert sorted(model.ids[model.ids >= 0].tolist()) == list(range(2, 280))
    assert model.token_label(0) == "<s>" and model.token_bytes(0) == b""
    text = "그 말은 <s>"
    assert 0 not in model.encode(text).ids
    allowed = model.encode(text, allow_special=True)
    assert allowed.ids[-1] == 0
    assert model.decode(allowed.ids) == model.decode(model.encode(text).ids) == text


@pytest.mark.parametrize(("threads", "score"), [(2, "be_p"), (3, "be_p"), (3, "neighbour_be")])
def test_threads_do_not_change_a_byte(threads: int, score: str, monkeypatch) -> None:
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 200)
    lines = sentences(300)
    one = trained(lines, 1, vocab_size=300, score=score).to_bytes()
    assert build_corpus(lines, TrainingSettings()).n_shards > 4
    assert trained(lines, threads, vocab_size=300, score=score).to_bytes() == one


def test_the_number_of_shards_does_not_change_the_statistics(monkeypatch) -> None:
    lines = sentences(300)
    one = trained(lines, vocab_size=300).round_table()
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 200)
    many = trained(lines, vocab_size=300).round_table()
    assert one["token"].sort_values().tolist() == many["token"].sort_values().tolist()
    both = one.merge(many, on="token")
    np.testing.assert_allclose(both["be_x"], both["be_y"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both["p_x"], both["p_y"], rtol=1e-9)


@pytest.mark.parametrize("size", [255, 100_000])
def test_an_infeasible_size_is_refused_with_the_range(size: int) -> None:
    with pytest.raises(InputError, match=r"choose a size from 256 to \d"):
        trained(sentences(30), vocab_size=size)


def test_the_ends_of_the_feasible_range_work() -> None:
    lines = sentences(40)
    settings = TrainingSettings(vocab_size=256)
    low, high = Trainer(build_corpus(lines, settings), settings).feasible
    smallest = trained(lines, vocab_size=low)
    assert smallest.decode(smallest.encode("가나 쀍 😀").ids) == "가나 쀍 😀"
    largest = trained(lines, vocab_size=high)
    assert len(largest.rounds) == 1 and largest.vocab_size == high


@pytest.mark.parametrize("lines", [[], [""], ["", ""]])
def test_no_text_is_refused(lines: list[str]) -> None:
    with pytest.raises(InputError, match="no text"):
        trained(lines, vocab_size=300)


_LONG = {
    "line": "".join(
        itertools.islice(
            itertools.cycle("그 말은 틀렸어. 대한민국에서 다양한 음식을 활용할 수 있는 방법 12 "), 1_000_000
        )
    ),
    "word": "".join(random.Random(1).choices("가나다라마바사", k=10_000)),
    "same": "가" * 10_000,
    "spaces": " " * 1_000_000,
}


@pytest.mark.parametrize("name", _LONG)
def test_long_lines_train_and_round_trip(name: str) -> None:
    line = _LONG[name]
    model = trained([line, "가나 다라", "가나 다라 마"], vocab_size=258)
    encoding = model.encode(line)
    assert model.decode(encoding.ids) == line
    assert encoding.spans[-1][1] == len(line.encode())
    assert np.isfinite([report.objective for report in model.rounds]).all()


@pytest.mark.slow
@pytest.mark.parametrize("pretokenizer", ["none", "whitespace", "gpt2", "thunder-tok"])
def test_a_million_different_characters_in_one_line(pretokenizer: str, shared_data) -> None:
    text = (shared_data / "ko_literature.txt").read_text(encoding="utf-8").replace("\n", " ")
    line = (text * 4)[:1_000_000]
    model = trained([line], vocab_size=2000, pretokenizer=pretokenizer)
    assert model.decode(model.encode(line).ids) == line


def test_normalization_is_part_of_the_model() -> None:
    model = trained(sentences(60), vocab_size=300, normalization="nfd")
    assert model.decode(model.encode("말").ids) == "\u1106\u1161\u11af"


def test_rounds_shrink_by_a_quarter_and_rare_tokens_go_first() -> None:
    model = trained(sentences(200), vocab_size=260)
    reports = model.rounds
    assert [report.number for report in reports] == list(range(len(reports)))
    for report, following in itertools.pairwise(reports):
        assert following.vocab_size == report.vocab_size - report.n_removed
        assert report.n_removed >= min(report.vocab_size - 260, -(-(report.vocab_size - 256) // 4))
        assert (model.died_in_round == report.number).sum() == report.n_removed
    assert reports[-1].threshold is None


def test_the_final_log_probabilities_lie_on_the_grid() -> None:
    log_prob = trained(sentences(100), vocab_size=300).history[-1].log_prob
    assert (log_prob * 256 == np.round(log_prob * 256)).all()


def test_model_is_only_there_at_the_end() -> None:
    settings = TrainingSettings(vocab_size=300)
    trainer = Trainer(build_corpus(sentences(60), settings), settings)
    with pytest.raises(RuntimeError):
        trainer.model()
