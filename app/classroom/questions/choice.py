"""Which one of a few."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from app.classroom.questions.question import RIGHT, Options, tally


@dataclass(frozen=True)
class Choice(Options[str]):
    """Choose one of a few. Written as its code. `right` : the right codes; empty if it is a matter of taste."""

    right: tuple[str, ...] = ()
    kind: ClassVar[str] = "choice"

    def read(self, written: str) -> str | None:
        return written if any(option.code == written for option in self.options) else None

    @property
    def solution(self) -> str | None:
        return self.right[0] if self.right else None

    def result(self, answers: Sequence[str]) -> dict[str, object]:
        return {"tally": [[code, count] for code, count in tally(answers)]}

    def simulated(self, language: str, dice: Random) -> str:
        is_right = self.right and dice.random() < RIGHT
        return self.right[0] if is_right else dice.choice(self.options).code

    def score(self, answer: str) -> float | None:
        return float(answer in self.right) if self.right else None
