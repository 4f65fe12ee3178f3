"""What values a score takes in this corpus: its typical range, and tokens at both ends."""

from typing import NamedTuple

import pandas as pd

from app.parts.tables.tokens import BYTE, TWO_LETTERS

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

    Examples are tokens of at least two letters (a space or a mark is none). At the low end they are those with the
    highest P, because nearly every rare token is low: what is common and still low says what the score looks for.
    """
    table = table[table["fate"] != BYTE]
    if table.empty:
        return None
    values = table[column]
    words = table[table["token"].str.contains(TWO_LETTERS)]
    highest = words.nlargest(n_examples, column)["token"].tolist()
    low = words[words[column] <= values.quantile(_LOW)]
    lowest = low.nlargest(n_examples, "p") if column == "be" else low.nsmallest(n_examples, column)
    return ScoreRange(
        float(values.quantile(_LOW)),
        float(values.median()),
        float(values.quantile(_HIGH)),
        int((values == 0).sum()),
        lowest["token"].tolist(),
        highest,
    )
