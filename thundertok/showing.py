"""How results show themselves: tables as text and as HTML, pictures as SVG. Whatever a token contains is escaped."""

import html
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.pictures.showable import showable
from engine.report.figure import Figure, write_figure
from engine.report.size import DEFAULT_LETTERS, TWO_COLUMNS, FigureSize
from thundertok.corpora import checked

_WIDTH = 760  # px, of a notebook's cell


@checked
class SvgPicture:
    """A picture that a notebook shows, and that can be saved for a paper."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure

    @property
    def svg(self) -> str:
        """Its source, light or dark as the reader prefers."""
        return self._figure.draw(_WIDTH, "auto")

    def save(self, path: str | Path, width_mm: float = TWO_COLUMNS, letters_pt: float = DEFAULT_LETTERS) -> None:
        """Write it, in light colours, as wide as a page of a paper (84 mm: a column) and with letters of that size.

        Parameters
        ----------
        path : ends in `.svg` (letters as outlines) or `.pdf` (letters as text, their font embedded).

        Raises
        ------
        InputError : the path ends in nothing of this, the size is out of range, or the file cannot be written.
        """
        write_figure(path, self._figure, FigureSize(width_mm, letters_pt))

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"{showable(self._figure.title)}: a picture; .save('picture.svg') or .save('picture.pdf') writes it"


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; leading and double spaces of tokens stay."""
    head = "".join(f"<th>{html.escape(cell(name))}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns of a terminal, where a Korean letter is two wide."""
    lines = [[*map(cell, columns)], *([cell(value) for value in row] for row in rows)]
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
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else showable(str(value))


def tokens_line(labels: Iterable[str]) -> str:
    """Tokens with | between them."""
    return "|".join(map(showable, labels))


def _html_cell(value: object) -> str:
    align = "right" if isinstance(value, int | float) else "left"
    return f'<td style="text-align:{align};white-space:pre-wrap">{html.escape(cell(value))}</td>'


def _width(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") - (unicodedata.combining(char) > 0) for char in text)
