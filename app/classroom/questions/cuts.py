"""Where to cut a text, and how far a class agrees on it."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, NamedTuple

import numpy as np

from app.classroom.questions.question import Named, Question
from app.components.data import cut_places
from engine.segmentation.scoring import harmonic_mean

_NO_CUT = "none"
# Share of students above which a cut counts as the class's.
_MOST = 0.5
# Probability that a simulated student makes a right cut, and a wrong one.
_RIGHT_CUT, _WRONG_CUT = 0.75, 0.15


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

    def in_words(self, answer: tuple[int, ...], named: Named) -> str:
        bounds = [0, *sorted(answer), len(self.text)]
        return "|".join(self.text[a:b] for a, b in pairwise(bounds))

    def class_answer(self, answers: Sequence[tuple[int, ...]]) -> Any:
        """The cuts made by at least half."""
        if not answers:
            return None
        return tuple(place for place, share in cut_shares(self, answers).items() if share >= _MOST)

    def agreement(self, answers: Sequence[tuple[int, ...]]) -> float | None:
        """F1 of two students' cuts, averaged over all pairs."""
        if len(answers) < 2:
            return None
        cuts = _cut_table(self, answers)
        n_cuts = cuts.sum(axis=1)
        both, sums = cuts @ cuts.T, n_cuts[:, None] + n_cuts
        f1 = np.where(sums > 0, 2 * both / np.maximum(sums, 1), 1.0)  # no cuts on either side: agreement
        pairs = np.triu_indices(len(answers), 1)
        return float(f1[pairs].mean())

    def shape(self, named: Named) -> dict[str, object]:
        return {"text": self.text}

    def result(self, answers: Sequence[tuple[int, ...]]) -> dict[str, object]:
        return {"shares": [[place, round(share, 3)] for place, share in cut_shares(self, answers).items()]}

    def simulated(self, language: str, dice: Random) -> tuple[int, ...]:
        right = self.right or ()
        return tuple(
            place
            for place in cut_places(self.text)
            if dice.random() < (_RIGHT_CUT if place in right else _WRONG_CUT if right else 0.3)
        )

    def pieces(self, answer: Collection[int]) -> list[str]:
        """The text between the cuts; white space always cuts, and is left out."""
        cuts = {*answer, *(k for k, char in enumerate(self.text) if char.isspace())}
        bounds = [0, *sorted(cuts), len(self.text)]
        return [piece for a, b in pairwise(bounds) if (piece := self.text[a:b].strip())]


class Disputed(NamedTuple):
    """The place a class disagrees about most: its character offset, and the share of students who cut there."""

    place: int
    share: float


def cut_shares(question: Cuts, answers: Sequence[tuple[int, ...]]) -> dict[int, float]:
    """For every possible cut, the share of the class (0 to 1) that made it; empty without answers.

    >>> cut_shares(Cuts("abc"), [(1,), (1, 2)])
    {1: 1.0, 2: 0.5}
    """
    counts = Counter(place for answer in answers for place in answer)
    return {place: counts[place] / len(answers) for place in cut_places(question.text)} if answers else {}


def most_disputed(shares: dict[int, float]) -> Disputed | None:
    """The place whose share is closest to one half, the first on ties; None if everyone agrees everywhere."""
    places = [Disputed(place, share) for place, share in shares.items() if 0 < share < 1]
    return min(places, key=lambda one: abs(one.share - 0.5), default=None)


def krippendorff_alpha(question: Cuts, answers: Sequence[tuple[int, ...]]) -> float | None:
    """Krippendorff's alpha of the cuts: students are the coders, places the units, cut or not the (nominal) values.

    1 is full agreement, 0 is chance. None for fewer than two answers, and undefined (None) if every student gives the
    same value everywhere (Krippendorff, Content Analysis, 2018, chapter 12).
    """
    if len(answers) < 2 or not cut_places(question.text):
        return None
    cuts = _cut_table(question, answers)
    n_coders, n_values = len(answers), cuts.size
    n_cut = cuts.sum(axis=0)
    observed = float((n_cut * (n_coders - n_cut)).sum() * 2 / (n_coders - 1))
    expected = float(2 * cuts.sum() * (n_values - cuts.sum()) / (n_values - 1))
    return 1 - observed / expected if expected else None


def _cut_table(question: Cuts, answers: Sequence[tuple[int, ...]]) -> np.ndarray:
    """float64[n_answers, n_places]: 1 where the student cuts."""
    places = {place: column for column, place in enumerate(cut_places(question.text))}
    table = np.zeros((len(answers), len(places)))
    for row, answer in enumerate(answers):
        table[row, [places[place] for place in answer]] = 1
    return table
