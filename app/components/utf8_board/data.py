"""Data of the board: graphemes, their code points, and the bytes of these."""

from collections.abc import Sequence
from typing import TypedDict


class ByteBits(TypedDict):
    """A byte: two hexadecimal digits, its marker bits, and its bits of the code point."""

    hex: str
    marker: str
    payload: str


class CodePoint(TypedDict):
    """A code point: its character, `U+C548`, its Unicode name, its bytes."""

    text: str
    code: str
    name: str
    bytes: Sequence[ByteBits]


class Grapheme(TypedDict):
    """A user-perceived character."""

    text: str
    points: Sequence[CodePoint]
