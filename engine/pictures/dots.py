"""Values with their intervals: a dot and a line for each, one below the other, over one axis."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.pictures.svg import MARGIN, SvgShape, picture, plain_text
from engine.pictures.text_width import text_width

DOT_LETTERS = 14  # type size of everything
_ROW, _GROUP, _RADIUS, _AXIS = 28, 30, 4.5, 40
_MOST_NAMES = 0.45  # of the width
_AIR = 12
_TICKS = 5
_STEPS = (1, 2, 2.5, 5, 10)


class Dot(NamedTuple):
    """A value; `low` and `high` are the ends of its interval, None if it has none; `group` is a heading above it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    is_best: bool = False
    group: str = ""


class _Scale(NamedTuple):
    """Maps `low` to `high` to x from `left` to `right`."""

    low: float
    high: float
    left: float
    right: float

    def at(self, value: float) -> float:
        """The x of a value."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


def dots(rows: Sequence[Dot], width: float, title: str, axis: str, theme: str = "auto") -> str:
    """The rows below each other; the names of the best are bold, and their dots filled in another colour.

    Parameters
    ----------
    axis : what the values are, below the axis.

    Raises
    ------
    ValueError : there are no rows, a value is not finite, or an interval does not go up.
    """
    _check(rows)
    names = max(text_width(row.name, DOT_LETTERS, 700) for row in rows)
    left = MARGIN + min(names, _MOST_NAMES * width) + _AIR
    ticks, form = _ticks(rows)
    edge = text_width(format(ticks[-1], form), DOT_LETTERS) / 2
    scale = _Scale(ticks[0], ticks[-1], left, max(left + 1, width - MARGIN - edge))
    shapes: list[SvgShape] = []
    y, group = float(MARGIN), ""
    for row in rows:
        if row.group != group:
            shapes.append(plain_text(row.group, MARGIN, y + _GROUP / 2, DOT_LETTERS, width - 2 * MARGIN, fill="faint"))
            y, group = y + _GROUP, row.group
        shapes += _row(row, y + _ROW / 2, scale, left - _AIR - MARGIN)
        y += _ROW
    grid = list(_grid(ticks, form, y, scale))
    shapes.append(plain_text(axis, (left + scale.right) / 2, y + _AXIS - 8, DOT_LETTERS, width, anchor="middle"))
    return picture(width, y + _AXIS + MARGIN, [*grid, *shapes], title, theme=theme)


def _check(rows: Sequence[Dot]) -> None:
    if not rows:
        raise ValueError("there is nothing to draw: give at least one row")
    for row in rows:
        known = [one for one in (row.low, row.value, row.high) if one is not None]
        if not all(map(math.isfinite, known)) or (row.low is None) != (row.high is None):
            raise ValueError(f"{row.name}: a dot needs a finite value, and both ends of its interval or none: {row}")
        if row.low is not None and row.high is not None and row.low > row.high:
            raise ValueError(f"{row.name}: an interval goes up: {row}")


def _ticks(rows: Sequence[Dot]) -> tuple[list[float], str]:
    """Round numbers from below the lowest to above the highest, and their format."""
    values = [one for row in rows for one in (row.value, row.low, row.high) if one is not None]
    low, high = min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / _TICKS))
    step = next(factor * power for factor in _STEPS if span / (factor * power) <= _TICKS)
    first, last = math.floor(low / step), math.ceil(high / step)
    digits = max(0, -math.floor(math.log10(step) + 1e-9) + (round(step / power, 1) == 2.5))
    return [k * step for k in range(first, max(last, first + 1) + 1)], f".{digits}f"


def _row(row: Dot, y: float, scale: _Scale, room: float) -> Iterator[SvgShape]:
    colour = "best" if row.is_best else "blue"
    yield plain_text(row.name, MARGIN, y, DOT_LETTERS, room, 700 if row.is_best else 400)
    if row.low is not None and row.high is not None:
        ends: dict[str, str | float] = {"x1": scale.at(row.low), "x2": scale.at(row.high), "y1": y, "y2": y}
        yield SvgShape("line", {**ends, "stroke": colour, "stroke-width": 2})
    yield SvgShape("circle", {"cx": scale.at(row.value), "cy": y, "r": _RADIUS, "fill": colour})


def _grid(ticks: Sequence[float], form: str, bottom: float, scale: _Scale) -> Iterator[SvgShape]:
    """Hairlines at the ticks, with their numbers where these have room."""
    room = max(text_width(format(tick, form), DOT_LETTERS) for tick in ticks) + _AIR / 2
    free = -math.inf
    for tick in ticks:
        x = scale.at(tick)
        line: dict[str, str | float] = {"x1": x, "x2": x, "y1": MARGIN, "y2": bottom, "stroke": "odd"}
        yield SvgShape("line", line)
        if x >= free:
            yield plain_text(format(tick, form), x, bottom + 10, DOT_LETTERS, room + 99, anchor="middle")
            free = x + room
