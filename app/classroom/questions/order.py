"""In which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from app.classroom.questions.question import RIGHT, Options


@dataclass(frozen=True)
class Order(Options[tuple[str, ...]]):
    """Put the options in order. Written `b.a.c`; an incomplete answer has fewer options.

    `right` : the right order; empty if there is none.
    """

    right: tuple[str, ...]
    kind: ClassVar[str] = "order"
    between: ClassVar[str] = " < "
    n_lines: ClassVar[int] = 1

    def read(self, written: str) -> tuple[str, ...] | None:
        codes = tuple(written.split("."))
        known = {option.code for option in self.options}
        return codes if set(codes) <= known and len(set(codes)) == len(codes) else None

    def is_complete(self, answer: tuple[str, ...]) -> bool:
        return len(answer) == len(self.options)

    @property
    def solution(self) -> tuple[str, ...] | None:
        return self.right or None

    def result(self, answers: Sequence[tuple[str, ...]]) -> dict[str, object]:
        usual = self.class_answer(answers)
        return {} if usual is None else {"class": self.write(usual)}

    def simulated(self, language: str, dice: Random) -> tuple[str, ...]:
        codes = [option.code for option in self.options]
        return self.right if self.right and dice.random() < RIGHT else tuple(dice.sample(codes, len(codes)))

    def score(self, answer: tuple[str, ...]) -> float | None:
        return float(answer == self.right) if self.right else None
