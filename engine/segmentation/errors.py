"""How a segmentation differs from gold: words cut too much, too little, or elsewhere."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

RIGHT, OVER, UNDER, BOTH = KINDS = ("right", "over", "under", "both")


class ErrorSpan(NamedTuple):
    """A span of a sentence between two adjacent cuts common to gold and segmentation.

    Attributes
    ----------
    kind : `right`, the same word in both; `over`, one gold word in several pieces; `under`, several gold words in one
        piece; `both`, several in several.
    begin, end : code points.
    gold, found : its gold words, and its pieces.
    """

    kind: str
    begin: int
    end: int
    gold: tuple[str, ...]
    found: tuple[str, ...]


def stretches(gold: Sequence[str], found: Sequence[str]) -> list[ErrorSpan]:
    """The spans of one sentence; they tile it. Both sides must spell the same text.

    >>> [(one.kind, one.gold, one.found) for one in stretches(["학교", "에", "가", "요"], ["학", "교", "에가", "요"])]
    [('over', ('학교',), ('학', '교')), ('under', ('에', '가'), ('에가',)), ('right', ('요',), ('요',))]
    """
    text = "".join(gold)
    edges, others = _edges(gold), _edges(found)
    result = []
    for begin, end in pairwise(sorted(edges & others)):
        own, pieces = (
            tuple(text[a:b] for a, b in pairwise(sorted(edge for edge in side if begin <= edge <= end)))
            for side in (edges, others)
        )
        kind = (RIGHT, OVER, UNDER, BOTH)[(len(pieces) > 1) + 2 * (len(own) > 1)]
        result.append(ErrorSpan(kind, begin, end, own, pieces))
    return result


def _edges(words: Sequence[str]) -> set[int]:
    edges = {0}
    at = 0
    for word in words:
        at += len(word)
        edges.add(at)
    return edges
