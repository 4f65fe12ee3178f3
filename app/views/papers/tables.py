"""Printed and measured values as tables and strips, without Streamlit."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import pandas as pd
import regex

from app.components.data import StripRow, StripToken
from engine.evidence.claims import Exhibit, is_interval
from engine.evidence.show import number_text, value_text

_BYTE = regex.compile(r"(?:<0x[0-9A-F]{2}>)+")


def printed_table(exhibit: Exhibit, named: Callable[[str], str]) -> pd.DataFrame:
    """The source's printed rows, with their names in the first column, which has no title.

    Parameters
    ----------
    named : the name of a row or a column in the visitor's language.
    """
    columns = list(zip(*exhibit.printed.values(), strict=True))
    cells = [[number_text(value, _digits(column)) for value in column] for column in columns]
    rows = [exhibit.labels.get(name, name) for name in exhibit.printed]
    return _table(rows, dict(zip(exhibit.columns, cells, strict=True)), named)


def our_table(exhibit: Exhibit, named: Callable[[str], str]) -> pd.DataFrame:
    """The measured values, one row per name: numbers by name, by name and column, or in lists like the source's; or
    named rows."""
    if isinstance(exhibit.ours, list):
        return pd.DataFrame([{named(name): value_text(value) for name, value in row.items()} for row in exhibit.ours])
    # In the source's order if it has the same rows.
    flat = _flat(exhibit.ours)
    ours = {name: flat[name] for name in sorted(flat, key=[*exhibit.printed, *flat].index)}
    columns: dict[str, list[Any]] = {}
    for value in ours.values():
        if isinstance(value, list) and len(value) == len(exhibit.columns):
            value = dict(zip(exhibit.columns, value, strict=True))
        for column, one in (value if isinstance(value, Mapping) else {" ": value}).items():
            columns.setdefault(column, []).append(one)
    return _table(ours, {name: _cells(column) for name, column in columns.items()}, named)


def _flat(ours: Mapping[str, Any]) -> dict[str, Any]:
    """Tables by name as one table, with their names before those of their rows."""
    found: dict[str, Any] = {}
    for name, value in ours.items():
        is_table = isinstance(value, Mapping) and any(isinstance(row, Mapping) for row in value.values())
        found |= {f"{name}, {row}": one for row, one in value.items()} if is_table else {name: value}
    return found


def _table(names: Iterable[str], columns: Mapping[str, Sequence[str]], named: Callable[[str], str]) -> pd.DataFrame:
    return pd.DataFrame({"": list(map(named, names)), **{named(name): cells for name, cells in columns.items()}})


def _cells(column: Sequence[Any]) -> list[str]:
    """Numbers of a column with the same number of decimals, and with their intervals if they have any."""
    if all(isinstance(value, int | float) for value in column):
        return [number_text(value, _digits(column)) for value in column]
    return [_with_interval(value) if is_interval(value) else value_text(value) for value in column]


def _with_interval(value: Sequence[float | None]) -> str:
    known = [one for one in value if one is not None]
    digits = 3 if known and abs(known[0]) < 10 and max(map(_places, known)) > 2 else 2
    middle, *ends = [number_text(one, digits) for one in known] or [""]
    return f"{middle} ({' – '.join(ends)})" if ends else middle


def _digits(column: Iterable[float]) -> int | None:
    """The most decimal places of any number, at most 3, or 5 if all are small; None for whole numbers."""
    values = list(column)
    most = 3 if max(map(abs, values)) > 0.01 else 5
    return None if all(isinstance(value, int) for value in values) else min(most, max(map(_places, values)))


def _places(value: float) -> int:
    return len(repr(value).partition(".")[2]) if isinstance(value, float) else 0


def piece_row(name: str, pieces: Sequence[str], text: str) -> StripRow:
    """A strip row of the pieces of a text; runs of `<0xEC>` are bytes of a character."""
    starts = [0, *accumulate(len(char.encode()) for char in text)]
    tokens: list[StripToken] = []
    at = 0
    for piece in pieces:
        is_hex = _BYTE.fullmatch(piece) is not None
        end = at + (piece.count("<0x") if is_hex else len(piece.encode()))
        tokens.append(
            {
                "label": piece,
                "b": bisect_right(starts, at) - 1,
                "e": bisect_left(starts, end),
                "hex": is_hex,
                "ringed": False,
                "id": None,
                "kind": "fallback" if is_hex else "",
            }
        )
        at = end
    return {"name": name, "note": "", "count": f"{len(pieces):,}", "tokens": tokens}


def ends_of(pieces: Sequence[str]) -> list[int]:
    """The ends of the pieces, in characters."""
    return list(accumulate(map(len, pieces)))
