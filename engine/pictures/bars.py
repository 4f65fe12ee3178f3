"""Labelled horizontal bars with their counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.pictures.svg import MARGIN, SvgShape, label, label_width, picture, plain_text, rectangle
from engine.pictures.text_width import text_width

BAR_LETTERS = 17  # type size of names
_NAME, _NOTE, _COUNT, _PART = BAR_LETTERS, 14, 34, 15
_LINE, _BAR, _GAP = 26, 34, 22
_AIR = 12  # beside the label of a part
_BESIDE = 12  # from a name to its note


@dataclass(frozen=True)
class CountBar:
    """A bar as long as its count; with `parts`, one for each of what is counted, it is divided into them.

    `note` is written faintly beside the name, `shown` in place of the count.
    """

    name: str
    count: float
    note: str = ""
    parts: Sequence[str] = ()
    shown: str = ""


def bars(rows: Sequence[CountBar], width: float, title: str, description: str = "", theme: str = "auto") -> str:
    """The bars below each other, all to one scale.

    Parts are labelled where the labels of all parts fit.

    Raises
    ------
    ValueError : a count is negative, is not a number, or is not that of the parts.
    """
    for row in rows:
        if not 0 <= row.count < float("inf") or (row.parts and len(row.parts) != row.count):
            raise ValueError(f"{row.name}: a bar needs a count from 0 on, of all its parts: {row.count}")
    shapes, height = bar_shapes(rows, width)
    return picture(width, height, shapes, title, description, theme)


def bar_shapes(rows: Sequence[CountBar], width: float) -> tuple[list[SvgShape], float]:
    """The bars as parts of a picture with its margins, and its height."""
    counts = [row.shown or f"{row.count:,}" for row in rows]
    room = width - 2 * MARGIN
    count_room = max((text_width(count, _COUNT, 700) for count in counts), default=0) + 14
    unit = (room - count_room) / max((row.count for row in rows), default=1) if any(row.count for row in rows) else 0
    longest = max((label_width(part, _PART) for row in rows for part in row.parts), default=0)
    has_labels = 0.7 * longest + _AIR <= unit
    shapes: list[SvgShape] = []
    y = float(MARGIN)
    for row, count in zip(rows, counts, strict=True):
        top = y + (2 * _LINE - 4 if _is_long(row, room) else _LINE)
        end = MARGIN + max(2.0, unit * row.count)
        shapes += _heading(row, room, y)
        shapes += _bar(row, top, unit, has_labels) if row.parts else [_whole(end, top)]
        shapes.append(plain_text(count, end + 10, top + _BAR / 2, _COUNT, count_room, 700))
        y = top + _BAR + _GAP
    return shapes, max(y - _GAP, MARGIN) + MARGIN


def _heading(row: CountBar, room: float, y: float) -> Iterator[SvgShape]:
    """The name, and the note beside it or below it."""
    middle = y + _LINE / 2 - 4
    yield plain_text(row.name, MARGIN, middle, _NAME, room)
    if _is_long(row, room):
        yield plain_text(row.note, MARGIN, middle + _LINE - 4, _NOTE, room, fill="faint")
    elif row.note:
        x = MARGIN + text_width(row.name, _NAME) + _BESIDE
        yield plain_text(row.note, x, middle, _NOTE, room, fill="faint")


def _is_long(row: CountBar, room: float) -> bool:
    """Whether the note has no room beside the name."""
    return bool(row.note) and text_width(row.name, _NAME) + _BESIDE + text_width(row.note, _NOTE) > room


def _whole(end: float, y: float) -> SvgShape:
    return rectangle(MARGIN + 0.5, y, end - MARGIN - 1, _BAR, "even", stroke="outline")


def _bar(row: CountBar, y: float, unit: float, has_labels: bool) -> list[SvgShape]:
    """A box for every part."""
    shapes: list[SvgShape] = []
    gap = min(2.0, unit / 4)
    for k, part in enumerate(row.parts):
        x = MARGIN + k * unit
        shapes.append(rectangle(x + gap / 2, y, unit - gap, _BAR, "odd" if k % 2 else "even", stroke="outline"))
        if has_labels:
            shapes.append(label(part, x + unit / 2, y + _BAR / 2, unit - _AIR, _PART))
    return shapes
