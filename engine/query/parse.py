"""From the text of a query to its tree, by recursive descent.

query     = sequence ("|" sequence)*
sequence  = item+
item      = ("(" query ")" | bracket | string) ["?" | "*" | "+" | "{" [m] ["," [n]] "}"]
bracket   = "[" [condition] "]"
condition = both ("|" both)*
both      = test ("&" test)*
test      = "(" condition ")" | "token" | "morph" | "word" | attribute ("=" | "!=" | "==" | "!==") string
string    = '"' ... '"', in which \\" is a quotation mark; alone it is [word="..."]. Typographic and single quotation
            marks do as well: word processors and Korean keyboards write them.
"""

import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from engine.errors import InputError
from engine.query.syntax import (
    ANY_OF,
    ATTRIBUTES,
    TOKENS,
    Alternatives,
    AnyUnit,
    Bracket,
    Chain,
    Combined,
    Comparison,
    Condition,
    Query,
    QueryError,
    Repetition,
    Tree,
)

# Characters of a query; brackets when every repetition is written out; brackets in brackets; levels of the tree.
MAX_CHARS, MAX_STATES, MAX_DEPTH, MAX_HEIGHT = 1000, 200, 30, 60

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^\W\d]\w*")
# Closing marks by the opening ones. A typographic string may end with a straight mark; a straight one contains others.
_QUOTES = {'"': '"', "“”„‟＂": '“”„‟＂"', "'": "'", "‘’‚‛＇": "‘’‚‛＇'", "«»": "«»", "「『": "」』"}
_OPENING = "".join(_QUOTES)
STRING = re.compile(
    "|".join(rf"[{opening}]((?:[^{closing}\\]|\\.)*)[{closing}]" for opening, closing in _QUOTES.items()), re.DOTALL
)
_OPERATOR = re.compile(r"!==|==|!=|=")
_COUNTS = re.compile(r"\{\s*([0-9]{0,4})\s*(?:(,)\s*([0-9]{0,4})\s*)?\}")
_MARKS = {"?": (0, 1), "*": (0, None), "+": (1, None)}

_Parsed = TypeVar("_Parsed")


def parse_query(text: str) -> Query:
    """The query.

    Raises
    ------
    QueryError : it is none; `at` is the place.
    InputError : it is empty or too long.

    Examples
    --------
    >>> parse_query('[tag="NNG"] [form="을|를"]').layers
    ['morphemes']
    """
    if len(text) > MAX_CHARS:
        raise InputError("query.long", count=len(text), most=MAX_CHARS)
    return _QueryParser(text).query()


