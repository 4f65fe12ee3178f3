"""The lattice of a sentence: its characters on top, every candidate token as a box over its characters."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from engine.pictures.showable import showable
from engine.pictures.svg import MARGIN, SvgShape, label, label_width, picture, rectangle

BOX_LETTERS = 15  # type size of candidates
_CHARACTER, _LABEL = 21, BOX_LETTERS
_HEAD, _STEP, _BOX, _GAP = 40, 31, 26, 20
_AIR, _LEAST = 7, 15
_TORN = "…"  # before or after the part of a box that goes on in another line


class CandidateBox(NamedTuple):
    """A candidate over the characters `begin` to `end`; `share` is its marginal, 0 to 1."""

    label: str
    begin: int
    end: int
    share: float
    is_best: bool = False


class _Piece(NamedTuple):
    """The part of a candidate in one line, over the characters `begin` to `end`."""

    candidate: CandidateBox
    begin: int
    end: int


def lattice(characters: Sequence[str], candidates: Sequence[CandidateBox], width: float, theme: str = "auto") -> str:
    """The best path in the first row, the other candidates below by their shares, each in the first row with room.

    A text that is wider is broken into lines, where the fewest candidates are torn.

    Raises
    ------
    ValueError : a candidate is not within the text, or its share is not from 0 to 1.
    """
    for one in candidates:
        if not (0 <= one.begin < one.end <= len(characters) and 0 <= one.share <= 1):
            raise ValueError(f"a candidate needs characters of the text and a share from 0 to 1: {one}")
    edges = [0.0, *accumulate(_columns(characters, candidates, width - 2 * MARGIN))]
    cuts = _cuts(characters, candidates, edges, width - 2 * MARGIN)
    shapes: list[SvgShape] = []
    y = float(MARGIN)
    for first, last in pairwise(cuts):
        pieces = [
            _Piece(one, max(one.begin, first), min(one.end, last))
            for one in candidates
            if one.begin < last and one.end > first
        ]
        rows = _packed(pieces)
        shift = MARGIN - edges[first]
        height = _HEAD + _STEP * max(1, len(rows))
        shapes += _guides(rows[0] if rows else [], edges, shift, y, height)
        for k in range(first, last):
            middle, room = shift + (edges[k] + edges[k + 1]) / 2, edges[k + 1] - edges[k]
            shapes.append(label(characters[k], middle, y + _HEAD / 2 - 2, room, _CHARACTER))
        for number, row in enumerate(rows):
            for piece in sorted(row, key=lambda piece: piece.begin):
                x, right = shift + edges[piece.begin], shift + edges[piece.end]
                shapes += _box(piece, characters, x, y + _HEAD + number * _STEP, right - x)
        y += height + _GAP
    return picture(width, max(y - _GAP, MARGIN) + MARGIN, shapes, "Lattice", theme=theme)


def _columns(characters: Sequence[str], candidates: Sequence[CandidateBox], room: float) -> list[float]:
    """Width of every character, more where the label of a candidate for it alone needs it."""
    columns = [max(_LEAST, label_width(char, _CHARACTER) + _AIR) for char in characters]
    for one in candidates:
        if one.end == one.begin + 1:
            columns[one.begin] = max(columns[one.begin], 0.75 * label_width(one.label, _LABEL) + _AIR)
    return [min(column, room) for column in columns]


def _cuts(
    characters: Sequence[str], candidates: Sequence[CandidateBox], edges: Sequence[float], room: float
) -> list[int]:
    """Where lines begin, and the end of the text: in the second half of a line, where the least is torn."""
    size = len(characters)
    torn = [0.0] * (size + 1)
    for one in candidates:
        for k in range(one.begin + 1, one.end):
            torn[k] += 1 + 4 * one.share
    cuts = [0]
    while cuts[-1] < size:
        first = cuts[-1]
        far = first + 1
        while far < size and edges[far + 1] - edges[first] <= room + 0.01:
            far += 1
        places = [k for k in range(first + 1, far + 1) if edges[k] - edges[first] >= room / 2] or [far]
        # Preferably before a space, and late.
        best = min(reversed(places), key=lambda k: (torn[k], characters[k] != " ") if k < size else (-1.0, False))
        cuts.append(size if far == size else best)
    return cuts


def _packed(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """The rows of a line: the best path, then each of the others in the first row that is free there."""
    best = [piece for piece in pieces if piece.candidate.is_best]
    others = [piece for piece in pieces if not piece.candidate.is_best]
    rows: list[list[_Piece]] = []
    for piece in sorted(others, key=lambda piece: (-piece.candidate.share, piece.begin, piece.end)):
        free = (row for row in rows if all(piece.end <= one.begin or one.end <= piece.begin for one in row))
        row = next(free, None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [best, *rows]


def _guides(
    best: Sequence[_Piece], edges: Sequence[float], shift: float, y: float, height: float
) -> Iterator[SvgShape]:
    """Hairlines where the best path cuts."""
    for piece in best:
        if piece.end == piece.candidate.end:
            x = shift + edges[piece.end]
            place: dict[str, str | float] = {"x1": x, "x2": x, "y1": y + 4, "y2": y + height}
            yield SvgShape("line", {**place, "stroke": "best_line", "stroke-opacity": 0.45, "stroke-dasharray": "1 4"})


def _box(piece: _Piece, characters: Sequence[str], x: float, y: float, width: float) -> Iterator[SvgShape]:
    one = piece.candidate
    inset = 2.0 if one.is_best else 1.5
    fill, edge = ("best", "best_line") if one.is_best else ("blue", "blue_line")
    opacity = round(0.07 + 0.55 * math.sqrt(one.share), 3)
    stroke = 2.6 if one.is_best else 1.1
    yield rectangle(x + inset, y, width - 2 * inset, _BOX, fill, fill_opacity=opacity, stroke=edge, stroke_width=stroke)
    begins, ends = piece.begin == one.begin, piece.end == one.end
    inner = "".join(map(showable, characters[piece.begin : piece.end]))
    text = one.label if begins and ends else f"{'' if begins else _TORN}{inner}{'' if ends else _TORN}"
    yield label(text, x + width / 2, y + _BOX / 2 - 1, width - 2 * inset - 3, _LABEL, 700 if one.is_best else 400)
    gauge = (width - 10) * one.share
    if gauge >= 2:
        yield rectangle(x + 5, y + _BOX - 4.6, gauge, 2.4, edge)
