"""Tokens of a model with the number of resamples that keep them, by length and by rank."""

from itertools import pairwise

import numpy as np
import pandas as pd

from engine.measure.stability import Stability
from engine.unigram.model.levels import LEVELS

_LONGEST, _N_BINS = 12, 20


def with_kept(table: pd.DataFrame, ids: np.ndarray, found: Stability) -> pd.DataFrame:
    """The last round's `round_tokens` with a column kept: the number of resamples that keep the token."""
    return table.assign(kept=np.asarray(found.kept)[ids[table["row"].to_numpy()]])


def distribution(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """Tokens by the number of resamples that keep them. Columns: kept (0 to n_resamples), level, count."""
    rows = []
    for level in LEVELS:
        counts = np.bincount(table["kept"][table["level"] == level], minlength=n_resamples + 1)
        rows += [(kept, level, int(count)) for kept, count in enumerate(counts) if counts.any()]
    return pd.DataFrame(rows, columns=["kept", "level", "count"])


def by_length(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """Mean share of resamples that keep a token, by level and length in characters; the longest are combined.

    Columns: level, n_chars (at most _LONGEST, which includes longer ones), tokens, share.
    """
    lengths = table.assign(n_chars=table["n_chars"].clip(upper=_LONGEST), share=table["kept"] / n_resamples)
    groups = lengths.groupby(["level", "n_chars"], observed=True)["share"]
    return groups.agg(tokens="size", share="mean").reset_index()


def by_rank(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """The same by rank of the score, in equal parts of the vocabulary. Columns: rank (the last of the part), share."""
    ordered = (table.sort_values("rank")["kept"] / n_resamples).to_numpy()
    ends = np.unique(np.linspace(0, ordered.size, min(_N_BINS, ordered.size) + 1).astype(int))
    rows = [(end, float(ordered[begin:end].mean())) for begin, end in pairwise(ends.tolist())]
    return pd.DataFrame(rows, columns=["rank", "share"])
