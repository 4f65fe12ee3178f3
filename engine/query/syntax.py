"""What a query is made of: a tree of units, sequences, alternatives and repetitions."""

import unicodedata
from dataclasses import dataclass
from typing import TypeAlias

from engine.errors import InputError
from engine.measure.layers import MORPHEMES, TOKENS, WORDS


class QueryError(InputError):
    """A query that cannot be used.

    Parameters
    ----------
    code : key of the message, which quotes `{at}`: the place as a number from 1.
    query : the whole query.
    at : index of the character.
    """

    def __init__(self, code: str, /, query: str, at: int, **values: object) -> None:
        super().__init__(code, query=query, at=at + 1, **values)

    @property
    def pointed(self) -> str:
        """The query, and below it a caret under the place."""
        query, at = str(self.values["query"]), int(str(self.values["at"])) - 1
        return f"{query}\n{''.join(map(_blank, query[:at]))}^"


def _blank(char: str) -> str:
    """White space as wide as the character in a font with fixed widths; none for a combining mark."""
    if unicodedata.combining(char):
        return ""
    return "\u3000" if unicodedata.east_asian_width(char) in "WF" else " "


# Attributes of a unit, by the layer that has them.
ATTRIBUTES = {"token": TOKENS, "form": MORPHEMES, "tag": MORPHEMES, "morph": MORPHEMES, "word": WORDS}

# A layer's name in brackets is any of its units.
ANY_OF = {"token": TOKENS, "morph": MORPHEMES, "word": WORDS}


@dataclass(frozen=True)
class Comparison:
    """A comparison of an attribute with a value.

    Parameters
    ----------
    attribute : a key of ATTRIBUTES.
    value : a regular expression that matches the whole attribute, or its text if `is_literal`.
    is_literal : `==` and `!==`.
    is_negative : `!=` and `!==`.
    at : index of the value in the query.
    """

    attribute: str
    value: str
    is_literal: bool = False
    is_negative: bool = False
    at: int = 0

    @property
    def layers(self) -> tuple[str, ...]:
        """The layer of its attribute."""
        return (ATTRIBUTES[self.attribute],)


@dataclass(frozen=True)
class AnyUnit:
    """The condition that every unit of a layer fulfils."""

    layer: str

    @property
    def layers(self) -> tuple[str, ...]:
        """The layer."""
        return (self.layer,)


@dataclass(frozen=True)
class Combined:
    """Several conditions: all of them hold (`&`), or one of them does (`|`)."""

    is_all: bool
    parts: "tuple[Condition, ...]"

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers of the attributes, each once, as the query names them."""
        return tuple(dict.fromkeys(layer for part in self.parts for layer in part.layers))


Condition: TypeAlias = Comparison | AnyUnit | Combined


@dataclass(frozen=True)
class Bracket:
    """One unit; of several layers, where they coincide."""

    condition: Condition


@dataclass(frozen=True)
class Chain:
    """Queries one after the other."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Alternatives:
    """One of several queries."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Repetition:
    """A query `low` to `high` times; None: without an end."""

    part: "Tree"
    low: int
    high: int | None


Tree: TypeAlias = Bracket | Chain | Alternatives | Repetition


@dataclass(frozen=True)
class Query:
    """A query and its text."""

    text: str
    tree: Tree

    @property
    def brackets(self) -> list[Bracket]:
        """Its brackets, in the order of the text."""
        return brackets_of(self.tree)

    @property
    def layers(self) -> list[str]:
        """The layers that it names, each once."""
        return list(dict.fromkeys(layer for one in self.brackets for layer in one.condition.layers))


def brackets_of(tree: Tree) -> list[Bracket]:
    """The brackets of a tree, in order."""
    if isinstance(tree, Bracket):
        return [tree]
    parts = (tree.part,) if isinstance(tree, Repetition) else tree.parts
    return [one for part in parts for one in brackets_of(part)]
