"""Figures of a class' answers. Does not import Streamlit."""

from collections import Counter
from collections.abc import Sequence
from math import ceil

from app.parts.figures.base import Plot, Trace, arrange, broken, marked_up, upright_line
from app.parts.figures.styles import filled
from engine.pictures.palette import BLUE, GREEN, VERMILLION

# Read from the last row on.
_SIZE = 18
_MOST_BARS = 24
# Columns of a label that fit half of a projected page.
_COLUMNS = 44
_TITLE, _BAR, _LINE_HEIGHT = 44, 26, 25


def tally_figure(labels: Sequence[str], counts: Sequence[int], is_right: Sequence[bool], title: str) -> Plot:
    """One bar per option with its label and count above it; the right ones differ in colour and pattern."""
    lines = [broken(label, _COLUMNS) for label in labels]
    heights = [_LINE_HEIGHT * len(parts) + _BAR for parts in lines]
    total = sum(heights)
    traces: list[Trace] = []
    for right, colour, pattern in ((False, BLUE, ""), (True, GREEN, "/")):
        rows = [k for k in range(len(labels)) if is_right[k] == right]
        bar = {
            "type": "bar",
            "x": [counts[k] for k in rows],
            "y": [total - sum(heights[: k + 1]) + _BAR / 2 for k in rows],
            "orientation": "h",
            "width": _BAR / 2,
            "marker": filled(colour, pattern),
            "customdata": [marked_up(labels[k]) for k in rows],
            "hovertemplate": "%{customdata}: %{x}<extra></extra>",
        }
        traces.append(bar)
    above = [
        {
            "x": 0,
            "xanchor": "left",
            "xref": "paper",
            "y": total - sum(heights[:k]),
            "yanchor": "top",
            "showarrow": False,
            "align": "left",
            "font": {"size": _SIZE},
            "text": f"{'<br>'.join(map(marked_up, parts))} &nbsp;<b>{counts[k]}</b>",
        }
        for k, parts in enumerate(lines)
    ]
    return arrange(
        traces,
        title,
        _TITLE + total,
        showlegend=False,
        barmode="overlay",
        margin={"t": _TITLE, "b": 0},
        annotations=above,
        xaxis={"visible": False, "range": [0, max(counts, default=0) or 1]},
        yaxis={"visible": False, "range": [0, total]},
    )


def numbers_figure(
    numbers: Sequence[float],
    step: float,
    begin: float,
    end: float | None,
    right: float | None,
    middle: float,
    title: str,
    axis: str,
    height: int = 230,
) -> Plot:
    """A histogram of numeric answers, with the median of the class and, if there is one, the right number.

    Parameters
    ----------
    step : between two possible answers; bars are widened so that there are at most 24.
    begin, end : of the axis, as of the slider; without an end it is where the numbers end.
    """
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    width = float(step * max(1, ceil((high - low) / step / _MOST_BARS)))
    bars = Counter(round((number - low) / width) for number in numbers)
    lines = [upright_line(middle, VERMILLION, 2.5)]
    if right is not None:
        lines.append(upright_line(right, GREEN, 3.5))
    last = max(high, right or 0.0, middle) if end is None else end
    xaxis: dict[str, object] = {"title": marked_up(axis), "range": [begin - width / 2, last + width / 2]}
    if width.is_integer():
        xaxis |= {"tick0": begin, "dtick": width * max(1, ceil((last - begin) / width / 8))}
    drawn = {
        "type": "bar",
        "x": [low + k * width for k in bars],
        "y": list(bars.values()),
        "width": 0.9 * width,
        "marker": filled(BLUE, ""),
        "hovertemplate": "%{x}: %{y}<extra></extra>",
    }
    return arrange(
        [drawn], title, height, shapes=lines, xaxis=xaxis, yaxis={"dtick": ceil(max(bars.values(), default=1) / 4)}
    )
