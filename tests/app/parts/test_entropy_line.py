"""The line BE = log(N·P), against the naive oracle and against the rounds themselves."""

import math

import numpy as np
import pandas as pd
import pytest

from app.parts.tables.entropy_line import above_line, agreement_table, farthest
from app.parts.tables.tokens import LOW_SCORE, SURVIVING, round_tokens, token_catalogue
from engine.config import N_BYTES
from tests import naive
from tests.engine.unigram.test_trainer import sentences, trained

_SENTENCES = [("ab", " ab"), ("abab",), ("ba", " ab", "a"), ("a",)]
_VOCABULARY = {token: math.log(0.01) for token in naive.BYTES} | {b"ab": math.log(0.2), b" ab": math.log(0.1)}


def _table(corpus: list[naive.Sentence], vocabulary: naive.Vocabulary) -> pd.DataFrame:
    found = naive.statistics(corpus, vocabulary, "inclusion", "sentence")
    rows = [
        {"token": token, "fate": SURVIVING, "p": one.sentence_prob, "be": one.branching_entropy}
        for token, one in found.items()
    ]
    return pd.DataFrame(rows)


def test_the_distance_is_the_mean_of_what_competes_and_repeats() -> None:
    corpus = _SENTENCES * 2 + _SENTENCES[:1] * 3
    table = _table(corpus, _VOCABULARY)
    rows, distance = above_line(table, len(corpus))
    assert len(distance) == 4
    weights = naive.joint_weights(corpus, _VOCABULARY, "inclusion", "sentence")
    for row, value in zip(rows, distance, strict=True):
        own = [weight for weight in weights[table["token"].iat[row]] if weight]
        assert value == pytest.approx(-sum(weight * math.log(weight) for weight in own) / sum(own), abs=1e-9)


def test_tokens_without_competition_in_distinct_sentences_are_on_the_line() -> None:
    letters = {token: math.log(1 / 256) for token in naive.BYTES}
    once, again = (above_line(_table(corpus, letters), len(corpus))[1] for corpus in (_SENTENCES, _SENTENCES * 3))
    assert once == pytest.approx(np.zeros(3), abs=1e-12)
    assert again == pytest.approx(np.full(3, -math.log(3)))
    assert not any(rows.size for rows in farthest(_table(_SENTENCES, letters), 4, 5))
    above, below = farthest(_table(_SENTENCES * 3, letters), 12, 2)
    assert not above.size and len(below) == 2


def test_the_agreement_of_each_round_is_that_of_its_table() -> None:
    model = trained(sentences(300), vocab_size=280)
    catalogue = token_catalogue(model)
    table = agreement_table(model).set_index("number")
    assert table.index.tolist() == list(model.kept_rounds)
    for number, row in table.iterrows():
        tokens = round_tokens(model, number, catalogue)
        tokens = tokens[tokens["row"] >= N_BYTES]
        assert row["spearman"] == pytest.approx(tokens["be_p"].corr(tokens["p"], method=_spearman), nan_ok=True)
        low = tokens[tokens["reason"] == LOW_SCORE]
        assert row["n_removed"] == len(low)
        if len(low):
            by_p = tokens[tokens["p"] * model.corpus_units >= 0.5]["p"].nsmallest(len(low)).index
            # Ties of P may be broken in another order.
            assert row["shared"] == pytest.approx(len(low.index.intersection(by_p)) / len(low), abs=0.1)


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    ranks = [[(values < one).sum() + ((values == one).sum() + 1) / 2 for one in values] for values in (a, b)]
    return float(np.corrcoef(ranks)[0, 1])
