"""Data of token strips, and a place in them."""

from collections.abc import Sequence
from typing import NamedTuple, NotRequired, TypedDict

from engine.measure.morphemes.token_classes import CLASSES

TOKEN_KINDS = ("", "unknown", "fallback", "special", "corrected", "new")
ROW_KINDS = ("tokens", "characters", "graphemes", "bytes", "pretokens", "morphemes")
TOKEN_CLASSES = ("", *CLASSES)
PARTS = ("", "stem", "ending", "symbol", "both")


class StripToken(TypedDict):
    """One token over the code points `b` to `e`.

    A token that is part of a character has that character as its span and shares it with its neighbours; `hex` marks a
    label of bytes (`<0xEC>`). `kind` is one of TOKEN_KINDS, `token_class` its grammatical class. A morpheme has a
    `tag`, shown below its label, the tag's meaning (`about`), and one of PARTS as its `part`.
    """

    label: str
    b: int
    e: int
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
