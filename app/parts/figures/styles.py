"""How a series looks: by colour, and for colour-blind readers and monochrome printers by symbol, dash and pattern.

Colours are middle tones that are legible on white and on black.
"""

from typing import NamedTuple

from app.parts.tables.tokens import BYTE, REMOVED, SURVIVING
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

GREY = "#808691"


class Style(NamedTuple):
    """In Plotly's words; dashes are of lines and patterns of bars."""

    colour: str
    symbol: str = "circle"
    dash: str = "solid"
    pattern: str = ""


# One per tokenizer.
STYLES = (
    Style(BLUE),
    Style(VERMILLION, "diamond", "dash", "/"),
    Style(GREEN, "square", "dot", "x"),
    Style(OCHRE, "x", "dashdot", "."),
    Style(PINK, "triangle-up", "longdash", "\\"),
    Style(GREY, "cross", "longdashdot", "-"),
)
LEVEL_STYLES = {
    "byte": Style(GREY, pattern="."),
    "character": Style(OCHRE, pattern="/"),
    "word": Style(BLUE),
    "phrase": Style(GREEN, pattern="x"),
}
FATE_STYLES = {
    SURVIVING: Style(BLUE),
    REMOVED: Style(VERMILLION, "x", pattern="x"),
    BYTE: Style(GREY, "diamond-open", pattern="/"),
}


def series_style(k: int) -> Style:
    """Of the k-th series; a colour that comes again has another dash and symbol."""
    style, other = STYLES[k % len(STYLES)], STYLES[(k + k // len(STYLES)) % len(STYLES)]
    return style._replace(symbol=other.symbol, dash=other.dash)


def filled(colour: str, shape: str = "") -> dict[str, object]:
    """Marker of bars, with a pattern of that shape."""
    pattern = {
        "shape": shape,
        "fillmode": "overlay",
        "size": 7,
        "solidity": 0.18,
        "fgcolor": "white",
        "fgopacity": 0.55,
    }
    return {"color": colour, "line": {"width": 0}, "pattern": pattern}
