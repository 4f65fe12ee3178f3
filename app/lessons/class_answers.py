"""The answers of a class: shares, tallies, the majority answer, and agreement."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from app.lessons.questions import Cuts, Numbers, Question, cut_places

# Share of students above which a cut counts as the class's.
_MOST = 0.5


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


def tally(answers: Sequence[Any]) -> list[tuple[Any, int]]:
    """Each answer with its count, most frequent first; ties in order of arrival."""
    return Counter(answers).most_common()


def class_answer(question: Question[Any], answers: Sequence[Any]) -> Any:
    """The answer of the class: cuts made by at least half, medians of numbers, else the most frequent answer.

    None without answers; ties go to the answer that came first.
    """
    if not answers:
        return None
    if isinstance(question, Cuts):
        return tuple(place for place, share in cut_shares(question, answers).items() if share >= _MOST)
    if isinstance(question, Numbers):
        columns = zip(*answers, strict=True)
        return tuple(median(known) if (known := [n for n in column if n is not None]) else None for column in columns)
    return tally(answers)[0][0]


def pairwise_agreement(question: Question[Any], answers: Sequence[Any]) -> float | None:
    """Mean agreement of two students: F1 of their cuts, averaged over all pairs, else the share of equal pairs.

    None for fewer than two answers.
    """
    if len(answers) < 2:
        return None
    if isinstance(question, Cuts):
        cuts = _cut_table(question, answers)
        n_cuts = cuts.sum(axis=1)
        both, sums = cuts @ cuts.T, n_cuts[:, None] + n_cuts
        f1 = np.where(sums > 0, 2 * both / np.maximum(sums, 1), 1.0)  # no cuts on either side: agreement
        pairs = np.triu_indices(len(answers), 1)
        return float(f1[pairs].mean())
    n = len(answers)
    return sum(count * (count - 1) for _, count in tally(answers)) / (n * (n - 1))


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
