"""What a class answered, as pictures. Knows no Streamlit."""

from collections import Counter
from collections.abc import Sequence
from math import ceil

import plotly.graph_objects as go

from app.parts.figures.base import BLUE, GREEN, VERMILLION, arrange, filled, marked_up, upright_line

# Read from the last row.
_SIZE = 18
# Low, so that what the engine computes stands on the same screen.
_HEIGHT = 64
_MOST_BARS = 24


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
        _HEIGHT + 36 * len(labels),
        showlegend=False,
        barmode="overlay",
        xaxis={"visible": False},
        yaxis=yaxis,
    )


def numbers_figure(
    numbers: Sequence[float], step: float, right: float | None, middle: float, title: str, axis: str
) -> go.Figure:
    """A histogram of one number, with the median of the class and, where there is one, the right number.

    Parameters
    ----------
    step : between two answers that can be given; a bar stands for as many of them as it takes for 24 bars at most.
    """
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    width = float(step * max(1, ceil((high - low) / step / _MOST_BARS)))
    bars = Counter(round((number - low) / width) for number in numbers)
    lines = [upright_line(middle, VERMILLION, 2.5)]
    if right is not None:
        lines.append(upright_line(right, GREEN, 3.5))
    xaxis: dict[str, object] = {"title": marked_up(axis)}
    if width.is_integer():
        xaxis |= {"tick0": low, "dtick": width * ceil((max(bars, default=0) + 1) / 8)}
    figure = go.Figure(
        go.Bar(
            x=[low + k * width for k in bars],
            y=list(bars.values()),
            width=0.9 * width,
            marker=filled(BLUE, ""),
            hovertemplate="%{x}: %{y}<extra></extra>",
        )
    )
    return arrange(
        figure,
        title,
        230,
        shapes=lines,
        xaxis=xaxis,
        yaxis={"dtick": ceil(max(bars.values(), default=1) / 4)},
    )
