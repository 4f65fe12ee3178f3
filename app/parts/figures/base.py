"""Shared by the figures: type, axes, and the layout of an empty one.

No figure sets the colour of its text: Streamlit's template follows a change of theme in the browser, a colour in the
figure would not.
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import Any, cast
from unicodedata import east_asian_width

import pandas as pd
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure, BaseTraceType, convert_to_base64

from app.texts.catalogue import translate
from engine.unigram.model.levels import LEVELS

# Legible from the last row of a classroom.
FONT_SIZE = 14
TITLE_SIZE = 17
HEIGHT = 440
# Columns in a line of a title: as many as fit on a phone, where the style sheet makes titles smaller; and in a figure
# that has a third of the page.
TITLE_COLUMNS, THIRD_COLUMNS = 52, 26

Axis = dict[str, object]
Trace = dict[str, Any]
Spec = dict[str, Any]  # traces and layout, or one of them

# Labels have their margin: measuring whether one leaves the figure takes a tenth of the time to draw it.
_AXIS: Axis = {
    "automargin": True,
    "ticklabeloverflow": "allow",
    "title": {"font": {"size": FONT_SIZE}},
    "tickfont": {"size": FONT_SIZE - 1},
}

# Layout with a short legend between title and plot.
LEGEND_ON_TOP: dict[str, Any] = {"legend": {"yref": "paper", "y": 1.02}, "margin": {"t": 78}}


def marked_up(text: str) -> str:
    """User text escaped for a label, hover or annotation, where Plotly reads `<b>` and `<0xEC>` as markup."""
    return escape(text, quote=False)


def broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces if possible; an East Asian character takes two columns.

    >>> broken("글자 letters", 8)
    ['글자', 'letters']
    """
    lines = []
    while (end := _fitting(text, width)) < len(text):
        cut = text.rfind(" ", 1, end + 1)
        cut = cut if cut > 0 else end
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*lines, text]


def _fitting(text: str, width: int) -> int:
    """Number of characters that fit, at least one."""
    ends = accumulate(2 if east_asian_width(char) in "WF" else 1 for char in text)
    return max(1, sum(end <= width for end in ends))


class Plot(BaseFigure):
    """A figure as plain data, which Streamlit takes as one of Plotly's.

    Plotly checks every property of its own figures and copies all of them: two thirds of what another round costs. This
    one is checked where it is looked at through `data` or `layout`, which the tests do with every kind.
    """

    def __init__(self, traces: Sequence[Trace], layout: Mapping[str, object]) -> None:
        self._spec: Spec = {"data": list(traces), "layout": layout}

    def to_dict(self) -> dict[str, object]:
        """What the browser gets: arrays in base64, and nothing that is None."""
        plain = cast(dict[str, object], _plain(self._spec))
        convert_to_base64(plain)
        return plain

    def resized(self, height: int) -> "Plot":
        return Plot(self._spec["data"], {**self._spec["layout"], "height": height})

    @property
    def spec(self) -> Spec:
        """Traces and layout, unchecked."""
        return self._spec

    @property
    def data(self) -> tuple[BaseTraceType, ...]:
        return go.Figure(_plain(self._spec)).data

    @property
    def layout(self) -> go.Layout:
        return go.Figure(_plain(self._spec)).layout


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    if isinstance(value, pd.Series | pd.DataFrame):
        return value.to_numpy()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def arrange(
    traces: Sequence[Trace],
    title: str,
    height: int = HEIGHT,
    *,
    title_size: int = TITLE_SIZE,
    title_columns: int = TITLE_COLUMNS,
    **layout: object,
) -> Plot:
    """A figure with its title, the shared layout, and additions from `layout`."""
    lines = broken(title, title_columns)
    shared: dict[str, object] = {
        "title": {
            "text": "<br>".join(lines),
            "font": {"size": title_size},
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 0.98,
            "yanchor": "top",
            # Plotly places the base line of the first of several lines where the top of a single one would be.
            "pad": {"t": round(0.9 * title_size) if len(lines) > 1 else 0},
        },
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 48, "b": 10},
        "font": {"size": FONT_SIZE},
        "legend": {
            "orientation": "h",
            "yref": "container",
            "yanchor": "bottom",
            "y": 0,
            "x": 0,
            "font": {"size": FONT_SIZE},
        },
        "hoverlabel": {"font": {"size": FONT_SIZE}},
        # Keep the reader's zoom when the numbers change.
        "uirevision": "fixed",
        "xaxis": _AXIS,
        "yaxis": _AXIS,
    }
    merged: dict[str, Any] = _merged(shared, layout)
    merged["margin"]["t"] += round(1.3 * title_size) * (len(lines) - 1)
    return Plot(traces, merged)


def _merged(base: Mapping[str, object], extra: Mapping[str, object]) -> dict[str, object]:
    """Merge nested dictionaries; `extra` wins. A string is a title's text."""
    merged = dict(base)
    for key, value in extra.items():
        if key == "title" and isinstance(value, str):
            value = {"text": value}
        inner = merged.get(key, {})
        merged[key] = _merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return merged


def nothing_to_show(title: str, language: str, height: int = HEIGHT) -> Plot:
    empty = {"text": translate("figure.empty", language), "showarrow": False, "font": {"size": FONT_SIZE + 2}}
    hidden = {"visible": False}
    return arrange([], title, height, annotations=[empty], xaxis=hidden, yaxis=hidden)


def upright_line(x: float, colour: str, width: float) -> dict[str, object]:
    line = {"color": colour, "width": width, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def power_of_ten(exponent: int) -> str:
    """`10<sup>−3</sup>`, as Plotly reads it."""
    return f"10<sup>{exponent}</sup>".replace("-", "−")


def power_axis(low: float, high: float, title: str) -> Axis:
    """An axis of base-10 exponents, with ticks written as powers."""
    first, last = int(low // 1), int(-(-high // 1))
    step = max(1, round((last - first) / 8))
    ticks = list(range(first, last + 1, step))
    return {"title": title, "tickvals": ticks, "ticktext": [power_of_ten(tick) for tick in ticks], "range": [low, high]}


def level_names(language: str) -> dict[str, str]:
    return {level: translate(f"figure.level.{level}", language) for level in LEVELS}


def unit_name(unit: str, language: str) -> str:
    return translate(f"figure.unit.{unit}", language)
