"""Grouped bars with intervals, a group per text and a bar per tokenizer; and dot plots for languages."""

from itertools import cycle

import pandas as pd

from app.parts.figures.base import (
    FONT_SIZE,
    HEIGHT,
    LEGEND_ON_TOP,
    Axis,
    Plot,
    Spec,
    Trace,
    marked_up,
    nothing_to_show,
    upright_line,
)
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
    yaxis = {"title": axis, "rangemode": "tozero", "tickformat": "~%" if in_percent else ""}
    return chart(
        traces, title, language, 460, empty_height=HEIGHT, barmode="group", bargap=0.25, xaxis=xaxis or {}, yaxis=yaxis
    )


def dots_figure(
    table: pd.DataFrame,
    row: str,
    series: str,
    value: str,
    title: str,
    axis: str,
    language: str,
    *,
    names_on_top: bool = False,
) -> Plot:
    """A row per language, a mark per tokenizer; a line at 1, the value of the base language."""
    if table.empty:
        return nothing_to_show(title, language)
    traces, layout = _dots(table, row, series, value, axis)
    return chart(traces, title, language, **layout, **(LEGEND_ON_TOP if names_on_top else {}))


def moves_figure(table: pd.DataFrame, title: str, axis: str, language: str) -> Plot:
    """The dots of two tokenizers, joined in each row, with their names above the topmost.

    Parameters
    ----------
    table : columns name: of a row; tokenizer; value, low, high; end: what is written at the right of the row.
    """
    if table.empty:
        return nothing_to_show(title, language)
    traces, layout = _dots(table, "name", "tokenizer", "value", axis)
    bar: Trace = {"type": "line", "layer": "below", "opacity": 0.4, "line": {"color": GREY, "width": 6}}
    note: Trace = {"showarrow": False, "xanchor": "left", "font": {"size": FONT_SIZE}}
    notes = []
    for name, rows in table.groupby("name"):
        y = marked_up(str(name))
        layout["shapes"].append(bar | {"x0": rows["value"].min(), "x1": rows["value"].max(), "y0": y, "y1": y})
        notes.append(note | {"x": 1, "xref": "paper", "y": y, "text": marked_up(rows["end"].iloc[0])})
    signs = {
        name: f'<span style="color:{style.colour}">{sign}</span>'
        for name, style, sign in zip(table["tokenizer"].unique(), STYLES, "●◆", strict=False)
    }
    top = table[table["name"] == table.loc[table["value"].idxmax(), "name"]].sort_values("value").to_dict("records")
    for side, row in zip(("right", "left"), top, strict=False):
        parts = [marked_up(row["tokenizer"]), signs[row["tokenizer"]]]
        place = {"x": row["value"], "y": marked_up(row["name"]), "yshift": FONT_SIZE + 8, "xanchor": side}
        notes.append(note | place | {"text": " ".join(parts if side == "right" else parts[::-1])})
    room = 0.03 * (table["high"].max() - table["low"].min())
    layout["xaxis"] |= {"range": [min(1, table["low"].min()) - room, table["high"].max() + room]}
    return chart(traces, title, language, **layout, annotations=notes, showlegend=False, margin={"r": 5 * FONT_SIZE})


def _dots(table: pd.DataFrame, row: str, series: str, value: str, axis: str) -> tuple[list[Trace], Spec]:
    order = table.groupby(row)[value].max().sort_values().index
    parts = split(table, series, styles=dict(zip(table[series].unique(), cycle(STYLES), strict=False)))
    whiskers = interval(value, thickness=1.2, width=0)
    traces = dots(parts, value, row, "%{y}<br>%{fullData.name}: %{x:.2f}", size=11, error_x=whiskers)
    return traces, {
        "height": 120 + 34 * len(order),
        "shapes": [upright_line(1, GREY, 1.5)],
        "xaxis": {"title": axis, "rangemode": "tozero"},
        "yaxis": {"categoryorder": "array", "categoryarray": [marked_up(name) for name in order]},
    }


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
