"""Values of a score in this corpus: its typical range, and tokens at both ends."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import BYTE, TWO_LETTERS, first_matches

# The middle nine tenths of the tokens.
_LOW, _HIGH = 0.05, 0.95


class ScoreRange(NamedTuple):
    """Values of one score (nats) over the prunable tokens of a round, with tokens at both ends."""

    low: float  # 5th percentile
    median: float
    high: float  # 95th percentile
    n_zero: int
    lowest: list[str]
    highest: list[str]


def score_range(table: pd.DataFrame, column: str, n_examples: int = 6) -> ScoreRange | None:
    """The range of a column of `round_tokens`; None for an empty table.

    Examples are tokens of at least two letters. At the low end they are those with the highest P, because nearly every
    rare token scores low: common tokens with a low score show what the score measures.
    """
    table = table[table["fate"] != BYTE]
    if table.empty:
        return None
    values = table[column].to_numpy()
    low, median, high = (float(value) for value in np.quantile(values, (_LOW, 0.5, _HIGH)))
    by = table["p"].to_numpy() if column == "be" else -values
    at_low_end = np.flatnonzero(values <= low)
    return ScoreRange(
        low,
        median,
        high,
        int((values == 0).sum()),
        first_matches(table["token"], at_low_end[np.argsort(-by[at_low_end], kind="stable")], TWO_LETTERS, n_examples),
        first_matches(table["token"], np.argsort(-values, kind="stable"), TWO_LETTERS, n_examples),
    )
