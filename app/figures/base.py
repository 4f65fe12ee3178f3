"""What the figures share: colours, type, and the frame of an empty one.

No figure sets the colour of its text: Streamlit's template follows a change of theme in the browser, a colour that is
written into the figure would not. Colours of marks are middle tones that are legible on white and on black.
"""

from html import escape
from typing import Any

import plotly.graph_objects as go

from app.catalogue import translate
from app.tables.tokens import BYTE, KEPT, REMOVED

BLUE, VERMILLION, GREEN, PINK, OCHRE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#808691"

LEVEL_COLOURS = {"byte": GREY, "character": OCHRE, "word": BLUE, "phrase": GREEN}
LEVEL_PATTERNS = {"byte": ".", "character": "/", "word": "", "phrase": "x"}

FATE_COLOURS = {KEPT: BLUE, REMOVED: VERMILLION, BYTE: GREY}
FATE_SYMBOLS = {KEPT: "circle", REMOVED: "x", BYTE: "diamond-open"}

FATE_PATTERNS = {KEPT: "", REMOVED: "x", BYTE: "/"}

# Legible from the last row of a class room.
FONT_SIZE = 14
_TITLE_SIZE = 17

Axis = dict[str, Any]


def filled(colour: str, shape: str) -> dict[str, Any]:
    """Marker of bars: a colour, and a pattern over it for eyes and printers that do not tell colours apart."""
    pattern = {
        "shape": shape,
        "fillmode": "overlay",
        "size": 7,
        "solidity": 0.18,
        "fgcolor": "white",
        "fgopacity": 0.55,
    }
    return {"color": colour, "line": {"width": 0}, "pattern": pattern}


def marked_up(text: str) -> str:
    """User text for a label, a hover or an annotation: Plotly reads `<b>` and `<0xEC>` there as markup."""
    return escape(text, quote=False)


def arrange(figure: go.Figure, title: str, height: int = 440, **layout: Any) -> go.Figure:
    """Give a figure its title and the layout that all share. Mutates and returns it."""
    figure.update_layout(
        title={"text": title, "font": {"size": _TITLE_SIZE}, "x": 0, "xanchor": "left", "yref": "container", "y": 0.98,
               "yanchor": "top"},
        height=height,
        margin={"l": 10, "r": 10, "t": 48, "b": 10},
        font={"size": FONT_SIZE},
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0,
                "font": {"size": FONT_SIZE}},
        hoverlabel={"font": {"size": FONT_SIZE}},
        # What the reader zoomed into stays when the numbers change.
        uirevision="fixed",
    )  # fmt: skip
    figure.update_xaxes(automargin=True, title_font_size=FONT_SIZE, tickfont_size=FONT_SIZE - 1)
    figure.update_yaxes(automargin=True, title_font_size=FONT_SIZE, tickfont_size=FONT_SIZE - 1)
    figure.update_layout(**layout)
    return figure


def legend_on_top(figure: go.Figure) -> go.Figure:
    """Move a legend of few entries between title and plot. Mutates and returns the figure."""
    figure.update_layout(legend={"yref": "paper", "y": 1.02}, margin={"l": 10, "r": 10, "t": 78, "b": 10})
    return figure


def nothing_to_show(title: str, language: str, height: int = 440) -> go.Figure:
    """A titled figure that says it has no data."""
    figure = go.Figure()
    figure.add_annotation(text=translate("figure.empty", language), showarrow=False, font={"size": FONT_SIZE + 2})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return arrange(figure, title, height)


def power_of_ten(exponent: int) -> str:
    """`10<sup>−3</sup>`, as Plotly reads it."""
    return f"10<sup>{exponent}</sup>".replace("-", "−")


def power_axis(low: float, high: float, title: str) -> Axis:
    """An axis over exponents of ten, its ticks written as powers."""
    first, last = int(low // 1), int(-(-high // 1))
    step = max(1, round((last - first) / 8))
    ticks = list(range(first, last + 1, step))
    return {
        "title": title,
        "tickvals": ticks,
        "ticktext": [power_of_ten(tick) for tick in ticks],
        "range": [low, high],
    }


def unit_name(unit: str, language: str) -> str:
    """`bits` or `nats`, as an axis writes it."""
    return translate(f"figure.unit.{unit}", language)
