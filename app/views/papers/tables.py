"""Printed and measured values as tables and strips: data in, data out."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import pandas as pd
import regex

from app.components.strip.data import StripRow, StripToken
from engine.papers.claims import Exhibit
from engine.papers.show import value_text

_BYTE = regex.compile(r"(?:<0x[0-9A-F]{2}>)+")


def printed_table(exhibit: Exhibit) -> pd.DataFrame:
    """The rows that the source prints, their names in the first column, which has no title."""
    rows = [[name, *map(value_text, values)] for name, values in exhibit.printed.items()]
    return pd.DataFrame(rows, columns=["", *exhibit.columns])


def our_table(exhibit: Exhibit) -> pd.DataFrame:
    """What was measured, a row for each name; numbers by name, by name and column, in lists like the source's, or rows
    with names of their own."""
    if isinstance(exhibit.ours, list):
        return pd.DataFrame([{name: value_text(value) for name, value in row.items()} for row in exhibit.ours])
    rows = []
    for name, value in exhibit.ours.items():
        if isinstance(value, Mapping):
            rows.append({"": name, **{column: value_text(one) for column, one in value.items()}})
        elif isinstance(value, list) and len(value) == len(exhibit.columns):
            rows.append({"": name, **dict(zip(exhibit.columns, map(value_text, value), strict=True))})
        else:
            rows.append({"": name, " ": value_text(value)})
    return pd.DataFrame(rows)


def piece_row(name: str, pieces: Sequence[str], text: str) -> StripRow:
    """A strip of the pieces of a text; runs of `<0xEC>` are bytes, parts of a character."""
    starts = [0, *accumulate(len(char.encode()) for char in text)]
    tokens: list[StripToken] = []
    at = 0
    for piece in pieces:
        is_hex = _BYTE.fullmatch(piece) is not None
        end = at + (piece.count("<0x") if is_hex else len(piece.encode()))
        tokens.append(
            {"label": piece, "b": bisect_right(starts, at) - 1, "e": bisect_left(starts, end), "hex": is_hex,
             "ringed": False, "id": None, "kind": "fallback" if is_hex else ""}
        )  # fmt: skip
        at = end
    return {"name": name, "note": "", "count": f"{len(pieces):,}", "tokens": tokens}


def ends_of(pieces: Sequence[str]) -> list[int]:
    """Where the pieces end, in characters."""
    return list(accumulate(map(len, pieces)))