class _QueryParser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.layer = ""  # of `[]`

    def query(self) -> Query:
        if not self.text.strip():
            raise InputError("query.empty")
        # `[]` before the first bracket that names a layer is a unit of that layer.
        first = _first_layer(self.text)
        self.layer = first
        tree = self.alternatives()
        if self.peek():
            self.expected("query_item")
        return Query(self.text, tree)

    # ---- characters

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self) -> str:
        self.skip()
        return self.text[self.at : self.at + 1]

    def take(self, char: str) -> bool:
        if self.peek() != char:
            return False
        self.at += 1
        return True

    def expected(self, phrase: str) -> NoReturn:
        """What should be here, as a phrase of `error.what`; or that the query ends too early."""
        found = self.peek()
        if not found:
            raise QueryError("query.end", self.text, len(self.text), what=phrase)
        raise QueryError("query.unexpected", self.text, self.at, what=phrase, char=found)

    def nested(self, parse: Callable[[], _Parsed], opened_at: int) -> _Parsed:
        """What stands in parentheses, whose opening one has been taken."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise QueryError("query.deep", self.text, opened_at, most=MAX_DEPTH)
        found = parse()
        if not self.take(")"):
            self.expected("query_parenthesis")
        self.depth -= 1
        return found

    # ---- sequences

    def alternatives(self) -> Tree:
        parts = [self.sequence()]
        while self.take("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def sequence(self) -> Tree:
        parts = [self.item()]
        while self.peek() and self.peek() in "([" + _OPENING:
            parts.append(self.item())
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def item(self) -> Tree:
        char = self.peek()
        begin = self.at
        if char == "(":
            self.at += 1
            part = self.nested(self.alternatives, begin)
        elif char == "[":
            part = self.bracket()
        elif char and char in _OPENING:
            part = Bracket(self.value("word", is_literal=False, is_negative=False))
            self.layer = part.condition.layers[0]
        else:
            self.expected("query_item")
        while (counts := self.counts()) is not None:
            part = Repetition(part, *counts)
            if _height(part) > MAX_HEIGHT:
                raise QueryError("query.marks", self.text, begin, most=MAX_HEIGHT)
        if (n := n_states(part)) > MAX_STATES:
            raise QueryError("query.large", self.text, begin, count=n, most=MAX_STATES)
        return part

    def counts(self) -> tuple[int, int | None] | None:
        char = self.peek()
        if char in _MARKS:
            self.at += 1
            return _MARKS[char]
        if char != "{":
            return None
        match = _COUNTS.match(self.text, self.at)
        if match is None or not (match[1] or match[3]):
            raise QueryError("query.counts", self.text, self.at)
        low = int(match[1] or 0)
        high = (int(match[3]) if match[3] else None) if match[2] else low
        if high is not None and (high < low or high == 0):
            raise QueryError("query.counts", self.text, self.at)
        self.at = match.end()
        return low, high

    # ---- one unit

    def bracket(self) -> Bracket:
        self.at += 1
        condition = AnyUnit(self.layer) if self.peek() == "]" else self.condition()
        if not self.take("]"):
            self.expected("query_bracket")
        self.layer = condition.layers[0]
        return Bracket(condition)

    def condition(self) -> Condition:
        return self.combined("|", self.both, is_all=False)

    def both(self) -> Condition:
        return self.combined("&", self.test, is_all=True)

    def combined(self, mark: str, parse: Callable[[], Condition], is_all: bool) -> Condition:
        parts = [parse()]
        while self.take(mark):
            parts.append(parse())
        return parts[0] if len(parts) == 1 else Combined(is_all, tuple(parts))

    def test(self) -> Condition:
        if self.peek() == "(":
            begin, self.at = self.at, self.at + 1
            return self.nested(self.condition, begin)
        name = _NAME.match(self.text, self.at)
        if name is None:
            self.expected("query_attribute")
        if name[0] not in ATTRIBUTES:
            known = ", ".join(ATTRIBUTES)
            raise QueryError("query.unknown", self.text, self.at, name=name[0], choices=known)
        self.at = name.end()
        self.skip()
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None and name[0] in ANY_OF and self.peek() in ("]", "&", "|", ")"):
            return AnyUnit(ANY_OF[name[0]])
        if operator is None:
            self.expected("query_operator")
        self.at = operator.end()
        return self.value(name[0], is_literal="==" in operator[0], is_negative=operator[0][0] == "!")

    def value(self, attribute: str, *, is_literal: bool, is_negative: bool) -> Comparison:
        if self.peek() not in tuple(_OPENING):
            self.expected("query_string")
        match = STRING.match(self.text, self.at)
        if match is None:
            raise QueryError("query.unclosed", self.text, self.at)
        at, self.at = self.at, match.end()
        inside = next(own for own in match.groups() if own is not None)
        value = re.sub(r'\\(["\\])', r"\1", inside) if is_literal else inside.replace('\\"', '"')
        return Comparison(attribute, value, is_literal, is_negative, at + 1)


def _first_layer(text: str) -> str:
    """The layer that a query names first; TOKENS if it names none."""
    outside = STRING.sub(lambda match: " " if text[: match.start()].rstrip().endswith("=") else " word ", text)
    return next((ATTRIBUTES[name] for name in _NAME.findall(outside) if name in ATTRIBUTES), TOKENS)


def n_states(tree: Tree) -> int:
    """Brackets of a tree when every repetition is written out."""
    if isinstance(tree, Bracket):
        return 1
    if isinstance(tree, Repetition):
        return n_states(tree.part) * max(1, tree.low if tree.high is None else tree.high)
    return sum(map(n_states, tree.parts))


def _height(tree: Tree) -> int:
    """Levels of a tree below its root; whoever walks it goes as deep."""
    if isinstance(tree, Bracket):
        return 0
    return 1 + max(map(_height, (tree.part,) if isinstance(tree, Repetition) else tree.parts))
