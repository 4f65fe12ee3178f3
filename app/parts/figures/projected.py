"""A figure on a projector: no letter below 20 px, and names at the ends of lines instead of a legend."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, log10
from typing import TypeVar, cast

import numpy as np

from app.parts.figures.base import FONT_SIZE, HEIGHT, Plot, Spec, Trace

_Value = TypeVar("_Value")

LEAST = 20
_MORE = LEAST - FONT_SIZE
TALLEST = 540  # what is left of 720 px below the heading
_MOST_NAMES = 8
# A number that does not fit on its bar or in its cell is not made smaller.
_NUMBERS: dict[str, Trace] = {"bar": {"constraintext": "inside"}, "heatmap": {"textfont": {"size": LEAST}}}
# Of a name at the end of its line, in px.
_COLUMN, _LINE, _GAP = 11.5, 24, 10


def projected(figure: Plot) -> Plot:
    layout = _enlarged(figure.spec["layout"])
    layout["margin"]["t"] += _MORE + round(1.3 * _MORE) * layout["title"]["text"].count("<br>")
    layout["height"] = TALLEST if HEIGHT <= layout["height"] < TALLEST else layout["height"]
    for axis in [name for name in layout if name[1:].startswith("axis")]:
        layout[axis] = {"tickfont": {"size": LEAST}, **layout[axis]}
    traces = [_enlarged(trace) | _NUMBERS.get(trace["type"], {}) for trace in figure.spec["data"]]
    if _can_name_ends(traces):
        _name_ends(traces, layout)
    if layout["legend"]["yref"] == "container" or layout.get("showlegend") is False:
        _lay_down_title(layout)
    return Plot(traces, layout)


def _lay_down_title(layout: Spec) -> None:
    """The title of the vertical axis above it, where it is as long as it likes."""
    text = layout["yaxis"]["title"].pop("text", None)
    if text:
        corner = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        note = {**corner, "yshift": _GAP, "text": text, "showarrow": False, "font": {"size": LEAST}}
        layout["annotations"] = [*layout.get("annotations", ()), note]
        layout["margin"]["t"] += _LINE


def _enlarged(value: _Value, name: str = "") -> _Value:
    larger: object = value
    if isinstance(value, Mapping):
        larger = {key: _enlarged(part, name if key == "size" else key) for key, part in value.items()}
    elif isinstance(value, list | tuple):
        larger = [_enlarged(part, name) for part in value]
    elif name.endswith("font") and isinstance(value, int | float) and value < LEAST:
        larger = max(LEAST, value + _MORE)
    return cast(_Value, larger)


def _can_name_ends(traces: Sequence[Trace]) -> bool:
    """Whether the legend lists a few lines, and only lines of one pair of axes."""
    listed = [trace for trace in traces if trace.get("name") and trace.get("showlegend") is not False]
    are_lines = all("lines" in trace.get("mode", "") and not {"xaxis", "yaxis"} & trace.keys() for trace in listed)
    return are_lines and 2 <= len(listed) <= _MOST_NAMES


def _name_ends(traces: Sequence[Trace], layout: Spec) -> None:
    """The name of each line right of its last point, moved up or down until no two overlap."""
    across, down = (_scale(layout.get(axis, {})) for axis in ("xaxis", "yaxis"))
    points = [(trace, *last) for trace in traces if trace.get("name") and (last := _last_point(trace))]
    heights = [down(y) for trace in traces for y in trace["y"] if _is_number(y)]
    low, high = layout.get("yaxis", {}).get("range") or (min(heights, default=0), max(heights, default=1))
    per_unit = 0.7 * layout["height"] / ((high - low) or 1)
    names = sorted(points, key=lambda point: down(point[2]))
    places: list[float] = []
    for _, _, y in names:
        wanted = per_unit * down(y)
        places.append(max(wanted, places[-1] + _LINE) if places else wanted)
    drift = float(np.mean([place - per_unit * down(y) for place, (_, _, y) in zip(places, names, strict=True)] or [0]))
    notes = [
        {
            "x": across(x),
            "y": down(y),
            "text": f'<span style="color:{trace["line"]["color"]}">●</span> {trace["name"]}',
            "xanchor": "left",
            "xshift": _GAP,
            "yshift": round(place - drift - per_unit * down(y)),
            "showarrow": False,
            "font": {"size": LEAST},
        }
        for place, (trace, x, y) in zip(places, names, strict=True)
    ]
    layout["annotations"] = [*layout.get("annotations", ()), *notes]
    layout["showlegend"] = False
    layout["margin"]["r"] += round(_COLUMN * max(len(trace["name"]) for trace, _, _ in names) + 2 * _GAP)


def _scale(axis: Spec) -> Callable[[float], float]:
    """Places on an axis, as annotations name them."""
    return (lambda value: log10(value) if value > 0 else 0.0) if axis.get("type") == "log" else (lambda value: value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and isfinite(value)


def _last_point(trace: Trace) -> tuple[float, float] | None:
    """The last with a number; None without."""
    pairs = [(x, y) for x, y in zip(trace["x"], trace["y"], strict=True) if _is_number(y)]
    return pairs[-1] if pairs else None
