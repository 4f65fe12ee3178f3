"""Merges that go on where those of a tokenizer end, learned from a text that it has encoded."""

from itertools import repeat

from engine.errors import InputError
from engine.fit.editable import LONGEST_TOKEN, MOST_NEW, Editable, EncodedWords, NewMerge
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
    if n > MOST_NEW:
        raise InputError("fit.many", most=MOST_NEW)
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
