"""Korean forced choice: of two sentences that differ in one word, which one does a language model find likelier?

The sentences, in forced_choice.tsv, are the project's own: particles after nouns (이/가, 을/를, 은/는), connectives,
and blanks that one of two words fills. Both words take the same bytes, so fewer bits a sentence are fewer a byte.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

_ITEMS = Path(__file__).with_suffix(".tsv")


class ForcedChoice(NamedTuple):
    """Two sentences, and what their difference is an example of."""

    kind: str
    right: str
    wrong: str


def choices() -> list[ForcedChoice]:
    """All items; a line of the file is the kind and a sentence with `{right|wrong}`."""
    found = []
    for line in _ITEMS.read_text(encoding="utf-8").splitlines():
        kind, sentence = line.split("\t")
        before, rest = sentence.split("{")
        words, after = rest.split("}")
        right, wrong = words.split("|")
        found.append(ForcedChoice(kind, before + right + after, before + wrong + after))
    return found


def sentences(items: Sequence[ForcedChoice]) -> list[str]:
    """The right sentence of every item, then the wrong ones."""
    return [item.right for item in items] + [item.wrong for item in items]


def is_right(bits: np.ndarray) -> np.ndarray:
    """bool[n_items]: whether the right sentence takes fewer bits; `bits` is of `sentences`."""
    right, wrong = np.split(bits, 2)
    return right < wrong
