"""Grouped bars with intervals, a group per text and a bar per tokenizer; and dot plots for languages."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import FONT_SIZE, GREY, Axis, arrange, filled, marked_up, nothing_to_show, upright_line
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

# One per tokenizer, distinguished by pattern and symbol as well as colour.
COLOURS = (BLUE, VERMILLION, GREEN, OCHRE, PINK, GREY)
PATTERNS = ("", "/", "x", ".", "\\", "-")
SYMBOLS = ("circle", "diamond", "square", "x", "triangle-up", "cross")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def series_style(k: int) -> tuple[str, str, str]:
    """Colour, dash and symbol of the k-th series; a colour that comes again has another dash and symbol."""
    other = k + k // len(COLOURS)
    return COLOURS[k % len(COLOURS)], DASHES[other % len(DASHES)], SYMBOLS[other % len(SYMBOLS)]


def grouped_bars_figure(
    table: pd.DataFrame,
    group: str,
    bar: str,
    value: str,
    title: str,
    axis: str,
    language: str,
    *,
    in_percent: bool = False,
    xaxis: Axis | None = None,
) -> go.Figure:
    """Bars of `value` in groups; columns `low` and `high`, if present, are drawn as intervals.

    Parameters
    ----------
    in_percent : whether the value axis shows shares in percent.
    xaxis : further properties of the group axis, e.g. a title.
    """
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for k, (name, rows) in enumerate(table.groupby(bar, sort=False)):
        error = None
        if "low" in rows and rows["low"].notna().any():
            error = _interval(rows, value) | {"thickness": 1.6, "width": 4}
        figure.add_bar(
            x=[marked_up(str(text)) for text in rows[group]],
            y=rows[value],
            name=marked_up(str(name)),
            error_y=error,
            marker=filled(COLOURS[k % len(COLOURS)], PATTERNS[k % len(PATTERNS)]),
            hovertemplate="%{x}<br>%{fullData.name}: %{y:.3f}<extra></extra>",
        )
    yaxis = {"title": axis, "rangemode": "tozero", "tickformat": ".1~%" if in_percent else ""}
    return arrange(figure, title, 460, barmode="group", bargap=0.25, xaxis=xaxis or {}, yaxis=yaxis)


def dots_figure(
    table: pd.DataFrame, row: str, series: str, value: str, title: str, axis: str, language: str
) -> go.Figure:
    """A row per language, a mark per tokenizer; a line at 1, the value of the base language."""
    if table.empty:
        return nothing_to_show(title, language)
    order = table.groupby(row)[value].max().sort_values(ascending=False).index.tolist()
    figure = go.Figure()
    for k, (name, rows) in enumerate(table.groupby(series, sort=False)):
        figure.add_scatter(
            x=rows[value],
            y=rows[row].map(marked_up),
            mode="markers",
            name=marked_up(str(name)),
            error_x=_interval(rows, value) | {"thickness": 1.2, "width": 0},
            marker={"size": 11, "color": COLOURS[k % len(COLOURS)], "symbol": SYMBOLS[k % len(SYMBOLS)]},
            hovertemplate="%{y}<br>%{fullData.name}: %{x:.2f}<extra></extra>",
        )
    return arrange(
        figure,
        title,
        120 + 34 * len(order),
        shapes=[upright_line(1, GREY, 1.5)],
        xaxis={"title": axis, "rangemode": "tozero"},
        yaxis={"categoryorder": "array", "categoryarray": [marked_up(name) for name in order[::-1]]},
    )


def ranked_bars_figure(table: pd.DataFrame, title: str, axis: str, language: str) -> go.Figure:
    """A bar per row, in the order of the table, its value at its end.

    Parameters
    ----------
    table : columns title, value, low, high, is_ours: drawn in the loud colour, and best: in bold.
    """
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    figure.add_bar(
        x=table["value"],
        y=[marked_up(name) for name in table["title"]],
        orientation="h",
        error_x=_interval(table, "value") | {"thickness": 1.2, "width": 0},
        marker={"color": [BLUE if is_ours else GREY for is_ours in table["is_ours"]]},
        text=[
            f"<b>{value:.1f}</b>" if is_best else f"{value:.1f}"
            for value, is_best in zip(table["value"], table["best"], strict=True)
        ],
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        textfont={"size": FONT_SIZE + 1},
        hovertemplate="%{y}: %{x:.1f}<extra></extra>",
    )
    return arrange(
        figure,
        title,
        90 + 26 * len(table),
        bargap=0.25,
        xaxis={"title": axis, "rangemode": "tozero"},
        yaxis={"autorange": "reversed"},
    )


def _interval(rows: pd.DataFrame, value: str) -> dict[str, str | bool | pd.Series]:
    above, below = rows["high"] - rows[value], rows[value] - rows["low"]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
