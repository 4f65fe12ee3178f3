"""A question asked before a result is revealed: its valid answers, how these are written, and which are right."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

A = TypeVar("A")

# Labels of options that have none, by code.
Named = Mapping[str, str]

# Probability of a simulated student's right answer.
RIGHT = 0.55


@dataclass(frozen=True)
class Question(ABC, Generic[A]):
    """A question whose answer is an `A`."""

    kind: ClassVar[str]
    n_lines: ClassVar[int] = 0  # to write the answer on, on paper

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

    def in_words(self, answer: A, named: Named) -> str:
        """An answer as people read it; `named` are the labels of options that have none."""
        return str(answer)

    def class_answer(self, answers: Sequence[A]) -> Any:
        """The answer of the class: the most frequent one, on ties that which came first; None without answers."""
        return tally(answers)[0][0] if answers else None

    def agreement(self, answers: Sequence[A]) -> float | None:
        """Mean agreement of two students, 0 to 1: the share of equal pairs; None for fewer than two answers."""
        n = len(answers)
        return sum(count * (count - 1) for _, count in tally(answers)) / (n * (n - 1)) if n > 1 else None

    @abstractmethod
    def shape(self, named: Named) -> dict[str, object]:
        """What a phone needs to draw it, as JSON."""

    def result(self, answers: Sequence[A]) -> dict[str, object]:
        """What a phone shows of the answers of the class, as JSON."""
        return {}

    @abstractmethod
    def simulated(self, language: str, dice: Random) -> A:
        """A complete random answer, as a student might give it."""


class Option(NamedTuple):
    """One option: how an answer writes it, and its label; an empty label is looked up in the catalogue."""

    code: str
    label: str = ""

    def text(self, named: Named) -> str:
        return self.label or named.get(self.code, self.code)


@dataclass(frozen=True)
class Options(Question[A]):
    """A question whose answer is one or several of its options.

    `between` : in words, what is between the options of an answer.
    """

    options: tuple[Option, ...]
    between: ClassVar[str] = ""

    def write(self, answer: A) -> str:
        return ".".join(codes_of(answer))

    def in_words(self, answer: A, named: Named) -> str:
        texts = {option.code: option.text(named) for option in self.options}
        return self.between.join(texts[code] for code in codes_of(answer))

    def shape(self, named: Named) -> dict[str, object]:
        return {"options": [[option.code, option.text(named)] for option in self.options]}


def codes_of(answer: object) -> tuple[str, ...]:
    """The codes in an answer to a question with options."""
    return answer if isinstance(answer, tuple) else (str(answer),)


def tally(answers: Sequence[A]) -> list[tuple[A, int]]:
    """Each answer with its count, most frequent first; ties in order of arrival."""
    return Counter(answers).most_common()
