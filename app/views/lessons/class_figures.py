"""What a class answered, as pictures. Knows no Streamlit."""

from collections.abc import Sequence

import plotly.graph_objects as go

from app.parts.figures.base import BLUE, GREEN, VERMILLION, arrange, filled, marked_up, upright_line

# Read from the last row.
_SIZE = 18


def tally_figure(labels: Sequence[str], counts: Sequence[int], is_right: Sequence[bool], title: str) -> go.Figure:
    """A bar for every option, the right ones by colour and pattern."""
    figure = go.Figure()
    for right, colour, pattern in ((False, BLUE, ""), (True, GREEN, "/")):
        rows = [k for k in range(len(labels)) if is_right[k] == right]
        figure.add_bar(
            x=[counts[k] for k in rows], y=[marked_up(labels[k]) for k in rows], orientation="h",
            text=[counts[k] for k in rows], marker=filled(colour, pattern),
            textfont={"size": _SIZE}, textposition="outside",
            hovertemplate="%{y}: %{x}<extra></extra>", cliponaxis=False,
        )  # fmt: skip
    order = [marked_up(label) for label in labels][::-1]
    yaxis = {"categoryorder": "array", "categoryarray": order, "tickfont": {"size": _SIZE}}
    return arrange(
        figure,
        title,
        100 + 52 * len(labels),
        showlegend=False,
        barmode="overlay",
        xaxis={"visible": False},
        yaxis=yaxis,
    )


def numbers_figure(numbers: Sequence[float], right: float | None, middle: float, title: str, axis: str) -> go.Figure:
    """A histogram of one number, with the median of the class and, where there is one, the right number."""
    figure = go.Figure(go.Histogram(x=list(numbers), nbinsx=24, marker=filled(BLUE, "")))
    lines = [upright_line(middle, VERMILLION, 2.5)]
    if right is not None:
        lines.append(upright_line(right, GREEN, 3.5))
    return arrange(figure, title, 300, shapes=lines, bargap=0.06, xaxis={"title": marked_up(axis)})
