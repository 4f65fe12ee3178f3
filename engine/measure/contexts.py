"""Neighbours of a string in a corpus: branching entropies, accessor variety, cohesion."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_EDGE = ""


class Contexts(NamedTuple):
    """Neighbours of a string. Entropies are in nats; the edge of a line is one neighbour.

    Attributes
    ----------
    n : occurrences, including overlapping ones.
    left_entropy, right_entropy : branching entropy of the character before and after (Jin and Tanaka-Ishii 2006).
    left_variety, right_variety : number of distinct characters; every edge counts as distinct (accessor variety, Feng
        et al. 2004: the smaller of the two).
    cohesion : (f(w) / f(w_1))^(1 / (n - 1)), the mean probability of the next character inside the string (cohesion
        score of Kim 2013, as in soynlp); NaN for a single character.
    """

    n: int
    left_entropy: float
    right_entropy: float
    left_variety: int
    right_variety: int
    cohesion: float


def contexts_of(text: str, lines: Sequence[str]) -> Contexts:
    """Neighbours of a string over the lines.

    >>> contexts = contexts_of("나", ["가나다", "가나라"])
    >>> contexts.n, contexts.left_variety, contexts.right_variety
    (2, 1, 2)
    """
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    first = 0
    for line in lines:
        if text[:1]:
            first += line.count(text[:1])
        at = line.find(text) if text else -1
        while at >= 0:
            left[line[at - 1] if at else _EDGE] += 1
            end = at + len(text)
            right[line[end] if end < len(line) else _EDGE] += 1
            at = line.find(text, at + 1)
    count = left.total()
    cohesion = math.nan
    if len(text) > 1:
        cohesion = (count / first) ** (1 / (len(text) - 1)) if first else 0.0
    return Contexts(count, _entropy(left), _entropy(right), _variety(left), _variety(right), cohesion)


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(n / total * math.log(n / total) for n in counts.values()) if total else 0.0


def _variety(counts: Counter[str]) -> int:
    return len(counts) - (_EDGE in counts) + counts[_EDGE]
