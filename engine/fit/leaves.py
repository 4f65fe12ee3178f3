"""Which tokens a smaller vocabulary keeps: leaves go first, so that every kept token can still be merged."""

from heapq import heapify, heappop, heappush

import numpy as np

from engine.errors import InputError
from engine.fit.editable import MergeParts


def used_tokens(parts: MergeParts, count: np.ndarray) -> np.ndarray:
    """bool[n_ids]: the fixed tokens, those with a count (int64[n_ids]), and the parts of all these."""
    kept = parts.is_fixed | (count > 0)
    new = np.flatnonzero(kept)
    while new.size:
        below = np.concatenate([parts.left[new], parts.right[new]])
        below = np.unique(below[below >= 0])
        new = below[~kept[below]]
        kept[new] = True
    return kept


def largest_tokens(parts: MergeParts, count: np.ndarray, size: int) -> np.ndarray:
    """bool[n_ids]: the tokens left when leaves are removed one by one until there are `size`.

    A leaf is a token of which no kept token is made. The one with the lowest count goes first, of equal ones the
    latest (`MergeParts.order`); its occurrences become those of its parts. Without counts the latest merges go.

    Parameters
    ----------
    count : int64[n_ids], occurrences on a text.
    size : tokens to keep, the fixed ones included.

    Raises
    ------
    InputError : there are fewer tokens, or more that are fixed.
    """
    kept = np.ones(count.size, dtype=bool)
    fixed = used_tokens(parts, np.zeros_like(count))
    if not int(fixed.sum()) <= size <= count.size:
        raise InputError("fit.size", size=size, least=int(fixed.sum()), most=count.size)
    made = parts.left >= 0
    uses = np.bincount(np.concatenate([parts.left[made], parts.right[made]]), minlength=count.size)
    counts, left, right = count.tolist(), parts.left.tolist(), parts.right.tolist()
    before = (-np.arange(count.size) if parts.order is None else -parts.order).tolist()
    leaves = [(counts[i], before[i], i) for i in np.flatnonzero(~fixed & (uses == 0)).tolist()]
    heapify(leaves)
    for _ in range(count.size - size):
        known, _, leaf = heappop(leaves)
        while known != counts[leaf]:  # it has more occurrences since
            heappush(leaves, (counts[leaf], before[leaf], leaf))
            known, _, leaf = heappop(leaves)
        kept[leaf] = False
        for part in (left[leaf], right[leaf]) if left[leaf] >= 0 else ():
            counts[part] += counts[leaf]
            uses[part] -= 1
            if uses[part] == 0 and not fixed[part]:
                heappush(leaves, (counts[part], before[part], part))
    return kept
