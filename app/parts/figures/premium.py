"""Release year against the tokens that a language takes for what the base language says in one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import hypot
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.figures.base import FONT_SIZE, Plot, marked_up, nothing_to_show
from app.parts.figures.charts import chart, interval, lines, split
from app.parts.figures.projected import LEAST, TALLEST
from app.parts.figures.styles import GREY
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE

_HEIGHT = 440
_ASIDES = (18, -18, 60, -60)  # pixels from a dot to its label
_LETTER = 0.55  # mean width of a letter, in the size of the font
_REACH = 240  # pixels that a label may be above or below its dot
_PLACES = sorted(product(_ASIDES, range(-_REACH, _REACH, 3)), key=lambda place: hypot(*place))
_TRIES = 3
_WIDE = 2  # years to the right of the last one
_Place = tuple[int, int]  # pixels aside and above the dot
_LOUD = "GPT"  # the family of the sentence above the figure


class _Screen(NamedTuple):
    """Where names find room, in pixels.

    Attributes
    ----------
    axis : height of the axis.
    years : width of a year, one for each width of the figure that names must suit.
    quiet, loud : sizes of letters.
    baseline : height of a baseline's name.
    """

    axis: float
    years: tuple[float, ...]
    quiet: int
    loud: int
    baseline: float


_DESK = _Screen(_HEIGHT - 90.0, (70.0, 85.0, 105.0), FONT_SIZE - 2, FONT_SIZE + 2, 17.0)  # 1,024 to 1,440 wide
_PROJECTOR = _Screen(TALLEST - 125.0, (115.0,), LEAST, LEAST + 2, 28.0)


def premium_figure(
    table: pd.DataFrame, baselines: Mapping[str, float], title: str, language: str, is_projected: bool = False
) -> Plot:
    """A dot per tokenizer at its year, with its interval; a line joins the tokenizers of one family, GPT is loud.

    Parameters
    ----------
    table : columns title, family, year, value, low, high.
    baselines : values of the upright measures that are no tokenizers, drawn as lines, by label.
    """
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    table = table.assign(
        is_loud=table["family"] == _LOUD, has_line=table.groupby("family")["year"].transform("nunique") > 1
    )
    unit = translate("cost.label", language, name="", times=0.0).partition("0.0")[2]
    first, last = int(table["year"].min()), int(table["year"].max())
    bottom, top = _range(table, baselines)
    traces = lines(
        [part._replace(rows=part.rows.sort_values("year", kind="stable")) for part in split(table, "family")],
        "year",
        "value",
        f"%{{customdata[0]}}: %{{y:.2f}}{unit} (%{{customdata[1]}} – %{{customdata[2]}})",
        mode=lambda rows: "lines+markers" if rows["has_line"].all() else "markers",
        line=lambda rows: {"color": BLUE, "width": 3} if rows["is_loud"].any() else {"color": GREY, "width": 1},
        marker=lambda rows: {"size": 15 if rows["is_loud"].any() else 9},
        error_y=interval("value", thickness=1.5, width=0),
        customdata=lambda rows: rows[["title", "low", "high"]].map(_hover),
        showlegend=False,
    )
    labels = _labels(table, baselines, (bottom, top), language, _PROJECTOR if is_projected else _DESK)
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "line": {"color": GREY, "dash": "dot"}}
    note = {"x": 0, "xref": "x domain", "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    notes = [note | {"y": float(np.log10(y)), "text": marked_up(text)} for text, y in baselines.items()]
    ticks = [one for one in (0.5, 0.7, 1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20) if bottom <= np.log10(one) <= top]
    xaxis = {"tickvals": list(range(first, last + 1)), "range": [first - 0.5, last + _WIDE]}
    texts = [f"{tick:g}{unit}" for tick in ticks]
    yaxis = {
        "title": translate("cost.axis", language),
        "type": "log",
        "range": [bottom, top],
        "tickvals": ticks,
        "ticktext": texts,
    }
    shapes, notes = [line | {"y0": y, "y1": y} for y in baselines.values()], [*labels, *notes]
    return chart(traces, title, language, _HEIGHT, shapes=shapes, annotations=notes, xaxis=xaxis, yaxis=yaxis)


def _hover(cell: object) -> object:
    return f"{cell:.2f}" if isinstance(cell, float) else marked_up(str(cell))


def _range(table: pd.DataFrame, baselines: Mapping[str, float]) -> tuple[float, float]:
    values = np.log10([*table["low"], *table["high"], *baselines.values()])
    return float(values.min()) - 0.04, float(values.max()) + 0.05


class _Box(NamedTuple):
    """A rectangle that a label must leave free, in pixels from the left and the bottom of the axes."""

    left: float
    right: float
    bottom: float
    top: float

    def meets_any(self, boxes: np.ndarray) -> bool:
        left, right, bottom, top = boxes.T
        return bool(((self.left < right) & (left < self.right) & (self.bottom < top) & (bottom < self.top)).any())


class _Name(NamedTuple):
    """A tokenizer's name beside its dot.

    Attributes
    ----------
    columns, height : of the dot in pixels, a column for each width of a year.
    extent : width and half height of the text, in pixels.
    """

    year: int
    value: float
    text: str
    is_loud: bool
    size: int
    columns: tuple[float, ...]
    height: float
    extent: tuple[float, float]

    def is_free(self, place: _Place, taken: Sequence[np.ndarray], names: Sequence[np.ndarray]) -> bool:
        """Whether the name meets nothing there, and its leader no other name, at each width of a year."""
        return all(
            _is_free(_label_box(x, self.height, place, self.extent), boxes)
            and not any(part.meets_any(others) for part in _leader(x, self.height, place))
            for x, boxes, others in zip(self.columns, taken, names, strict=True)
        )

    def label(self, side: int, up: int) -> dict[str, object]:
        return {
            "x": self.year,
            "y": float(np.log10(self.value)),
            "text": f"<b>{self.text}</b>" if self.is_loud else self.text,
            "font": {"size": self.size},
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1,
            "arrowcolor": GREY,
            "standoff": 9 if self.is_loud else 6,
            "ax": side,
            "ay": -up,
            "xanchor": "left" if side > 0 else "right",
        }


def _labels(
    table: pd.DataFrame, baselines: Mapping[str, float], ends: tuple[float, float], language: str, screen: _Screen
) -> list[dict[str, object]]:
    """Names beside the dots, off one another, the dots, and all lines; the loud ones choose first.

    The figure is as wide as the screen: a place is free if it is so at each width of a year. On a phone the
    years are closer together; the style sheet hides the small names there.
    """
    first = int(table["year"].min())

    def height(value: float) -> float:
        return float((np.log10(value) - ends[0]) / (ends[1] - ends[0]) * screen.axis)

    obstacles = {
        year: np.array([*_obstacles(table, baselines, height, year, screen.baseline)]) for year in screen.years
    }
    names: list[_Name] = []
    for _, row in table.sort_values(["is_loud", "value"], ascending=[False, True]).iterrows():
        text = translate("cost.label", language, name=marked_up(row["title"]), times=row["value"])
        is_loud, size = bool(row["is_loud"]), screen.loud if row["is_loud"] else screen.quiet
        columns = tuple((row["year"] - first + 0.5) * year for year in screen.years)
        extent = len(text) * size * _LETTER, size * 0.6
        names.append(_Name(row["year"], row["value"], text, is_loud, size, columns, height(row["value"]), extent))
    return [name.label(*place) for name, place in _placed(names, [*obstacles.values()])]


def _placed(names: Sequence[_Name], obstacles: Sequence[np.ndarray]) -> list[tuple[_Name, _Place]]:
    """Every name with its place; one that finds none chooses right after the loud ones when all choose anew."""
    order, placed, least = list(names), [], len(names) + 1
    for _ in range(_TRIES):
        places, homeless = _choose_in_turn(order, obstacles)
        if len(homeless) < least:
            placed, least = [*zip(order, places, strict=True)], len(homeless)
        if not homeless:
            break
        order = [*homeless, *(name for name in order if name not in homeless)]
        order.sort(key=lambda name: not name.is_loud)
    return placed


def _choose_in_turn(order: Sequence[_Name], obstacles: Sequence[np.ndarray]) -> tuple[list[_Place], list[_Name]]:
    """The place of each, and those that found only one where lines or dots are."""
    nothing = [np.empty((0, 4)) for _ in obstacles]
    taken, names = [*obstacles], [*nothing]
    places: list[_Place] = []
    homeless: list[_Name] = []
    for name in order:
        place = next((place for place in _PLACES if name.is_free(place, taken, names)), None)
        if place is None:
            place = next((place for place in _PLACES if name.is_free(place, names, nothing)), _PLACES[0])
            homeless.append(name)
        places.append(place)
        for k, x in enumerate(name.columns):
            box = _label_box(x, name.height, place, name.extent)
            names[k] = np.vstack([names[k], box])
            taken[k] = np.vstack([taken[k], box, *_leader(x, name.height, place)])
    return places, homeless


def _label_box(x: float, y: float, place: _Place, extent: tuple[float, float]) -> _Box:
    """Of a label of this width and half height, so far aside and above the dot at `x` and `y`."""
    (side, up), (width, half) = place, extent
    left = x + side - (width if side < 0 else 0)
    return _Box(left, left + width, y + up - half, y + up + half)


def _is_free(label: _Box, taken: np.ndarray) -> bool:
    """Whether a label is inside the figure and meets nothing."""
    return label.left >= 0 and label.top >= 0 and not label.meets_any(taken)


def _leader(x: float, y: float, place: _Place) -> list[_Box]:
    """Points of the line from a dot to its label, outside the dot."""
    length = float(np.hypot(*place))
    return [_point(x + place[0] * part, y + place[1] * part, 1) for part in np.arange(9, length, 8) / length]


def _point(x: float, y: float, reach: float) -> _Box:
    return _Box(x - reach, x + reach, y - reach, y + reach)


def _obstacles(
    table: pd.DataFrame, baselines: Mapping[str, float], height: Callable[[float], float], year: float, line: float
) -> Iterator[_Box]:
    """Dots, intervals, points of the families' lines, the baselines, and the names of these at the left."""
    first, last = int(table["year"].min()), int(table["year"].max())
    for name, value in baselines.items():
        y = height(value)
        yield _Box(0, (last - first + _WIDE + 1) * year, y - 2, y + 2)
        yield _Box(0, len(name) * FONT_SIZE * _LETTER, y, y + line)
    for _, rows in table.sort_values("year", kind="stable").groupby("family"):
        at = (rows["year"].to_numpy() - first + 0.5) * year
        up = np.array([height(value) for value in rows["value"]])
        steps = np.linspace(0, len(rows) - 1, 40 * len(rows))
        for x, y in zip(np.interp(steps, range(len(rows)), at), np.interp(steps, range(len(rows)), up), strict=True):
            yield _point(x, y, 2)
        for x, y, low, high in zip(at, up, rows["low"], rows["high"], strict=True):
            yield _point(x, y, 9)
            yield _Box(x - 2, x + 2, height(low), height(high))
