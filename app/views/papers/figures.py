"""The curve of a sentence: a model's predictive entropy at each character, and the cuts of two methods."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from app.parts.figures.base import arrange, marked_up
from engine.pictures.palette import BLUE, GREEN, VERMILLION


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
