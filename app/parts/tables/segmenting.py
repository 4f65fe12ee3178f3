"""Segment a few texts in many rounds without building the vocabularies of these rounds.

A vocabulary of a million tokens takes a second to index, and a page that shows every round would need all of them.
Only tokens that are substrings of a text can occur in it, so a vocabulary of just these gives the same segmentation in
a fraction of a millisecond.
"""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np

from engine.config import N_BYTES
from engine.lattice.vocabulary import Vocabulary
from engine.tokenizer import PrunedTokenizer


def rows_within(model: PrunedTokenizer, texts: Iterable[str]) -> np.ndarray:
    """Rows (int64, ascending) of the single bytes and of all seed tokens that occur in one of the texts."""
    tokens = model.tokens
    rows = set(range(N_BYTES))
    for text in set(texts):
        data = text.encode("utf-8", "replace")
        is_start = [byte & 0xC0 != 0x80 for byte in data] + [True]
        for begin in range(len(data)):
            low = N_BYTES
            for end in range(begin + 1, len(data) + 1):
                if not is_start[begin] and is_start[end - 1]:
                    break  # tokens that begin inside a character end in it
                piece = data[begin:end]
                low = bisect_left(tokens, piece, low)
                if low == len(tokens) or not tokens[low].startswith(piece):
                    break
                if tokens[low] == piece:
                    rows.add(low)
    return np.array(sorted(rows), dtype=np.int64)


class RoundSegmenter:
    """Segments texts in any round of a model.

    Parameters
    ----------
    model : with its rounds.
    texts : all texts to be segmented, in the model's normal form.
    """

    def __init__(self, model: PrunedTokenizer, texts: Iterable[str]) -> None:
        self._model = model
        self._rows = rows_within(model, texts)
        self._vocabularies: dict[int, tuple[np.ndarray, Vocabulary]] = {}

    def segment(self, text: str, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and byte ends of the best segmentation, as the model's own `segment`."""
        if number not in self._vocabularies:
            self._vocabularies[number] = self._vocabulary(number)
        rows, vocabulary = self._vocabularies[number]
        numbers, ends = vocabulary.encode(text)
        return rows[numbers], ends

    def _vocabulary(self, number: int) -> tuple[np.ndarray, Vocabulary]:
        model = self._model
        died = model.died_in_round[self._rows]
        rows = self._rows[(died == -1) | (died >= number)]
        log_prob = model.history[number].log_prob[np.searchsorted(model.alive_rows(number), rows)]
        tokens = [model.tokens[row] for row in rows.tolist()]
        return rows, Vocabulary(tokens, log_prob, model.pretokenizer, model.settings.partial_characters)
