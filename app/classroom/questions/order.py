"""In which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from app.classroom.questions.question import RIGHT, Named, Option, Question


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

    def in_words(self, answer: tuple[str, ...], named: Named) -> str:
        texts = {option.code: option.text(named) for option in self.options}
        return " < ".join(texts[code] for code in answer)

    def shape(self, named: Named) -> dict[str, object]:
        return {"options": [[option.code, option.text(named)] for option in self.options]}

    def result(self, answers: Sequence[tuple[str, ...]]) -> dict[str, object]:
        usual = self.class_answer(answers)
        return {} if usual is None else {"class": self.write(usual)}

    def simulated(self, language: str, dice: Random) -> tuple[str, ...]:
        codes = [option.code for option in self.options]
        return self.right if self.right and dice.random() < RIGHT else tuple(dice.sample(codes, len(codes)))

    def score(self, answer: tuple[str, ...]) -> float | None:
        return float(answer == self.right) if self.right else None
