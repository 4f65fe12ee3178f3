"""How results show themselves: tables as text and as HTML, pictures as SVG. Whatever a token contains is escaped."""

import html
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.machine.atomic_file import write_whole
from engine.pictures.showable import showable


@dataclass(frozen=True, repr=False)
class SvgPicture:
    """A picture that a notebook shows; `svg` is its source."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return framed(self.svg)

    def __repr__(self) -> str:
        return f"a picture in SVG ({len(self.svg.encode()):,} bytes); save it with .save('picture.svg')"

    def save(self, path: str | Path) -> None:
        """Write the SVG file; InputError if it cannot be written."""
        write_whole(path, self.svg.encode())


def framed(svg: str) -> str:
    """A picture as a part of a page; one that is wider scrolls."""
    return f'<div style="overflow-x:auto">{svg}</div>'


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the spaces of texts are visible."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns of a terminal, where a Korean letter is two wide."""
    lines = [list(columns), *([cell(value) for value in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(text + " " * (room - _width(text)) for text, room in zip(line, widths, strict=True)) for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def cell(value: object) -> str:
    """A value as text that can be seen."""
    if value is None or value != value:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else showable(str(value)).replace(" ", "␣")


def tokens_line(labels: Iterable[str]) -> str:
    """Tokens with | between them."""
    return "|".join(map(showable, labels))


def _html_cell(value: object) -> str:
    align = ' style="text-align:right"' if isinstance(value, int | float) else ' style="text-align:left"'
    return f"<td{align}>{html.escape(cell(value))}</td>"


def _width(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") - (unicodedata.combining(char) > 0) for char in text)
