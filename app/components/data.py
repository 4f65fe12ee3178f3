"""The data of the components: what pages prepare, in tables too, without Streamlit."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, NotRequired, TypedDict

from engine.measure.morphemes.token_classes import CLASSES

# ---- Boxes over the characters of a text: strip, lattice, viterbi.

TOKEN_KINDS = ("", "unknown", "fallback", "special", "corrected", "new")
ROW_KINDS = ("tokens", "characters", "graphemes", "bytes", "pretokens", "morphemes")
TOKEN_CLASSES = ("", *CLASSES)
PARTS = ("", "stem", "ending", "symbol", "both")


class Span(TypedDict):
    """A candidate token over characters `b` to `e`."""

    b: int
    e: int
    label: str


class StripToken(Span):
    """One token over the code points `b` to `e`.

    A token that is part of a character has that character as its span and shares it with its neighbours; `hex` marks a
    label of bytes (`<0xEC>`). `kind` is one of TOKEN_KINDS, `token_class` its grammatical class. A morpheme has a
    `tag`, shown below its label, the tag's meaning (`about`), and one of PARTS as its `part`.
    """

    hex: bool
    ringed: bool
    id: int | None
    kind: str
    token_class: NotRequired[str]
    tag: NotRequired[str]
    about: NotRequired[str]
    part: NotRequired[str]


class StripRow(TypedDict):
    """The tokens of one tokenizer in text order, or of a layer below (`kind`: one of ROW_KINDS).

    `note` is shown small below the name, `count` large beside it.
    """

    name: str
    note: str
    count: NotRequired[str]
    tokens: Sequence[StripToken]
    kind: NotRequired[str]


class Place(NamedTuple):
    """A token in a strip: row and token, both from 0."""

    row: int
    token: int


class Arc(Span):
    """One candidate token of a lattice.

    `m` is its marginal (0 to 1), `lp` its log probability and `be` its branching entropy (nats; None if it has none),
    `id` its id in the final vocabulary (None if it is not in it). `fallback`: it stands for a character outside the
    vocabulary; its bytes are drawn as hex pairs.
    """

    m: float
    lp: float
    be: float | None
    id: int | None
    best: bool
    fallback: bool


class LatticeData(TypedDict):
    """Data of a lattice.

    `chars`: a text for every code point, fit to be seen. `selected`: index of an arc. `runner`: arcs of the
    second-best path. `fewest`: arcs of the path with the fewest tokens, empty where that is the best path. Arcs with a
    marginal below `min_marginal` are left out unless they are on one of these paths or selected. `unit`: of the
    logarithms shown, "nat" or "bit". `lang`: of the text.
    """

    chars: Sequence[str]
    arcs: Sequence[Arc]
    selected: int | None
    runner: Sequence[int] | None
    fewest: NotRequired[Sequence[int]]
    min_marginal: float
    unit: str
    lang: str


class ViterbiCandidate(TypedDict):
    """A path to a position: over `arc`, where `before` is the best total at its begin (nats)."""

    arc: int
    before: float
    total: float
    winner: bool
    tie: bool


class ViterbiCell(TypedDict):
    """The cell after character `end` (from 1): its candidates and the best total (nats)."""

    end: int
    best: float
    candidates: Sequence[ViterbiCandidate]


class ViterbiData(TypedDict):
    """The characters, the arcs, a step for every position, and the best path (arcs in order).

    `unit`: of the logarithms shown, "nat" or "bit". `lang`: of the text.
    """

    chars: Sequence[str]
    arcs: Sequence[Span]
    steps: Sequence[ViterbiCell]
    path: Sequence[int]
    unit: str
    lang: str


# ---- Frames of the stepper, and the blocks they consist of.

# What happens to a part in a frame; each has a sign as well as a colour.
Mark = Literal["chosen", "new", "gone", "tie"] | None


class _AnyBlock(TypedDict):
    """`width`: the share of the line that a block takes: its natural width, at least half, or all of it."""

    caption: NotRequired[str]
    width: NotRequired[Literal["own", "half", "full"]]


class CellMark(TypedDict):
    """A marked cell of a table; `column` None marks the whole row."""

    row: int
    column: int | None
    mark: Mark


class TableBlock(_AnyBlock):
    """Rows under named columns; numbers are right-aligned. A row with a text in `picks` has a button for it."""

    kind: Literal["table"]
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    marks: NotRequired[Sequence[CellMark]]
    picks: NotRequired[Sequence[str | None]]


class TokenBox(TypedDict):
    """A token in a row of tokens; `<0xEC>` is shown as a hex pair."""

    text: str
    mark: NotRequired[Mark]


class TokenRow(TypedDict):
    """Tokens side by side, such as the pieces of a word; `label` follows them (a count, say)."""

    tokens: Sequence[TokenBox]
    label: NotRequired[str]


class TokensBlock(_AnyBlock):
    """Rows of tokens."""

    kind: Literal["tokens"]
    rows: Sequence[TokenRow]


class TextBlock(_AnyBlock):
    """A paragraph; line ends are kept."""

    kind: Literal["text"]
    text: str


class Bar(TypedDict):
    """A horizontal bar: `value` is its length (at least 0), `text` the value as written."""

    label: str
    value: float
    text: str
    mark: NotRequired[Mark]


class BarsBlock(_AnyBlock):
    """Bars on one scale, from 0 to `max` or the longest; a fixed `max` makes frames comparable."""

    kind: Literal["bars"]
    bars: Sequence[Bar]
    max: NotRequired[float]


Block = TableBlock | TokensBlock | TextBlock | BarsBlock


class Frame(TypedDict):
    """One step: a title, a sentence about it, and its blocks."""

    title: str
    note: str
    blocks: Sequence[Block]


# ---- Lines and cuts of a text, and its bytes.


class KwicPlace(TypedDict):
    """An occurrence of the token: its line (from 1) of the corpus or of a file, the text around it.

    `file`: the name of the file, in a corpus of several.
    `cuts`: code point offsets in left, token and right at which tokens end.
    """

    line: int
    file: NotRequired[str]
    left: str
    token: str
    right: str
    cuts: NotRequired[Sequence[Sequence[int]]]


def cut_places(text: str) -> tuple[int, ...]:
    """Character offsets at which a text may be cut: those without white space on either side."""
    return tuple(k for k in range(1, len(text)) if not (text[k - 1].isspace() or text[k].isspace()))


class SharedCuts(TypedDict):
    """The cuts of others: for every place, the share (0 to 1) that cuts there."""

    label: str
    shares: Mapping[int, float]


class CutRow(TypedDict):
    """A method that does not depend on lambda: its name and the ends of its pieces."""

    label: str
    ends: Sequence[int]


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
