"""Texts of an SVG as outlines of the project's fonts, so that every program shows the same letters."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont

from engine.report.fonts import BOLD, HAN, REGULAR, font_file

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_LINK = f"{{{_XLINK}}}href"  # programs other than browsers know this one only
_UNIT = 1000  # of the fonts, per type size
_SHARES = {"start": 0.0, "middle": 0.5, "end": 1.0}
_BOLD_FROM = 600
_IDS = {REGULAR: "r", BOLD: "b", HAN: "h"}


class _Glyph(NamedTuple):
    """`path` is empty for a blank; `advance` is in thousandths of the type size."""

    id: str
    path: str
    advance: float


class _Run(NamedTuple):
    """Characters of one size and opacity."""

    text: str
    size: float
    opacity: str


def outlined(svg: str) -> str:
    """The same picture; each outline is in it once. Characters that no font has remain text."""
    for prefix, address in (("", _SVG), ("xlink", _XLINK)):
        Xml.register_namespace(prefix, address)
    root = Xml.fromstring(svg)
    used: dict[str, _Glyph] = {}
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag == f"{{{_SVG}}}text":
                drawn = _outlined_text(child, used)
                if drawn is not None:
                    parent[place] = drawn
    shapes = Xml.Element(f"{{{_SVG}}}defs")
    for glyph in used.values():
        Xml.SubElement(shapes, f"{{{_SVG}}}path", {"id": glyph.id, "d": glyph.path})
    root.insert(1, shapes)
    return Xml.tostring(root, encoding="unicode")


def _outlined_text(text: Xml.Element, used: dict[str, _Glyph]) -> Xml.Element | None:
    """A group of outlines; None if a character has none."""
    size, weight = float(text.get("font-size", "16")), int(text.get("font-weight", "400"))
    runs = list(_runs(text, size))
    lines = [[_glyph(char, weight >= _BOLD_FROM) for char in run.text] for run in runs]
    if any(glyph is None for line in lines for glyph in line):
        return None
    drawn = [[glyph for glyph in line if glyph is not None] for line in lines]
    width = sum(glyph.advance * run.size / _UNIT for run, line in zip(runs, drawn, strict=True) for glyph in line)
    x = float(text.get("x", "0")) - _SHARES[text.get("text-anchor", "start")] * width
    y = text.get("y", "0")
    group = Xml.Element(f"{{{_SVG}}}g", {name: text.attrib[name] for name in ("fill", "class") if name in text.attrib})
    for run, line in zip(runs, drawn, strict=True):
        scale = f"{run.size / _UNIT:.5f}".rstrip("0")
        for glyph in line:
            if glyph.path:
                used.setdefault(glyph.id, glyph)
                place = {"transform": f"matrix({scale} 0 0 -{scale} {x:.2f} {y})", _LINK: f"#{glyph.id}"}
                opacity = {"fill-opacity": run.opacity} if run.opacity else {}
                Xml.SubElement(group, f"{{{_SVG}}}use", place | opacity)
            x += glyph.advance * run.size / _UNIT
    return group


def _runs(text: Xml.Element, size: float) -> Iterator[_Run]:
    if text.text:
        yield _Run(text.text, size, "")
    for part in text:
        if part.tag == f"{{{_SVG}}}tspan" and part.text:
            yield _Run(part.text, float(part.get("font-size", size)), part.get("fill-opacity", ""))
        if part.tail:
            yield _Run(part.tail, size, "")


def _glyph(char: str, is_bold: bool) -> _Glyph | None:
    names = (BOLD, REGULAR, HAN) if is_bold else (REGULAR, HAN)
    return next((glyph for name in names if (glyph := _glyph_of(name, char)) is not None), None)


@cache
def _font(name: str) -> tuple[Any, dict[int, str], Any]:
    font = TTFont(font_file(name))
    return font.getGlyphSet(), font.getBestCmap(), font["hmtx"]


@cache
def _glyph_of(name: str, char: str) -> _Glyph | None:
    glyphs, characters, widths = _font(name)
    found = characters.get(ord(char))
    if found is None:
        return None
    pen = SVGPathPen(glyphs)
    glyphs[found].draw(pen)
    return _Glyph(f"{_IDS[name]}{ord(char):x}", pen.getCommands(), float(widths[found][0]))
