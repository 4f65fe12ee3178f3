"""Claims by source and verdict; and the curve of a sentence: a model's entropy at each character, and two cuts."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import FONT_SIZE, GREY, arrange, filled, marked_up
from engine.pictures.palette import BLUE, GREEN, OCHRE, VERMILLION

# What holds, what does not, what nobody can say, with colour and pattern; a slip is the source's own.
_OUTCOMES = {
    "agrees": (GREEN, ""),
    "differs": (VERMILLION, "/"),
    "slip": (OCHRE, "x"),
    "undecided": (BLUE, "-"),
    "not_measured": (GREY, ""),
}


def curve_figure(
    text: str, bits: Sequence[float], cuts: Mapping[str, Sequence[int]], names: Mapping[str, str], title: str, axis: str
) -> go.Figure:
    """Entropy before every character, and cuts by name (`printed`, `ours`) as rows of marks below the curve."""
    figure = go.Figure()
    figure.add_scatter(
        x=list(range(len(text))),
        y=list(bits),
        mode="lines+markers",
        name=names["entropy"],
        line={"color": BLUE, "width": 2},
        marker={"size": 7},
        hovertemplate="%{y:.2f}<extra></extra>",
    )
    styles = {"printed": (VERMILLION, "triangle-up"), "ours": (GREEN, "diamond")}
    lowest = -0.08 * max(bits)
    for k, (name, (colour, symbol)) in enumerate(styles.items(), start=1):
        inner = [end - 0.5 for end in cuts[name] if end < len(text)]
        figure.add_scatter(
            x=inner,
            y=[k * lowest] * len(inner),
            mode="markers",
            name=names[name],
            hoverinfo="name",
            marker={"size": 11, "symbol": symbol, "color": colour},
        )
    return arrange(
        figure,
        title,
        340,
        hovermode="closest",
        yaxis={"title": axis},
        xaxis={
            "tickvals": list(range(len(text))),
            "ticktext": [marked_up(char) for char in text],
            "range": [-0.7, len(text) - 0.3],
            "showgrid": False,
            "tickangle": 0,
        },
    )


def verdicts_figure(table: pd.DataFrame, names: Mapping[str, str], title: str) -> go.Figure:
    """A bar per source: its claims by outcome.

    Parameters
    ----------
    table : columns source (title) and those of `names`, which do not overlap.
    names : of the verdicts and of slip.
    """
    figure = go.Figure()
    for outcome, (colour, pattern) in _OUTCOMES.items():
        numbers = table[outcome]
        figure.add_bar(
            x=numbers,
            y=table["source"].map(marked_up),
            orientation="h",
            name=marked_up(names[outcome]),
            marker=filled(colour, pattern),
            text=[f"<b>{number}</b>" if number else "" for number in numbers],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"size": FONT_SIZE + 1, "color": "white"},
            hovertemplate="%{y}<br>%{fullData.name}: %{x}<extra></extra>",
        )
    return arrange(
        figure,
        title,
        150 + 38 * len(table),
        barmode="stack",
        bargap=0.25,
        xaxis={"showgrid": False},
        yaxis={"autorange": "reversed"},
        legend={"traceorder": "normal"},
    )
