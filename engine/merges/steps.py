"""How merges build the tokens of a word, one merge after another: for display, in plain Python."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from engine.tokenizer import Encoding, MergeStep

# Number (from 1) and token of the merge of two adjacent tokens; None if they do not merge.
MergeOf = Callable[[int, int], tuple[int, int] | None]


def merge_steps(symbols: Sequence[int], bounds: Sequence[int], merge_of: MergeOf) -> list[MergeStep]:
    """The symbols of a word, then its tokens after each merge; the lowest number merges first, the leftmost on ties.

    Parameters
    ----------
    symbols : ids.
    bounds : byte offsets, one more than symbols.
    """
    ids, edges = list(symbols), list(bounds)
    steps = [_step(0, ids, edges)]
    while True:
        found = [(*merge, at) for at in range(len(ids) - 1) if (merge := merge_of(ids[at], ids[at + 1]))]
        if not found:
            return steps
        number, made, at = min(found, key=lambda one: (one[0], one[2]))
        ids[at : at + 2] = [made]
        del edges[at + 1]
        steps.append(_step(number, ids, edges))


def _step(number: int, ids: Sequence[int], edges: Sequence[int]) -> MergeStep:
    return MergeStep(number, Encoding([*ids], list(pairwise(edges))))
