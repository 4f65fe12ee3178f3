"""Questions asked before a result is revealed: their valid answers, how these are written, and which are right.

Five kinds: `Cuts`, `Choice`, `Numbers`, `Order`, `Word`. An answer is written as one short string, for a URL or a
phone to send; `read` accepts only what `write` produces.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Generic, NamedTuple, TypeVar

from engine.corpus.unicode_forms import composed
from engine.segmentation.scoring import harmonic_mean

A = TypeVar("A")

_NO_CUT = "none"


@dataclass(frozen=True)
class Question(ABC, Generic[A]):
    """A question whose answer is an `A`."""

    kind: ClassVar[str]

    @abstractmethod
    def read(self, written: str) -> A | None:
        """Parse what `write` produced; None for anything else."""

    @abstractmethod
    def write(self, answer: A) -> str:
        """The answer as a short string."""

    def is_complete(self, answer: A) -> bool:
        return True

    @property
    @abstractmethod
    def solution(self) -> A | None:
        """The right answer, or the first of several; None if there is none."""

    @abstractmethod
    def score(self, answer: A) -> float | None:
        """Score of a complete answer, 0 to 1; None if the question has no right answer."""


def cut_places(text: str) -> tuple[int, ...]:
    """Character offsets at which a text may be cut: those without white space on either side."""
    return tuple(k for k in range(1, len(text)) if not (text[k - 1].isspace() or text[k].isspace()))


def cut_f1(cuts: Collection[int], others: Collection[int]) -> float:
    """F1 of one set of cuts against another; 1 if both are empty.

    >>> cut_f1({1, 3}, {1, 2})
    0.5
    """
    both = len(set(cuts) & set(others))
    if not cuts and not others:
        return 1.0
    return harmonic_mean(both / len(cuts) if cuts else 0.0, both / len(others) if others else 0.0)


@dataclass(frozen=True)
class Cuts(Question[tuple[int, ...]]):
    """Tap the places to cut `text` at. Written `2.5`, or `none`.

    `right` : the right places; None if there is no right answer.
    """

    text: str
    right: tuple[int, ...] | None = None
    kind: ClassVar[str] = "cuts"

    def read(self, written: str) -> tuple[int, ...] | None:
        """Places in ascending order."""
        if written == _NO_CUT:
            return ()
        parts = written.split(".")
        if not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
            return None
        places = sorted(set(map(int, parts)))
        return tuple(places) if set(places) <= set(cut_places(self.text)) else None

    def write(self, answer: tuple[int, ...]) -> str:
        return ".".join(map(str, answer)) or _NO_CUT

    @property
    def solution(self) -> tuple[int, ...] | None:
        return self.right

    def score(self, answer: tuple[int, ...]) -> float | None:
        """F1 of the places."""
        return None if self.right is None else cut_f1(answer, self.right)

    def pieces(self, answer: Collection[int]) -> list[str]:
        """The text between the cuts; white space always cuts, and is left out."""
        cuts = {*answer, *(k for k, char in enumerate(self.text) if char.isspace())}
        bounds = [0, *sorted(cuts), len(self.text)]
        return [piece for a, b in pairwise(bounds) if (piece := self.text[a:b].strip())]


class Option(NamedTuple):
    """One option: how an answer writes it, and its label; an empty label is looked up in the catalogue."""

    code: str
    label: str = ""


@dataclass(frozen=True)
class Choice(Question[str]):
    """Choose one of a few. Written as its code. `right` : the right codes; empty if it is a matter of taste."""

    options: tuple[Option, ...]
    right: tuple[str, ...] = ()
    kind: ClassVar[str] = "choice"

    def read(self, written: str) -> str | None:
        return written if any(option.code == written for option in self.options) else None

    def write(self, answer: str) -> str:
        return answer

    @property
    def solution(self) -> str | None:
        return self.right[0] if self.right else None

    def score(self, answer: str) -> float | None:
        return float(answer in self.right) if self.right else None


@dataclass(frozen=True)
class Numbers(Question[tuple[float | None, ...]]):
    """One number for each of `labels`. Written `7_4_18`; a missing number is empty.

    `low`, `high`, `step` : for every number; a slider starts at `low`, which then does not count as an answer.
    `right` : the right numbers; empty if there are none. `slack` : tolerated relative error.
    """

    labels: tuple[str, ...]
    low: float
    high: float
    step: float
    right: tuple[float, ...]
    slack: float = 0.0
    is_slider: bool = False
    unit: str = ""
    kind: ClassVar[str] = "numbers"

    def read(self, written: str) -> tuple[float | None, ...] | None:
        """A number or None for each label."""
        parts = written.split("_")
        if len(parts) != len(self.labels):
            return None
        try:
            # float() also accepts 1e999 and nan: the length and the range below rule them out.
            numbers = tuple(float(part) if part and len(part) < 9 else None for part in parts)
        except ValueError:
            return None
        is_within = all(number is None or self.low <= number <= self.high for number in numbers)
        return numbers if is_within and any(number is not None for number in numbers) else None

    def write(self, answer: tuple[float | None, ...]) -> str:
        return "_".join("" if number is None else f"{number:g}" for number in answer)

    def is_complete(self, answer: tuple[float | None, ...]) -> bool:
        return all(number is not None and not (self.is_slider and number == self.low) for number in answer)

    @property
    def solution(self) -> tuple[float | None, ...] | None:
        return self.right or None

    def score(self, answer: tuple[float | None, ...]) -> float | None:
        """The share of the numbers that are right."""
        if not self.right:
            return None
        near = [
            number is not None and abs(number - right) <= self.slack * right + 1e-9
            for number, right in zip(answer, self.right, strict=True)
        ]
        return sum(near) / len(near)


@dataclass(frozen=True)
class Order(Question[tuple[str, ...]]):
    """Put the options in order. Written `b.a.c`; an incomplete answer has fewer options.

    `right` : the right order; empty if there is none.
    """

    options: tuple[Option, ...]
    right: tuple[str, ...]
    kind: ClassVar[str] = "order"

    def read(self, written: str) -> tuple[str, ...] | None:
        codes = tuple(written.split("."))
        known = {option.code for option in self.options}
        return codes if set(codes) <= known and len(set(codes)) == len(codes) else None

    def write(self, answer: tuple[str, ...]) -> str:
        return ".".join(answer)

    def is_complete(self, answer: tuple[str, ...]) -> bool:
        return len(answer) == len(self.options)

    @property
    def solution(self) -> tuple[str, ...] | None:
        return self.right or None

    def score(self, answer: tuple[str, ...]) -> float | None:
        return float(answer == self.right) if self.right else None


@dataclass(frozen=True)
class Word(Question[str]):
    """Write a word or a sentence. `right` : accepted answers, ignoring case and spaces; may be empty."""

    limit: int = 40
    right: tuple[str, ...] = ()
    kind: ClassVar[str] = "word"

    def read(self, written: str) -> str | None:
        """The text, truncated to the limit, without lone surrogates and U+FFFD."""
        text = written.encode("utf-8", "ignore").decode().replace("\ufffd", "")
        return text.strip()[: self.limit] or None

    def write(self, answer: str) -> str:
        return answer

    @property
    def solution(self) -> str | None:
        return self.right[0] if self.right else None

    def score(self, answer: str) -> float | None:
        if not self.right:
            return None
        return float(_compared(answer) in map(_compared, self.right))


def _compared(answer: str) -> str:
    """An answer without white space and case, in NFC."""
    return "".join(composed(answer).split()).casefold()
