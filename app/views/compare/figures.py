"""Overlap of vocabularies: circles for two or three, bars over a dot matrix (UpSet) for more."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import COLOURS
from app.parts.figures.base import FONT_SIZE, GREY, arrange, marked_up, nothing_to_show
from app.views.compare.tables import joined
from engine.pictures.palette import BLUE

# Centres of the circles, and positions of the parts' numbers. The areas are not to scale.
CIRCLES = {2: ((-0.55, 0), (0.55, 0)), 3: ((-0.55, 0.35), (0.55, 0.35), (0, -0.6))}
_PARTS: dict[int, dict[tuple[int, ...], tuple[float, float]]] = {
    2: {(0,): (-1.05, 0), (1,): (1.05, 0), (0, 1): (0, 0)},
    3: {
        (0,): (-1.1, 0.6),
        (1,): (1.1, 0.6),
        (2,): (0, -1.2),
        (0, 1): (0, 0.75),
        (0, 2): (-0.62, -0.32),
        (1, 2): (0.62, -0.32),
        (0, 1, 2): (0, 0.05),
    },
}
_NAMES: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((-1.0, 1.15), (1.0, 1.15)),
    3: ((-1.15, 1.5), (1.15, 1.5), (0, -1.75)),
}
_RADIUS = 1.0


def overlap_figure(table: pd.DataFrame, names: Sequence[str], title: str, axis: str, language: str) -> go.Figure:
    if table.empty:
        return nothing_to_show(title, language)
    return _venn(table, names, title) if len(names) in CIRCLES else _upset(table, names, title, axis)


def _venn(table: pd.DataFrame, names: Sequence[str], title: str) -> go.Figure:
    n = len(names)
    figure = go.Figure()
    shapes = []
    for k, (x, y) in enumerate(CIRCLES[n]):
        shapes.append(
            {
                "type": "circle",
                "x0": x - _RADIUS,
                "x1": x + _RADIUS,
                "y0": y - _RADIUS,
                "y1": y + _RADIUS,
                "fillcolor": COLOURS[k],
                "opacity": 0.28,
                "layer": "below",
                "line": {"color": COLOURS[k], "width": 2.5},
            }
        )
    counts: dict[Any, int] = dict(zip(table["members"], table["count"], strict=True))
    places = _PARTS[n]
    # Text in the template's colour, so that it follows the theme.
    figure.add_scatter(
        x=[x for x, _ in places.values()],
        y=[y for _, y in places.values()],
        mode="text",
        hoverinfo="skip",
        text=[f"{counts.get(members, 0):,}" for members in places],
        textfont={"size": FONT_SIZE + 5},
    )
    figure.add_scatter(
        x=[x for x, _ in _NAMES[n]],
        y=[y for _, y in _NAMES[n]],
        mode="text",
        hoverinfo="skip",
        text=[f"<b>{marked_up(name)}</b>" for name in names],
        textfont={"size": FONT_SIZE + 1},
    )
    return arrange(
        figure,
        title,
        430,
        shapes=shapes,
        showlegend=False,
        xaxis={"visible": False, "range": [-3, 3]},
        yaxis={"visible": False, "range": [-2, 1.8], "scaleanchor": "x"},
    )


def _upset(table: pd.DataFrame, names: Sequence[str], title: str, axis: str) -> go.Figure:
    """Bars for the parts; below each bar, connected dots mark its vocabularies."""
    table = table.head(20)
    figure = go.Figure()
    x = list(range(len(table)))
    called = [marked_up(joined(names, members)) for members in table["members"]]
    figure.add_bar(
        x=x,
        y=table["count"],
        marker={"color": BLUE},
        text=[f"{count:,}" for count in table["count"]],
        textposition="outside",
        cliponaxis=False,
        customdata=called,
        hovertemplate="%{customdata}: %{y:,}<extra></extra>",
        showlegend=False,
    )
    for column, members in enumerate(table["members"]):
        rows = [len(names) - 1 - k for k in range(len(names))]
        own = [len(names) - 1 - k for k in members]
        figure.add_scatter(
            x=[column] * len(rows),
            y=rows,
            mode="markers",
            yaxis="y2",
            hoverinfo="skip",
            marker={"size": 11, "color": GREY, "opacity": 0.25},
            showlegend=False,
        )
        figure.add_scatter(
            x=[column] * len(own),
            y=own,
            mode="lines+markers",
            yaxis="y2",
            hoverinfo="skip",
            marker={"size": 13, "color": BLUE},
            line={"color": BLUE, "width": 3},
            showlegend=False,
        )
    return arrange(
        figure,
        title,
        300 + 40 * len(names),
        xaxis={"visible": False},
        yaxis={"domain": [0.42, 1], "title": axis, "rangemode": "tozero"},
        yaxis2={
            "domain": [0, 0.36],
            "tickvals": list(range(len(names))),
            "automargin": True,
            "ticktext": [marked_up(name) for name in reversed(names)],
            "range": [-0.6, len(names) - 0.4],
            "showgrid": False,
            "zeroline": False,
        },
    )
