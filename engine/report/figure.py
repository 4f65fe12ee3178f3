"""A picture as a file for a paper: SVG with outlined letters, or PDF with embedded ones, as wide as asked for."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.machine.folders import safe_cache_folder
from engine.report.fonts import BOLD, FAMILY, HAN, REGULAR, font_file, font_files
from engine.report.size import FigureSize

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


KINDS = (".svg", ".pdf")
_ROOT = re.compile(r'(<svg [^>]*?)width="([\d.]+)" height="([\d.]+)"')
_PAGE = b"""#set document(title: sys.inputs.title, date: none)
#set page(width: float(sys.inputs.width) * 1mm, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), width: 100%, format: "svg")
"""


class Figure(NamedTuple):
    """A picture of any width.

    Attributes
    ----------
    draw : makes the SVG, as `engine.pictures` does, from a width in px and a theme (by default light).
    letters_px : type size of its letters in px.
    title : of the PDF.
    """

    draw: Callable[..., str]
    letters_px: float
    title: str


def figure_svg(figure: Figure, size: FigureSize) -> str:
    """SVG whose width is in mm and whose letters are outlines, so that every program shows the same."""
    return outlined(_drawn(figure, size))


def figure_pdf(figure: Figure, size: FigureSize) -> bytes:
    """A PDF of one page as wide as asked for; its letters are text, from an embedded font."""
    return svg_pdf(_drawn(figure, size).encode(), size.width_mm, figure.title)


def write_figure(path: str | Path, figure: Figure, size: FigureSize) -> None:
    """Write the figure in the format that the name of the file says.

    Raises
    ------
    InputError : it says neither `.svg` nor `.pdf`, or the file cannot be written.
    """
    kind = figure_kind(path)
    write_whole(path, figure_pdf(figure, size) if kind == ".pdf" else figure_svg(figure, size).encode())


def figure_kind(path: str | Path) -> str:
    """`.svg` or `.pdf`; InputError for other names."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InputError("report.kind", path=path)
    return kind


def svg_pdf(svg: bytes, width_mm: float, title: str) -> bytes:
    """Any SVG as a PDF of one page; the same bytes for the same SVG.

    Raises
    ------
    InputError : it is no SVG, or the package that writes PDF is missing.
    """
    try:
        import typst
    except ImportError:
        raise InputError("report.typst") from None
    # Pictures that the SVG names are looked for in `root`, which has none.
    root = safe_cache_folder("fonts")
    try:
        inputs = {"svg": svg.decode().replace("Noto Sans KR", FAMILY), "width": f"{width_mm:.3f}", "title": title}
        return bytes(typst.compile(_PAGE, root=root, font_paths=_fonts(), sys_inputs=inputs, format="pdf"))
    except (typst.TypstError, UnicodeDecodeError):
        raise InputError("report.svg") from None


@cache
def _fonts() -> Any:
    import typst

    folders = sorted({path.parent for path in font_files()})
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=folders)


def _drawn(figure: Figure, size: FigureSize) -> str:
    svg = figure.draw(size.width_px(figure.letters_px))

    def in_mm(match: re.Match[str]) -> str:
        height = size.width_mm * float(match[3]) / float(match[2])
        return f'{match[1]}width="{size.width_mm:g}mm" height="{height:.2f}mm"'

    return _ROOT.sub(in_mm, svg, count=1)


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


def outlines(name: str) -> dict[str, str]:
    """The path of every character of a font, in thousandths of the type size, with y upwards."""
    return {chr(code): glyph.path for code in sorted(_font(name)[1]) if (glyph := _glyph_of(name, chr(code)))}


@cache
def _font(name: str) -> tuple[Any, dict[int, str], Any]:
    from fontTools.ttLib import TTFont

    font = TTFont(font_file(name))
    return font.getGlyphSet(), font.getBestCmap(), font["hmtx"]


@cache
def _glyph_of(name: str, char: str) -> _Glyph | None:
    glyphs, characters, widths = _font(name)
    found = characters.get(ord(char))
    if found is None:
        return None
    from fontTools.pens.svgPathPen import SVGPathPen

    pen = SVGPathPen(glyphs)
    glyphs[found].draw(pen)
    return _Glyph(f"{_IDS[name]}{ord(char):x}", pen.getCommands(), float(widths[found][0]))
