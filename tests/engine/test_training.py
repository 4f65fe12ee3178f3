"""Any algorithm is trained the same way, and its file is opened the same way."""

from pathlib import Path

import pytest

from engine.config import ALGORITHMS, UNIGRAM_ALGORITHMS, TrainingSettings
from engine.errors import InputError
from engine.model_files import load_tokenizer
from engine.training import start_training

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "", "새가 꽃을 보았다."] * 5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_trains_reports_and_saves(algorithm: str, tmp_path: Path) -> None:
    training = start_training(LINES, TrainingSettings(algorithm=algorithm, vocab_size=270, pretokenizer="gpt2"))
    reports = list(training.rounds())
    model = training.model()
    low, high = training.feasible
    assert low <= model.vocab_size <= high
    assert [report.is_last for report in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[-1].vocab_size == model.vocab_size
    if algorithm in UNIGRAM_ALGORITHMS:
        assert model.vocab_size == 270
    else:
        # A merge's report counts what encoding the corpus gives.
        assert reports[-1].n_tokens == sum(len(model.encode(line).ids) for line in LINES)
    model.save(tmp_path / "model.tok")
    again = load_tokenizer(tmp_path / "model.tok")
    assert [again.encode(line) for line in LINES] == [model.encode(line) for line in LINES]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_empty_corpus_is_refused(algorithm: str) -> None:
    with pytest.raises(InputError, match="no text"):
        start_training(["", ""], TrainingSettings(algorithm=algorithm, vocab_size=270))


def test_special_tokens_need_a_vocabulary_that_has_them() -> None:
    with pytest.raises(InputError, match="no special tokens"):
        start_training(LINES, TrainingSettings(algorithm="words", special_tokens=("<s>",)))
