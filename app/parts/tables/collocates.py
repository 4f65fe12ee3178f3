"""Collocates as a table, and the rows of their picture."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.measure.collocates import MEASURES, Collocates
from engine.pictures.showable import showable

# What a table of collocates is sorted by, and what their picture shows.
ORDERS = (*MEASURES, "observed")
_N_DRAWN = 15
_WORDY = r"^(?!<0x).*[^\W_]"  # neither punctuation alone nor a single byte
_WEAK = 0.05  # p from which an association is not told from chance


def collocate_table(found: Collocates, labels: Sequence[str]) -> pd.DataFrame:
    """One row per collocate.

    Columns: label (raw), collocate (as shown), observed, left, right, frequency, expected, each of MEASURES with
    <measure>_low and <measure>_high where it has an interval, p.
    """
    names = ("observed", "left", "right", "frequency", "expected", *MEASURES, "p")
    own = [labels[kind] for kind in found.kind.tolist()]
    columns: dict[str, object] = {"label": own, "collocate": [showable(label) for label in own]}
    for name in names:
        columns[name] = getattr(found, name)
        if name in MEASURES and (ends := found.interval(name)) is not None:
            columns[f"{name}_low"], columns[f"{name}_high"] = ends
    return pd.DataFrame(columns)


def drawn_collocates(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The first rows with letters or digits as `ranked_bars_figure` takes them, loud where they are not by chance."""
    first = table[table["label"].str.contains(_WORDY, regex=True)].head(_N_DRAWN)
    ends = [first.get(f"{by}_{end}", first[by]) for end in ("low", "high")]
    rows = {"title": first["collocate"], "value": first[by], "low": ends[0], "high": ends[1]}
    drawn = pd.DataFrame(rows).assign(is_ours=first["p"] < _WEAK, best=False)
    return drawn.replace([np.inf, -np.inf], np.nan)
