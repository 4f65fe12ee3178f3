"""What is key in each of several sub-corpora, a row each; and collocates."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import visible
from engine.measure.collocates import MEASURES, Collocates
from engine.measure.corpus_units import UNITS, CorpusUnits
from engine.measure.keyness import find_keys
from engine.measure.words import definition_of
from engine.pictures.showable import showable
from engine.tokenizer import Tokenizer

TOKENS, WORDS, MORPHEMES = UNITS
SIGNIFICANT = 0.05  # p (Holm) below which a type is called key
LETTER = r"^(?!<0x).*[^\W\d_]"  # in words: neither punctuation or numbers alone nor a single byte
LISTED = 100  # of each sub-corpus
# What a table of collocates is sorted by, and what their picture shows.
ORDERS = (*MEASURES, "observed")
_N_DRAWN = 15
_WORDY = r"^(?!<0x).*[^\W_]"  # neither punctuation alone nor a single byte
_WEAK = 0.05  # p from which an association is not told from chance
_MAX_SAMPLE = 2000  # lines


class Unit(NamedTuple):
    """What is counted.

    Attributes
    ----------
    name : one of UNITS.
    tokenizer : for tokens.
    analyser : of morphemes.
    """

    name: str
    tokenizer: Tokenizer | None = None
    analyser: str = ""


def words_of(lines: Sequence[str]) -> str:
    """What a word is in a file, by the script of its beginning."""
    return definition_of(lines[:_MAX_SAMPLE])


def others_of(groups: Mapping[str, Sequence[int]], name: str) -> tuple[int, ...]:
    return tuple(i for other, chosen in groups.items() if other != name for i in chosen)


def key_table(
    units: CorpusUnits, groups: Mapping[str, Sequence[int]], tokenizer: Tokenizer | None, min_count: int
) -> pd.DataFrame:
    """The types that are key in each sub-corpus against all others together, words first, the most key before others.

    Columns: group, label, and those of `engine.measure.keyness`.

    Raises
    ------
    InputError : a sub-corpus is empty, or is the same as the others.
    """
    rows = []
    for name, chosen in groups.items():
        compared = (chosen, others_of(groups, name))
        _, keys = find_keys(units, compared, tokenizer, min_count, LISTED, direction=1)
        rows += [{"group": name, **row, "label": visible(row["label"])} for row in keys]
    if not rows:
        return pd.DataFrame(columns=["group", "label", "n_parts"])
    table = pd.DataFrame(rows)
    is_word = table["label"].str.contains(LETTER, regex=True) & (table["p_holm"] < SIGNIFICANT)
    order = pd.DataFrame({"group": table["group"].map(list(groups).index), "other": ~is_word})
    return table.loc[order.sort_values(["group", "other"], kind="stable").index].reset_index(drop=True)


def collocate_table(found: Collocates, labels: Sequence[str]) -> pd.DataFrame:
    """One row per collocate.

    Columns: label (raw), collocate (as shown), observed, left, right, frequency, expected, each of MEASURES with
    <measure>_low and <measure>_high where it has an interval, p, is_weak: not told from chance.

    Nothing but words and numbers.
    """
    names = ("observed", "left", "right", "frequency", "expected", *MEASURES, "p")
    own = [labels[kind] for kind in found.kind.tolist()]
    columns: dict[str, object] = {"label": own, "collocate": [showable(label) for label in own]}
    for name in names:
        columns[name] = getattr(found, name)
        if name in MEASURES and (ends := found.interval(name)) is not None:
            columns[f"{name}_low"], columns[f"{name}_high"] = ends
    table = pd.DataFrame(columns)
    table = table[table["label"].str.contains(_WORDY, regex=True)] if own else table
    return table.assign(is_weak=table["p"] >= _WEAK)


def drawn_collocates(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The first rows as `ranked_bars_figure` takes them, loud where they are not by chance."""
    first = table.head(_N_DRAWN)
    ends = [first.get(f"{by}_{end}", first[by]) for end in ("low", "high")]
    rows = {"title": first["collocate"], "value": first[by], "low": ends[0], "high": ends[1]}
    drawn = pd.DataFrame(rows).assign(is_ours=~first["is_weak"].astype(bool), best=False)
    return drawn.replace([np.inf, -np.inf], np.nan)
