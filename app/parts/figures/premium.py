"""Release year against the tokens that a language takes for what the base language says in one."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.figures.base import FONT_SIZE, Plot, marked_up, nothing_to_show
from app.parts.figures.charts import chart, interval, lines, split
from app.parts.figures.styles import GREY
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE

_HEIGHT = 440
_GAP, _ASIDE = 17.0, 18  # pixels: the height of a baseline's name; from a dot to its label
_PIXELS = _HEIGHT - 90.0  # of the axis
_YEAR = (70.0, 85.0, 105.0)  # pixels of a year, on screens from 1,024 to 1,440 wide
_LETTER = 0.6  # mean width of a letter, in the size of the font
_REACH = 150  # pixels that a label may be above or below its dot
_WIDE = 2  # years to the right of the last one
_LOUD = "GPT"  # the family of the sentence above the figure


def premium_figure(table: pd.DataFrame, baselines: Mapping[str, float], title: str, language: str) -> Plot:
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
    labels = _labels(table, baselines, (bottom, top), language)
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


def _labels(
    table: pd.DataFrame, baselines: Mapping[str, float], ends: tuple[float, float], language: str
) -> list[dict[str, object]]:
    """Names beside the dots, off one another, the dots, and all lines; the loud ones choose first.

    The figure is as wide as the screen: a place is free if it is so at each of `_YEAR` pixels per year. On a phone the
    years are closer together; the style sheet hides the small names there.
    """
    first = int(table["year"].min())

    def height(value: float) -> float:
        return float((np.log10(value) - ends[0]) / (ends[1] - ends[0]) * _PIXELS)

    taken = {year: np.array([*_obstacles(table, baselines, height, year)]) for year in _YEAR}
    names = {year: np.empty((0, 4)) for year in _YEAR}
    labels: list[dict[str, object]] = []
    for _, row in table.sort_values(["is_loud", "value"], ascending=[False, True]).iterrows():
        is_loud, y = bool(row["is_loud"]), height(row["value"])
        text = translate("cost.label", language, name=marked_up(row["title"]), times=row["value"])
        size = FONT_SIZE + 2 if is_loud else FONT_SIZE - 2
        columns = {year: (row["year"] - first + 0.5) * year for year in _YEAR}
        extent = len(text) * size * _LETTER, size * 0.7
        places = [(side, up) for up in sorted(range(-_REACH, _REACH, 3), key=abs) for side in (_ASIDE, -_ASIDE)]
        side, up = next(
            (
                place
                for place in places
                if all(
                    _is_free(_label_box(x, y, place, extent), taken[year])
                    and not any(part.meets_any(names[year]) for part in _leader(x, y, place))
                    for year, x in columns.items()
                )
            ),
            places[0],
        )
        for year, x in columns.items():
            name = _label_box(x, y, (side, up), extent)
            names[year] = np.vstack([names[year], name])
            taken[year] = np.vstack([taken[year], name, *_leader(x, y, (side, up))])
        labels.append(
            {
                "x": row["year"],
                "y": float(np.log10(row["value"])),
                "text": f"<b>{text}</b>" if is_loud else text,
                "font": {"size": size},
                "showarrow": True,
                "arrowhead": 0,
                "arrowwidth": 1,
                "arrowcolor": GREY,
                "standoff": 9 if is_loud else 6,
                "ax": side,
                "ay": -up,
                "xanchor": "left" if side > 0 else "right",
            }
        )
    return labels


def _label_box(x: float, y: float, place: tuple[int, int], extent: tuple[float, float]) -> _Box:
    """Of a label of this width and half height, so far aside and above the dot at `x` and `y`."""
    (side, up), (width, half) = place, extent
    left = x + side - (width if side < 0 else 0)
    return _Box(left, left + width, y + up - half, y + up + half)


def _is_free(label: _Box, taken: np.ndarray) -> bool:
    """Whether a label is inside the figure and meets nothing."""
    return label.left >= 0 and label.top >= 0 and not label.meets_any(taken)


def _leader(x: float, y: float, place: tuple[int, int]) -> list[_Box]:
    """Points of the line from a dot to its label."""
    return [_point(x + place[0] * part, y + place[1] * part, 1) for part in np.linspace(0.2, 0.95, 12)]


def _point(x: float, y: float, reach: float) -> _Box:
    return _Box(x - reach, x + reach, y - reach, y + reach)


def _obstacles(
    table: pd.DataFrame, baselines: Mapping[str, float], height: Callable[[float], float], year: float
) -> Iterator[_Box]:
    """Dots, intervals, points of the families' lines, the baselines, and the names of these at the left."""
    first, last = int(table["year"].min()), int(table["year"].max())
    for name, value in baselines.items():
        y = height(value)
        yield _Box(0, (last - first + _WIDE + 1) * year, y - 2, y + 2)
        yield _Box(0, len(name) * FONT_SIZE * _LETTER, y, y + _GAP)
    for _, rows in table.sort_values("year", kind="stable").groupby("family"):
        at = (rows["year"].to_numpy() - first + 0.5) * year
        up = np.array([height(value) for value in rows["value"]])
        steps = np.linspace(0, len(rows) - 1, 40 * len(rows))
        for x, y in zip(np.interp(steps, range(len(rows)), at), np.interp(steps, range(len(rows)), up), strict=True):
            yield _point(x, y, 2)
        for x, y, low, high in zip(at, up, rows["low"], rows["high"], strict=True):
            yield _point(x, y, 9)
            yield _Box(x - 2, x + 2, height(low), height(high))
