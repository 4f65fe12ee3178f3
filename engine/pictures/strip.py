"""The tokens of a text in boxes, a row for each tokenizer, broken into lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.pictures.svg import MARGIN, SvgShape, label, label_width, picture, plain_text, rectangle
from engine.pictures.text_width import text_width

CHIP_LETTERS = 18  # type size of tokens
_NAME, _NOTE, _COUNT, _LABEL = 15, 13, 28, CHIP_LETTERS
_BOX, _GAP, _ROW, _HEAD = 32, 6, 24, 34
_AIR, _LEAST = 14, 18
# From this width on names and counts are beside the tokens, otherwise above them.
_WIDE, _GUTTER = 720, 0.32
_CLASSES = ("morpheme", "stem_ending", "several", "cut", "across")  # of engine.measure.morphemes.token_classes
_DASHES = {"unknown": "2 2", "fallback": "2 2", "corrected": "5 2", "cut": "4 2"}
_EDGES = {"unknown": "ink", "fallback": "ink", "cut": "ink", "corrected": "best_line"}


class Chip(NamedTuple):
    """A token: bytes are labelled as `<0xEC><0x95>`.

    `kind` is empty, `unknown`, `fallback`, `special` or `corrected`, or the token's grammatical class.
    """

    label: str
    kind: str = ""


@dataclass(frozen=True)
class ChipRow:
    """The tokens of a tokenizer; `note` is written small below its name, `count` in place of their number."""

    name: str
    chips: Sequence[Chip]
    note: str = ""
    count: str = ""


KINDS = ("", "unknown", "fallback", "special", "corrected", *_CLASSES)


def strip(rows: Sequence[ChipRow], width: float, theme: str = "auto") -> str:
    """The rows below each other.

    Raises
    ------
    ValueError : a token has no kind of KINDS.
    """
    for chip in (chip for row in rows for chip in row.chips):
        if chip.kind not in KINDS:
            raise ValueError(f"no kind of token is called {chip.kind!r}; choose one of: {', '.join(KINDS[1:])}")
    gutter = _gutter(rows, width) if width >= _WIDE else 0.0
    shapes: list[SvgShape] = []
    y = float(MARGIN)
    for row in rows:
        shapes += _names(row, y, gutter, width)
        y += 0 if gutter else _HEAD
        n_lines = 0
        for x, line, room, number, chip in _placed(row.chips, width - 2 * MARGIN - gutter):
            shapes += _box(chip, number, MARGIN + gutter + x, y + line * (_BOX + _GAP), room)
            n_lines = line + 1
        y += max(n_lines, 1) * (_BOX + _GAP) - _GAP + _ROW
    return picture(width, max(y - _ROW, MARGIN) + MARGIN, shapes, "Tokens", theme=theme)


def _count(row: ChipRow) -> str:
    return row.count or f"{len(row.chips):,}"


def _gutter(rows: Sequence[ChipRow], width: float) -> float:
    """Room for names and counts beside the tokens."""
    names = [max(text_width(row.name, _NAME, 700), text_width(row.note, _NOTE)) for row in rows]
    counts = [text_width(_count(row), _COUNT, 700) for row in rows]
    return min(max(names, default=0) + max(counts, default=0) + 30, _GUTTER * width)


def _names(row: ChipRow, y: float, gutter: float, width: float) -> list[SvgShape]:
    count_width = text_width(_count(row), _COUNT, 700)
    right = MARGIN + gutter - 14 if gutter else width - MARGIN
    room = right - MARGIN - count_width - 8
    middle = y + (_BOX if gutter else _HEAD - 6) / 2
    count = plain_text(_count(row), right, middle, _COUNT, right - MARGIN, 700, anchor="end")
    if not row.note:
        return [plain_text(row.name, MARGIN, middle, _NAME, room, 700), count]
    if gutter:
        name = plain_text(row.name, MARGIN, middle - 8, _NAME, room, 700)
        return [name, plain_text(row.note, MARGIN, middle + 9, _NOTE, room, fill="faint"), count]
    used = min(text_width(row.name, _NAME, 700), 0.65 * room)
    name = plain_text(row.name, MARGIN, middle, _NAME, used + 1, 700)
    return [name, plain_text(row.note, MARGIN + used + 10, middle, _NOTE, room - used - 10, fill="faint"), count]


def _placed(chips: Sequence[Chip], room: float) -> Iterator[tuple[float, int, float, int, Chip]]:
    """Where every token stands: x, line, width, number."""
    x, line = 0.0, 0
    for number, chip in enumerate(chips):
        width = min(max(_LEAST, label_width(chip.label, _LABEL) + _AIR), room)
        if x and x + width > room:
            x, line = 0.0, line + 1
        yield x, line, width, number, chip
        x += width


def _box(chip: Chip, number: int, x: float, y: float, width: float) -> list[SvgShape]:
    fill = chip.kind if chip.kind in _CLASSES else "odd" if number % 2 else "even"
    dashes = {"stroke_dasharray": _DASHES[chip.kind]} if chip.kind in _DASHES else {}
    edge = _EDGES.get(chip.kind, "outline")
    return [
        rectangle(x + 1, y, width - 2, _BOX, fill, stroke=edge, **dashes),
        label(chip.label, x + width / 2, y + _BOX / 2, width - 6, _LABEL),
    ]
