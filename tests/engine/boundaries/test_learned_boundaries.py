"""Learned boundaries as pre-tokenizers: the same cuts as the methods, in every trainer, and after a model file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boundaries.language_model import CharacterModel, entropy_cuts
from engine.boundaries.learned import LEARNED, learn_pretokenizer, restore_pretokenizer
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.cli import main
from engine.config import ALGORITHMS, TrainingSettings
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError, ModelFileError
from engine.model_files import load_tokenizer
from engine.pretokenization import get_pretokenizer
from engine.training import start_training

LINES = st.lists(st.text("ab가나\t ", min_size=1, max_size=12), min_size=1, max_size=6)
CORPUS = ["同样施力的大小不同", "引起的加速度不同", "最终的结果也不一样", "大多数的加长型礼车", "这种车辆的大小"] * 4


@given(LINES, st.sampled_from([0.0, 0.5, 4.0]), st.text("ab가나z\t ", max_size=14))
def test_longest_matches_are_the_matching_by_utility(lines: list[str], lam: float, text: str) -> None:
    ends = UtilityMatcher(Ngrams(lines), lam).cut(text)
    learned = learn_pretokenizer(f"pmi-entropy:{lam}", lines)
    assert learned.boundaries(to_codes(text)).tolist() == [0, *ends]
    again = restore_pretokenizer(learned.name, learned.table)
    assert again.split(text) == learned.split(text)
    assert "".join(learned.split(text)) == text


@given(LINES, st.integers(1, 4), st.text("ab가나z\t ", max_size=14))
def test_contexts_cut_as_the_language_model(lines: list[str], order: int, text: str) -> None:
    ends = entropy_cuts(CharacterModel(Ngrams(lines, order), order).entropies(text))
    learned = learn_pretokenizer(f"lm-entropy:{order}", lines)
    assert learned.boundaries(to_codes(text)).tolist() == [0, *ends]
    assert restore_pretokenizer(learned.name, learned.table).split(text) == learned.split(text)


def test_entropy_only_is_the_limit_of_lambda() -> None:
    learned = learn_pretokenizer("entropy-only", CORPUS)
    matcher = UtilityMatcher(Ngrams(CORPUS), float("inf"))
    assert [learned.boundaries(to_codes(line)).tolist()[1:] for line in CORPUS] == [matcher.cut(x) for x in CORPUS]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", LEARNED)
def test_every_trainer_takes_them_and_its_file_keeps_them(algorithm: str, name: str, tmp_path: Path) -> None:
    size = 270 if algorithm in ("thunder-tok", "unigram", "byte-bpe", "superbpe") else 90
    training = start_training(CORPUS, TrainingSettings(algorithm=algorithm, vocab_size=size, pretokenizer=name))
    for _ in training.rounds():
        pass
    model = training.model()
    digest = model.save(tmp_path / "model")
    again = load_tokenizer(tmp_path / "model")
    assert again.save(tmp_path / "again") == digest
    text = CORPUS[0] + "z" + CORPUS[1]
    encoding = model.encode(text)
    assert again.encode(text).spans == encoding.spans
    if algorithm in ("characters", "bytes", "superbpe"):
        return  # the same however the text is cut; the second stage of SuperBPE crosses all boundaries
    learned = learn_pretokenizer(name, CORPUS)
    inner = {len(text[:end].encode()) for end in learned.boundaries(to_codes(text)).tolist()}
    # No token crosses a boundary: every boundary is the end of a token.
    assert inner - {0} <= {end for _, end in encoding.spans}


def test_earlier_vocabularies_of_a_merge_model_keep_the_boundaries() -> None:
    training = start_training(CORPUS, TrainingSettings(algorithm="bpe", vocab_size=90, pretokenizer="pmi-entropy"))
    list(training.rounds())
    model = training.model()
    assert model.at(3).pretokenizer.table == model.pretokenizer.table != ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pmi-entropy:x", "lambda"),
        ("pmi-entropy:-1", "lambda"),
        ("pmi-entropy:inf", "lambda"),
        ("lm-entropy:0", "order"),
        ("lm-entropy:2.5", "order"),
        ("entropy-only:3", "no number"),
        ("gpt2", "not a pre-tokenizer learned"),
    ],
)
def test_names_that_cannot_be(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn_pretokenizer(name, CORPUS)


def test_without_a_table_there_are_no_boundaries() -> None:
    with pytest.raises(InputError, match="learned from a corpus"):
        get_pretokenizer("pmi-entropy:1")
    for name, table in (
        ("lm-entropy", "x\ty"),
        ("lm-entropy", "1.0\ta"),
        ("lm-entropy", "1.0\t\n0.5\tab"),
        ("pmi-entropy", "가나\n\n다라"),
    ):
        with pytest.raises(InputError, match="train the model again"):
            restore_pretokenizer(name, table)


def test_a_model_file_whose_table_is_gone_is_refused(tmp_path: Path) -> None:
    from engine.corpus.pretokens.pretokenize import Pretokenizer

    training = start_training(CORPUS, TrainingSettings(algorithm="words", vocab_size=30, pretokenizer="lm-entropy"))
    list(training.rounds())
    model = training.model()
    model.pretokenizer = Pretokenizer("lm-entropy")
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="cannot be used"):
        load_tokenizer(tmp_path / "model")


def test_training_and_encoding_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, model = tmp_path / "text", tmp_path / "model"
    text.write_text("\n".join(CORPUS), encoding="utf-8")
    train = ["train", str(text), "--algorithm", "byte-bpe", "--vocab-size", "270", "--output", str(model)]
    assert main([*train, "--pretokenizer", "pmi-entropy:1"]) == 0
    assert main(["encode", "--model", str(model), str(text)]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= len(CORPUS)
    assert main([*train, "--pretokenizer", "pmi-entropy:no"]) == 2
    assert "lambda" in capsys.readouterr().err
    assert main(["export", "--model", str(model), "--to", "hf", "--output", str(tmp_path / "x.json")]) == 2
    assert "learned from a corpus" in capsys.readouterr().err
