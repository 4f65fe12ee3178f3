"""The curves of a sentence; distributions; F1 over lambda; errors by kind."""

from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import HEIGHT, Plot, marked_up, nothing_to_show, upright_line
from app.parts.figures.charts import NUMBERS_INSIDE, STACKED_ROWS, bars, chart, lines, single, split
from app.parts.figures.styles import GREY, Style
from engine.pictures.palette import BLUE, GREEN, OCHRE, VERMILLION
from engine.segmentation.scoring import BOTH, OVER, RIGHT, UNDER

_CURVES = {
    "pmi": Style(BLUE),
    "left_entropy": Style(GREEN, "diamond", "dash"),
    "right_entropy": Style(OCHRE, "square", "dot"),
    "lm_entropy": Style(VERMILLION, "triangle-up", "dashdot"),
}
_KINDS = {
    RIGHT: Style(BLUE),
    OVER: Style(VERMILLION, pattern="/"),
    UNDER: Style(OCHRE, pattern="x"),
    BOTH: Style(GREY, pattern="."),
}
_SCORES = {"f1": Style(BLUE), "boundary_f1": Style(GREEN, "diamond", "dash")}


def profile_figure(table: pd.DataFrame, names: Mapping[str, str], title: str, axis: str, language: str) -> Plot:
    """Curves of a `profile_table` over its characters; `names` has a label for each curve, `axis` is the unit.

    A PMI is drawn between its two characters, an entropy on its character.
    """
    points = table.melt("position", list(_CURVES), "curve")
    points["position"] += 0.5 * (points["curve"] == "pmi")
    curves = split(points, "curve", names, _CURVES)
    traces = lines(curves, "position", "value", "%{fullData.name}: %{y:.2f}", width=2, size=7)
    characters = [marked_up(char) if char.strip() else "␣" for char in table["character"]]
    positions = {
        "tickvals": list(range(len(characters))),
        "ticktext": characters,
        "range": [-0.6, len(characters) - 0.4],
        "showgrid": False,
        "tickangle": 0,
    }
    return chart(
        traces, title, language, 330, empty_height=HEIGHT, yaxis={"title": axis, "rangemode": "tozero"}, xaxis=positions
    )


def distribution_figure(table: pd.DataFrame, kind: str, title: str, axes: tuple[str, str], language: str) -> Plot:
    """Histogram of one kind of a `distribution_table`; most entropies are 0, so their numbers need a log scale."""
    bins = single(table[table["kind"] == kind])
    traces = bars(bins, "value", "count", "%{x:.2f}: %{y:,}", marker={"color": _CURVES[kind].colour})
    yaxis = {"title": axes[1]} | ({"type": "log", "dtick": 1, "tickformat": ",d"} if kind != "pmi" else {})
    return chart(traces, title, language, 280, bargap=0.05, showlegend=False, xaxis={"title": axes[0]}, yaxis=yaxis)


def lambda_figure(
    table: pd.DataFrame, lam: float, names: Mapping[str, str], title: str, axis: str, language: str
) -> Plot:
    """F1 of a `lambda_curve`, with the page's lambda marked."""
    curves = split(table.melt("lam", list(_SCORES), "score"), "score", names, _SCORES)
    traces = lines(curves, "lam", "value", "λ = %{x:g}: %{y:.3f}<extra>%{fullData.name}</extra>")
    mark = upright_line(lam, VERMILLION, 2)
    return chart(
        traces, title, language, 380, empty_height=HEIGHT, shapes=[mark], xaxis={"title": "λ"}, yaxis={"title": axis}
    )


def errors_figure(table: pd.DataFrame, names: Mapping[str, str], title: str, axis: str, language: str) -> Plot:
    """A bar per row of an `errors_table`, divided by kind; `names` has a label for each kind."""
    if table.empty:
        return nothing_to_show(title, language)
    kinds = split(table.melt("name", list(_KINDS), "kind", "count"), "kind", names, _KINDS)
    traces = bars(kinds, "count", "name", "%{y}<br>%{fullData.name}: %{x:,}", text="count", **NUMBERS_INSIDE)
    return chart(traces, title, language, 150 + 48 * len(table), bargap=0.3, xaxis={"title": axis}, **STACKED_ROWS)
