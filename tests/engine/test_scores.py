"""The table of pruning scores: all that must be known of a score, and what happens to a name that is in no table."""

import numpy as np
import pytest

from engine.config import SCORES, TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.pruning_scores import PRUNING_SCORES, pruning_score
from engine.unigram.model.reader import model_from_bytes
from tests.engine.unigram.test_model_file import _with_header
from tests.engine.unigram.test_trainer import sentences, trained


def test_an_unknown_score_is_an_error() -> None:
    for ask in (pruning_score, lambda name: TrainingSettings(score=name)):
        with pytest.raises(InputError, match=r"unknown score 'beauty'.*be_p.*tokens"):
            ask("beauty")


def test_a_quantity_that_is_missing_is_no_score() -> None:
    with pytest.raises(KeyError):
        pruning_score("ml").values({"p": np.ones(1), "be": np.ones(1)})


def test_the_tokens_that_a_token_spares() -> None:
    known = {"uses": np.array([5.0, 1.0, 0.0, 7.0]), "n_pieces": np.array([2, 3, 2, 1])}
    assert pruning_score("tokens").values(known).tolist() == [5.0, 2.0, 0.0, 0.0]


@pytest.mark.parametrize("score", SCORES)
def test_every_score_comes_back_from_a_file(score: str) -> None:
    model = trained(sentences(60), vocab_size=300, score=score)
    again = model_from_bytes(model.to_bytes())
    for number in range(len(model.rounds)):
        assert np.array_equal(again.scores(number), model.scores(number))
        assert (again.history[number].score is not None) == PRUNING_SCORES[score].is_stored
    removed = model.rounds[0]
    assert removed.threshold is not None and removed.threshold in model.scores(0)


def test_a_file_without_the_scores_that_it_names_is_refused() -> None:
    model = trained(sentences(60), vocab_size=300)
    settings = TrainingSettings(vocab_size=300).__dict__ | {"score": "tokens", "special_tokens": []}
    with pytest.raises(ModelFileError, match=r"inconsistent \(arrays\)"):
        model_from_bytes(_with_header(model.to_bytes(), settings=settings))
    with pytest.raises(ModelFileError, match="unknown score"):
        model_from_bytes(_with_header(model.to_bytes(), settings=settings | {"score": "beauty"}))
