"""Kinds of chart over tidy tables, with a trace for each series: lines, dots and bars."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from app.parts.figures.base import HEIGHT, TITLE_COLUMNS, TITLE_SIZE, Plot, Trace, arrange, marked_up, nothing_to_show
from app.parts.figures.styles import STYLES, Style, filled, series_style

# Bars that lie below each other, one for each row of a table, divided by series; and numbers in their parts.
STACKED_ROWS: dict[str, Any] = {
    "barmode": "stack",
    "yaxis": {"autorange": "reversed"},
    "legend": {"traceorder": "normal"},
}
NUMBERS_INSIDE = {"orientation": "h", "textposition": "inside", "insidetextanchor": "middle", "textangle": 0}


class Series(NamedTuple):
    """One trace: its rows, how it looks, and its name in the legend, without markup."""

    rows: pd.DataFrame
    style: Style
    name: str | None = None


def split(
    table: pd.DataFrame, by: str, names: Mapping[str, str] | None = None, styles: Mapping[str, Style] | None = None
) -> list[Series]:
    """A series for each value of a column that has rows, in the order of the styles, else of the table.

    Parameters
    ----------
    names, styles : by value; without, a value is its own name, and each has the next style.
    """
    parts = [(value, table[table[by] == value]) for value in styles or table[by].unique()]
    return [
        Series(rows, styles[value] if styles else series_style(k), marked_up(names[value] if names else str(value)))
        for k, (value, rows) in enumerate(parts)
        if len(rows)
    ]


def single(table: pd.DataFrame, style: Style = STYLES[0], name: str | None = None) -> list[Series]:
    """All rows as one series, or none if there are no rows; the name is without markup."""
    return [Series(table, style, name)] if len(table) else []


def lines(
    series: Sequence[Series],
    x: str,
    y: str,
    hover: str | None,
    *,
    width: float = 2.5,
    size: float = 8,
    dash: str = "",
    **trace: object,
) -> list[Trace]:
    """Lines with a mark at every row; `dash`: of all, instead of those of the styles."""
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "line": {"color": part.style.colour, "width": width, "dash": dash or part.style.dash},
            "marker": {"size": size, "symbol": part.style.symbol},
            **_properties(part, x, y, hover, trace),
        }
        for part in series
    ]


def dots(
    series: Sequence[Series],
    x: str,
    y: str,
    hover: str | None,
    *,
    size: float = 8,
    opacity: float | None = None,
    **trace: object,
) -> list[Trace]:
    """A mark for every row."""
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "marker": {"size": size, "color": part.style.colour, "symbol": part.style.symbol, "opacity": opacity},
            **_properties(part, x, y, hover, trace),
        }
        for part in series
    ]


def bars(series: Sequence[Series], x: str, y: str, hover: str | None, **trace: object) -> list[Trace]:
    """A bar for every row; they lie with `orientation="h"`."""
    return [
        {
            "type": "bar",
            "marker": filled(part.style.colour, part.style.pattern),
            **_properties(part, x, y, hover, trace),
        }
        for part in series
    ]


def _properties(part: Series, x: str, y: str, hover: str | None, trace: Trace) -> Trace:
    """The properties of a trace that all kinds have; no text of a column is markup.

    Parameters
    ----------
    x, y : columns.
    hover : template; without an `<extra>`, the name of the series is not next to it; None for no hover text.
    trace : further properties of every trace: text and customdata name columns too, and a function gets the rows.
    """
    if hover is not None and "<extra>" not in hover:
        hover += "<extra></extra>"
    return {
        "name": part.name,
        **({"hoverinfo": "skip"} if hover is None else {"hovertemplate": hover}),
        **{name: _value(name, value, part.rows) for name, value in {"x": x, "y": y, **trace}.items()},
    }


def _value(name: str, value: object, rows: pd.DataFrame) -> object:
    if callable(value):
        return value(rows)
    if name not in ("x", "y", "text", "customdata"):
        return value
    cells = rows[value]
    if cells.ndim == 1 and pd.api.types.is_numeric_dtype(cells):
        return cells
    return cells.map(lambda cell: marked_up(cell) if isinstance(cell, str) else cell)


def interval(value: str, low: str = "low", high: str = "high", **bar: object) -> Callable[[pd.DataFrame], Trace]:
    """For `error_x` or `error_y` of a kind: from one column to another around a value."""
    return lambda rows: {
        "type": "data",
        "symmetric": False,
        "array": rows[high] - rows[value],
        "arrayminus": rows[value] - rows[low],
        **bar,
    }


def chart(
    traces: Sequence[Trace],
    title: str,
    language: str,
    height: int = HEIGHT,
    *,
    empty_height: int | None = None,
    title_size: int = TITLE_SIZE,
    title_columns: int = TITLE_COLUMNS,
    **layout: object,
) -> Plot:
    """Traces with a title and the shared layout; without traces, that there is nothing to show, in its own height."""
    if not traces:
        return nothing_to_show(title, language, empty_height or height)
    return arrange(traces, title, height, title_size=title_size, title_columns=title_columns, **layout)
