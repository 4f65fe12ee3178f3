"""Merges that go on where those of a tokenizer end, learned from a text that it has encoded."""

from itertools import repeat

import numpy as np

from engine.errors import InputError
from engine.fit.editable import LONGEST_TOKEN, Editable, EncodedWords, NewMerge
from engine.merge_settings import MergeSettings
from engine.merges.run import MergeRun
from engine.merges.vocabulary import Token

# Most tokens that are added at once: embeddings of more would be most of the model.
MOST_NEW = 500_000


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
    if n > MOST_NEW:
        raise InputError("fit.many", most=MOST_NEW)
    n_old = editable.tokenizer.vocab_size
    words = _mergeable(words)
    if n == 0 or words.weight.size == 0:
        return []
    first = list(repeat(Token("", b""), n_old))
    settings = MergeSettings(vocab_size=None, ties="tokenizers", min_count=min_count)
    run = MergeRun(words.symbols, words.ptr, words.weight, first, settings)
    made = _MadeTokens(editable, n_old)
    while made.n_new < n and not run.is_exhausted:
        history = run.merge(n - made.n_new)
        for left, right in zip(history.left.tolist(), history.right.tolist(), strict=True):
            made.add(left, right)
    return made.merges


def _mergeable(words: EncodedWords) -> EncodedWords:
    """The words of more than one symbol."""
    size = np.diff(words.ptr)
    kept = size > 1
    ptr = np.concatenate([[0], np.cumsum(size[kept])]).astype(np.int64)
    return EncodedWords(words.symbols[np.repeat(kept, size)], ptr, words.weight[kept])


class _MadeTokens:
    """The ids of the tokens that a run makes: every merge of it has a number, but not every one makes a new token."""

    def __init__(self, editable: Editable, n_old: int) -> None:
        self.merges: list[NewMerge] = []
        self.n_new = 0
        self._n_old = n_old
        self._by_text = editable.merges_by_text
        self._id_of_number = list(range(n_old))  # -1: not a token
        self._texts = editable.texts()
        self._id_of_text = {text: i for i, text in enumerate(self._texts or ()) if text}
        self._pairs: set[tuple[int, int]] = set()

    def add(self, left_number: int, right_number: int) -> None:
        """The next merge of the run."""
        left, right = self._id_of_number[left_number], self._id_of_number[right_number]
        made = -1 if left < 0 or right < 0 else self._made(left, right)
        self._id_of_number.append(made)
        if made >= self._n_old and (left, right) not in self._pairs:
            self._pairs.add((left, right))
            self.merges.append(NewMerge(left, right, made))

    def _made(self, left: int, right: int) -> int:
        new = self._n_old + self.n_new
        if self._texts is None:
            self.n_new += 1
            return new
        text = self._texts[left] + self._texts[right]
        if len(text) > LONGEST_TOKEN:
            return -1
        made = self._id_of_text.setdefault(text, new)
        if made == new:
            self._texts.append(text)
            self.n_new += 1
        return made if made >= self._n_old or self._by_text else -1
