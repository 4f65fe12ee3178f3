"""Merges of a changed vocabulary: new ones go on where those of a tokenizer end, and leaves go first."""

from heapq import heapify, heappop, heappush
from itertools import repeat

import numpy as np

from engine.errors import InputError, require_between
from engine.fit.editable import LONGEST_TOKEN, MOST_NEW, Editable, EncodedWords, MergeParts, NewMerge
from engine.merge_settings import MergeSettings
from engine.merges.run import MergeRun
from engine.merges.vocabulary import Token


def continue_merges(editable: Editable, words: EncodedWords, n: int, min_count: int) -> list[NewMerge]:
    """The merges of up to n new tokens, the most frequent pair first; ties go to the smallest pair of ids.

    Two merges may form the same text; they make the same token. A pair whose text is an old token is merged by rank
    files anyway. Elsewhere it stays two tokens: merging it would change how text without new tokens is encoded. Tokens
    of more than LONGEST_TOKEN bytes are left out.

    Parameters
    ----------
    words : of the text.
    min_count : the least count of a pair.
    """
    require_between("new_tokens", n, 0, MOST_NEW)
    n_old = editable.tokenizer.vocab_size
    if n == 0 or words.weight.size == 0:
        return []
    first = list(repeat(Token("", b""), n_old))
    settings = MergeSettings(vocab_size=None, ties="tokenizers", min_count=min_count)
    run = MergeRun(words.symbols, words.ptr, words.weight, first, settings)
    made = NewMerges(editable)
    ids = list(range(n_old))  # by number of the run: every merge of it has one, but not every one makes a token (-1)
    while made.n_new < n and not run.is_exhausted:
        history = run.merge(n - made.n_new)
        pairs = zip(history.left.tolist(), history.right.tolist(), history.frequency.tolist(), strict=True)
        for left, right, count in pairs:
            ids.append(made.add(ids[left], ids[right], count) if min(ids[left], ids[right]) >= 0 else -1)
    return made.merges


class NewMerges:
    """Merges after those of a tokenizer, and the ids of the tokens that they make.

    Attributes
    ----------
    merges : in order, each pair once.
    n_new : tokens that they add.
    """

    def __init__(self, editable: Editable) -> None:
        self.merges: list[NewMerge] = []
        self.n_new = 0
        self._n_old = editable.tokenizer.vocab_size
        self._by_text = editable.merges_by_text
        self._texts = editable.texts()
        self._id_of_text = {text: i for i, text in enumerate(self._texts or ()) if text}
        self._ranks: dict[tuple[int, int], tuple[int, int]] = {}

    def add(self, left: int, right: int, frequency: int = 0) -> int:
        """The token that the ids `left` and `right` make from now on; -1 if they stay two."""
        made = self._made(left, right)
        if made >= self._n_old and (left, right) not in self._ranks:
            self._ranks[left, right] = (len(self.merges), made)
            self.merges.append(NewMerge(left, right, made, self._texts[made] if self._texts else b"", frequency))
        return made

    def rank(self, left: int, right: int) -> tuple[int, int] | None:
        """The rank of the merge of two ids that no old merge joins, and the token it makes; None if they stay two."""
        if not self._by_text or self._texts is None:
            return self._ranks.get((left, right))
        made = self._id_of_text.get(self._texts[left] + self._texts[right])
        return None if made is None else (made, made)

    def _made(self, left: int, right: int) -> int:
        new = self._n_old + self.n_new
        if self._texts is None:
            made = self._ranks.get((left, right), (0, new))[1]
            self.n_new += made == new
            return made
        text = self._texts[left] + self._texts[right]
        if len(text) > LONGEST_TOKEN:
            return -1
        made = self._id_of_text.setdefault(text, new)
        if made == new:
            self._texts.append(text)
            self.n_new += 1
        return made if made >= self._n_old or self._by_text else -1


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
