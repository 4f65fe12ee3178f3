"""A picture as a file for a paper: SVG with outlined letters, or PDF with embedded ones, as wide as asked for."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.machine.folders import safe_cache_folder
from engine.report.fonts import FAMILY, font_files
from engine.report.outlines import outlined
from engine.report.size import FigureSize

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
