"""The curves of a sentence; distributions; F1 over lambda; errors by kind."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import GREY, arrange, filled, marked_up, nothing_to_show, upright_line
from engine.pictures.palette import BLUE, GREEN, OCHRE, VERMILLION
from engine.segmentation.errors import BOTH, OVER, RIGHT, UNDER

_CURVES = {
    "pmi": (BLUE, "solid", "circle"),
    "left_entropy": (GREEN, "dash", "diamond"),
    "right_entropy": (OCHRE, "dot", "square"),
    "lm_entropy": (VERMILLION, "dashdot", "triangle-up"),
}
_KINDS = {RIGHT: (BLUE, ""), OVER: (VERMILLION, "/"), UNDER: (OCHRE, "x"), BOTH: (GREY, ".")}


def profile_figure(table: pd.DataFrame, names: Mapping[str, str], title: str, axis: str, language: str) -> go.Figure:
    """Curves of a `profile_table` over its characters; `names` has a label for each curve, `axis` is the unit.

    A PMI is drawn between its two characters, an entropy on its character.
    """
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for curve, (colour, dash, symbol) in _CURVES.items():
        figure.add_scatter(
            x=table["position"] + (0.5 if curve == "pmi" else 0.0),
            y=table[curve],
            mode="lines+markers",
            name=names[curve],
            connectgaps=False,
            line={"color": colour, "width": 2, "dash": dash},
            marker={"size": 7, "symbol": symbol},
            hovertemplate="%{fullData.name}: %{y:.2f}<extra></extra>",
        )
    characters = [marked_up(char) if char.strip() else "␣" for char in table["character"]]
    return arrange(
        figure,
        title,
        330,
        hovermode="closest",
        yaxis={"title": axis, "rangemode": "tozero"},
        xaxis={
            "tickvals": list(range(len(characters))),
            "ticktext": characters,
            "range": [-0.6, len(characters) - 0.4],
            "showgrid": False,
            "tickangle": 0,
        },
    )


def distribution_figure(table: pd.DataFrame, kind: str, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """Histogram of one kind of a `distribution_table`; most entropies are 0, so their numbers need a log scale."""
    part = table[table["kind"] == kind]
    if part.empty:
        return nothing_to_show(title, language, 280)
    figure = go.Figure()
    figure.add_bar(
        x=part["value"],
        y=part["count"],
        marker={"color": _CURVES[kind][0]},
        hovertemplate="%{x:.2f}: %{y:,}<extra></extra>",
    )
    log_scale = {"type": "log", "dtick": 1, "tickformat": ",d"} if kind != "pmi" else {}
    return arrange(
        figure,
        title,
        280,
        bargap=0.05,
        showlegend=False,
        xaxis={"title": axes[0]},
        yaxis={"title": axes[1], **log_scale},
    )


def lambda_figure(
    table: pd.DataFrame, lam: float, names: Mapping[str, str], title: str, axis: str, language: str
) -> go.Figure:
    """F1 of a `lambda_curve`, with the page's lambda marked."""
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for column, colour, dash, symbol in (("f1", BLUE, "solid", "circle"), ("boundary_f1", GREEN, "dash", "diamond")):
        figure.add_scatter(
            x=table["lam"],
            y=table[column],
            mode="lines+markers",
            name=names[column],
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 8, "symbol": symbol},
            hovertemplate="λ = %{x:g}: %{y:.3f}<extra>%{fullData.name}</extra>",
        )
    mark = upright_line(lam, VERMILLION, 2)
    return arrange(figure, title, 380, shapes=[mark], xaxis={"title": "λ"}, yaxis={"title": axis})


def errors_figure(table: pd.DataFrame, names: Mapping[str, str], title: str, axis: str, language: str) -> go.Figure:
    """A bar per row of an `errors_table`, divided by kind; `names` has a label for each kind."""
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for kind, (colour, pattern) in _KINDS.items():
        figure.add_bar(
            x=table[kind],
            y=[marked_up(name) for name in table["name"]],
            orientation="h",
            name=names[kind],
            text=table[kind],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            marker=filled(colour, pattern),
            hovertemplate="%{y}<br>%{fullData.name}: %{x:,}<extra></extra>",
        )
    return arrange(
        figure,
        title,
        150 + 48 * len(table),
        barmode="stack",
        bargap=0.3,
        xaxis={"title": axis},
        yaxis={"autorange": "reversed"},
        legend={"traceorder": "normal"},
    )
