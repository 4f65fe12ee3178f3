"""How many."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any, ClassVar

from app.classroom.questions.question import Named, Question


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

    def in_words(self, answer: tuple[float | None, ...], named: Named) -> str:
        return " · ".join("–" if number is None else f"{number:g}{self.unit}" for number in answer)

    def class_answer(self, answers: Sequence[tuple[float | None, ...]]) -> Any:
        columns = [[n for n in column if n is not None] for column in zip(*answers, strict=True)]
        return tuple(median(column) if column else None for column in columns) or None

    def shape(self, named: Named) -> dict[str, object]:
        return {
            "labels": ["" if label == self.unit else label for label in self.labels],
            "low": self.low,
            "high": self.high,
            "step": self.step,
            "slider": self.is_slider,
            "unit": self.unit,
        }

    def result(self, answers: Sequence[tuple[float | None, ...]]) -> dict[str, object]:
        middle = self.class_answer(answers)
        return {} if middle is None else {"class": self.write(middle)}

    def simulated(self, language: str, dice: Random) -> tuple[float | None, ...]:
        return tuple(self._number(place, dice) for place in range(len(self.labels)))

    def _number(self, place: int, dice: Random) -> float:
        about = self.right[place] if self.right else 10.0
        n_steps = round(about * dice.lognormvariate(0, 0.35) / self.step)
        # A slider at its low end does not count as an answer.
        low = self.low + (self.step if self.is_slider else 0)
        return min(self.high, max(low, round(n_steps * self.step, 6)))

    def score(self, answer: tuple[float | None, ...]) -> float | None:
        """The share of the numbers that are right."""
        if not self.right:
            return None
        near = [
            number is not None and abs(number - right) <= self.slack * right + 1e-9
            for number, right in zip(answer, self.right, strict=True)
        ]
        return sum(near) / len(near)
