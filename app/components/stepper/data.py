"""Data of the player: frames, and the blocks they consist of."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

# What happens to a part in a frame; each has a sign as well as a colour.
Mark = Literal["chosen", "new", "gone", "tie"] | None

# Share of the line that a block takes: its natural width, at least half, or all of it.
Width = Literal["own", "half", "full"]


class CellMark(TypedDict):
    """A marked cell of a table; `column` None marks the whole row."""

    row: int
    column: int | None
    mark: Mark


class TableBlock(TypedDict):
    """Rows under named columns; numbers are right-aligned. A row with a text in `picks` has a button for it."""

    kind: Literal["table"]
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    marks: NotRequired[Sequence[CellMark]]
    picks: NotRequired[Sequence[str | None]]
    caption: NotRequired[str]
    width: NotRequired[Width]


class TokenBox(TypedDict):
    """A token in a row of tokens; `<0xEC>` is shown as a hex pair."""

    text: str
    mark: NotRequired[Mark]


class TokenRow(TypedDict):
    """Tokens side by side, such as the pieces of a word; `label` follows them (a count, say)."""

    tokens: Sequence[TokenBox]
    label: NotRequired[str]


class TokensBlock(TypedDict):
    """Rows of tokens."""

    kind: Literal["tokens"]
    rows: Sequence[TokenRow]
    caption: NotRequired[str]
    width: NotRequired[Width]


class TextBlock(TypedDict):
    """A paragraph; line ends are kept."""

    kind: Literal["text"]
    text: str
    caption: NotRequired[str]
    width: NotRequired[Width]


class Bar(TypedDict):
    """A horizontal bar: `value` is its length (at least 0), `text` the value as written."""

    label: str
    value: float
    text: str
    mark: NotRequired[Mark]


class BarsBlock(TypedDict):
    """Bars on one scale, from 0 to `max` or the longest; a fixed `max` makes frames comparable."""

    kind: Literal["bars"]
    bars: Sequence[Bar]
    max: NotRequired[float]
    caption: NotRequired[str]
    width: NotRequired[Width]


Block = TableBlock | TokensBlock | TextBlock | BarsBlock


class Frame(TypedDict):
    """One step: a title, a sentence about it, and its blocks."""

    title: str
    note: str
    blocks: Sequence[Block]
