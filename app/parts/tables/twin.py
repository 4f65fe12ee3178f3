"""Two vocabularies pruned from the same seed by different scores."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.config import TrainingSettings
from engine.tokenizer import PrunedTokenizer

BOTH, ONLY_FIRST, ONLY_SECOND = "both", "first", "second"


def twin_settings(settings: TrainingSettings) -> TrainingSettings:
    """The same settings with the other score: likelihood loss, or BE x P if it was that already.

    The algorithm becomes `thunder-tok`, the one that accepts any score; the seed vocabulary and everything else are
    unchanged, so both prune the same seed.
    """
    return replace(settings, algorithm="thunder-tok", score="be_p" if settings.score == "ml" else "ml")


class Twin(NamedTuple):
    """Two models over one seed vocabulary."""

    tokens: pd.DataFrame  # row, token, level, n_chars, kept_by, and p, be_p (nats), died_in_round in either model
    n_both: int
    n_first: int
    n_second: int


def compare(first: PrunedTokenizer, second: PrunedTokenizer, catalogue: pd.DataFrame) -> Twin:
    """The tokens of the seed kept by both, or only one, of two models.

    Parameters
    ----------
    catalogue : `token_catalogue` of either; their seeds are equal.
    """
    in_first, in_second = first.died_in_round < 0, second.died_in_round < 0
    rows = np.flatnonzero(in_first | in_second)
    kept_by = np.where(in_first & in_second, BOTH, np.where(in_first, ONLY_FIRST, ONLY_SECOND))[rows]
    tokens = catalogue[["token", "level", "n_chars"]].iloc[rows].assign(row=rows, kept_by=kept_by)
    for name, model in (("first", first), ("second", second)):
        p, be = _last_numbers(model)
        tokens[f"p_{name}"] = p[rows]
        tokens[f"be_p_{name}"] = (p * be)[rows]
        tokens[f"died_{name}"] = model.died_in_round[rows]
    counts = [int((kept_by == name).sum()) for name in (BOTH, ONLY_FIRST, ONLY_SECOND)]
    return Twin(tokens.reset_index(drop=True), *counts)


def _last_numbers(model: PrunedTokenizer) -> tuple[np.ndarray, np.ndarray]:
    """P and BE of every row in its last round alive."""
    p, be = np.zeros(model.died_in_round.size), np.zeros(model.died_in_round.size)
    for number in model.kept_rounds:
        entry = model.history[number]
        rows = model.alive_rows(number)
        p[rows], be[rows] = entry.sentence_prob, entry.branching_entropy
    return p, be


def same_seed(first: PrunedTokenizer, second: PrunedTokenizer) -> bool:
    return first.ptr.size == second.ptr.size and bool(np.array_equal(first.blob, second.blob))
