"""A class' answers as a strip of 78 px above the figure of a lesson. Does not import Streamlit."""

from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import Any

import plotly.graph_objects as go

from app.lessons.questions.numbers import Numbers
from app.parts.figures.base import arrange, broken, filled, marked_up
from engine.pictures.palette import BLUE, GREEN, VERMILLION

_HEIGHT = 78
_SIZE, _TICK_SIZE = 17, 13
# Shares of the width: of the whole for the head, and of a place for what is in it.
_HEAD, _FILLED = 0.13, 0.92
# Columns of all labels together, and the lines of each, that fit.
_COLUMNS, _LINES = 112, 2
_BAR, _MOST_BARS = 14, 24


def tally_strip(head: str, labels: Sequence[str], counts: Sequence[int], is_right: Sequence[bool]) -> go.Figure:
    """The options side by side, each with its count above a bar; the right ones differ in colour and pattern."""
    figure, width = go.Figure(), (1 - _HEAD) / len(labels)
    most, notes = max(counts, default=0) or 1, [_head(head)]
    for k, label in enumerate(labels):
        begin = _HEAD + k * width
        figure.add_bar(
            x=[_FILLED * width * counts[k] / most],
            y=[_BAR / 2],
            base=begin,
            orientation="h",
            width=_BAR,
            marker=filled(GREEN, "/") if is_right[k] else filled(BLUE, ""),
            customdata=[[marked_up(label), counts[k]]],
            hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
        )
        lines = broken(label, _COLUMNS // len(labels))[:_LINES]
        text = f"{'<br>'.join(map(marked_up, lines))} &nbsp;<b>{counts[k]}</b>{' ✓' if is_right[k] else ''}"
        notes.append(_note(text, begin, (_BAR + 4) / _HEIGHT))
    axes = {"xaxis": {"visible": False, "range": [0, 1]}, "yaxis": {"visible": False, "range": [0, _HEIGHT]}}
    return _strip(figure, 0, 0, notes, **axes)


def numbers_strip(
    head: str,
    question: Numbers,
    said: Sequence[tuple[float | None, ...]],
    middle: Sequence[float],
    titles: Sequence[str],
) -> go.Figure:
    """A histogram for each number, side by side, with the median of the class and the right number.

    Parameters
    ----------
    middle, titles : the median and the title of each.
    """
    figure, width = go.Figure(), (1 - _HEAD) / len(titles)
    notes, lines, axes = [_head(head)], [], {}
    for k, title in enumerate(titles):
        known = [number for one in said if (number := one[k]) is not None]
        begin, axis = _HEAD + k * width, f"x{k + 1}"
        figure.add_trace(_histogram(known, question.step).update(xaxis=axis))
        notes.append(_note(marked_up(title), begin, 1))
        lines.append(_line(axis, middle[k], VERMILLION))
        lines += [_line(axis, question.right[k], GREEN)] if question.right else []
        axes[f"xaxis{k + 1}"] = _axis(question, known, (begin, begin + _FILLED * width))
    return _strip(figure, 26, 24, notes, shapes=lines, yaxis={"visible": False, "range": [0, 1]}, **axes)


def _histogram(numbers: Sequence[float], step: float) -> go.Bar:
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    width = step * max(1, ceil((high - low) / step / _MOST_BARS))
    bars = Counter(round((number - low) / width) for number in numbers)
    most = max(bars.values(), default=1)
    return go.Bar(
        x=[low + k * width for k in bars],
        y=[count / most for count in bars.values()],
        customdata=list(bars.values()),
        width=0.9 * width,
        marker=filled(BLUE, ""),
        hovertemplate="%{x}: %{customdata}<extra></extra>",
    )


def _axis(question: Numbers, known: Sequence[float], domain: tuple[float, float]) -> dict[str, object]:
    """It begins where the slider begins, and ends there too, or where the numbers end."""
    last = question.high if question.is_slider else max(*known, *question.right, question.low + 1)
    half = question.step / 2
    return {
        "domain": list(domain),
        "range": [question.low - half, last + half],
        "tick0": question.low,
        "nticks": 8,
        "tickfont": {"size": _TICK_SIZE},
        "ticksuffix": question.unit,
        "automargin": False,
    }


def _line(axis: str, x: float, colour: str) -> dict[str, object]:
    line = {"color": colour, "width": 3, "dash": "dot"}
    return {"type": "line", "xref": axis, "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}


def _head(text: str) -> dict[str, object]:
    return _note(f"<b>{marked_up(text)}</b>", 0, 0.5) | {"yanchor": "middle"}


def _note(text: str, x: float, y: float) -> dict[str, object]:
    """Text whose lower left corner is at a place of the plot."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": _SIZE},
    }


def _strip(figure: go.Figure, top: int, bottom: int, notes: Sequence[dict[str, object]], **layout: Any) -> go.Figure:
    margin = {"l": 0, "r": 0, "t": top, "b": bottom}
    return arrange(figure, "", _HEIGHT, margin=margin, annotations=notes, showlegend=False, barmode="overlay", **layout)
