"""Grouped bars with intervals, a group per text and a bar per tokenizer; and dot plots for languages."""

from itertools import cycle

import pandas as pd

from app.parts.figures.base import FONT_SIZE, HEIGHT, Axis, Plot, marked_up, nothing_to_show, upright_line
from app.parts.figures.charts import bars, chart, dots, interval, single, split
from app.parts.figures.styles import GREY, STYLES
from engine.pictures.palette import BLUE


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
) -> Plot:
    """Bars of `value` in groups; columns `low` and `high`, if present, are drawn as intervals.

    Parameters
    ----------
    in_percent : whether the value axis shows shares in percent.
    xaxis : further properties of the group axis, e.g. a title.
    """
    whiskers = interval(value, thickness=1.6, width=4)
    traces = bars(
        split(table.assign(**{group: table[group].astype(str)}), bar),
        group,
        value,
        "%{x}<br>%{fullData.name}: %{y:.3f}",
        error_y=lambda rows: whiskers(rows) if "low" in rows and rows["low"].notna().any() else None,
    )
    yaxis = {"title": axis, "rangemode": "tozero", "tickformat": ".1~%" if in_percent else ""}
    return chart(
        traces, title, language, 460, empty_height=HEIGHT, barmode="group", bargap=0.25, xaxis=xaxis or {}, yaxis=yaxis
    )


def dots_figure(table: pd.DataFrame, row: str, series: str, value: str, title: str, axis: str, language: str) -> Plot:
    """A row per language, a mark per tokenizer; a line at 1, the value of the base language."""
    if table.empty:
        return nothing_to_show(title, language)
    order = table.groupby(row)[value].max().sort_values().index
    parts = split(table, series, styles=dict(zip(table[series].unique(), cycle(STYLES), strict=False)))
    whiskers = interval(value, thickness=1.2, width=0)
    traces = dots(parts, value, row, "%{y}<br>%{fullData.name}: %{x:.2f}", size=11, error_x=whiskers)
    height, mark = 120 + 34 * len(order), upright_line(1, GREY, 1.5)
    xaxis = {"title": axis, "rangemode": "tozero"}
    yaxis = {"categoryorder": "array", "categoryarray": [marked_up(name) for name in order]}
    return chart(traces, title, language, height, shapes=[mark], xaxis=xaxis, yaxis=yaxis)


def ranked_bars_figure(table: pd.DataFrame, title: str, axis: str, language: str, *, has_values: bool = True) -> Plot:
    """A bar per row, in the order of the table, its value in it if it has one.

    Parameters
    ----------
    table : columns title, value, low, high, is_ours: drawn in the loud colour, and best: in bold.
    """
    if table.empty:
        return nothing_to_show(title, language)
    values = [f"{value:.1f}" for value in table["value"]]
    traces = bars(
        single(table),
        "value",
        "title",
        "%{y}: %{x:.1f}",
        orientation="h",
        error_x=interval("value", thickness=1.2, width=0),
        marker={"color": [BLUE if is_ours else GREY for is_ours in table["is_ours"]]},
        text=lambda rows: [
            f"<b>{text}</b>" if best else text for text, best in zip(values, rows["best"], strict=True) if has_values
        ],
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        textfont={"size": FONT_SIZE + 1},
    )
    xaxis = {"title": axis, "rangemode": "tozero"}
    yaxis = {"autorange": "reversed"}
    return chart(traces, title, language, 90 + 20 * len(table), bargap=0.25, xaxis=xaxis, yaxis=yaxis)
