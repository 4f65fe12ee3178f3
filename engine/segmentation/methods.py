"""Every method of the entropy-driven pre-tokenization paper on one gold text: the rows of its Table 1."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.segmentation.scoring import f1_sums, score_segmentation
from engine.segmentation.segmenter import cut_texts, learn_boundaries

# Methods, with lambda if they have one.
TRIED = (
    ("none", 0.0),
    ("entropy-only", 0.0),
    *(("pmi-entropy", lam) for lam in (0.0, 1.0, 4.0, 15.0)),
    ("lm-entropy", 0.0),
)


class MethodScores(NamedTuple):
    """How well a method finds the words of a gold text.

    Attributes
    ----------
    method : one of engine.segmentation.segmenter.METHODS.
    lam : NaN if the method has none.
    bpe : whether BPE cut further inside the method's pieces.
    precision, recall, f1 : of words, with both ends correct.
    boundary_f1 : of boundaries between characters.
    vocab_size : of the BPE; None without.
    oov_recall : of words not in the training text; NaN if its words are unknown.
    f1_sums : int64[n_lines, 2], what each line adds to the two sums of F1.
    """

    method: str
    lam: float
    bpe: bool
    precision: float
    recall: float
    f1: float
    boundary_f1: float
    vocab_size: int | None
    oov_recall: float
    f1_sums: np.ndarray


def method_scores(
    gold: Sequence[Sequence[str]],
    train: Sequence[str],
    total: str,
    edges: bool,
    order: int,
    rule: str,
    size: int,
    known: Collection[str] = (),
) -> Iterator[MethodScores]:
    """Scores of every method, alone and with BPE inside its pieces.

    Parameters as in `learn_boundaries`, `cut_texts` and `score_segmentation`.
    """
    texts = ["".join(words) for words in gold]

    for method, lam in TRIED:
        cut = learn_boundaries(method, train, lam, total, edges, order, rule)
        shown = lam if method == "pmi-entropy" else float("nan")
        for most in (size,) if method == "none" else (None, size):
            words, vocab_size = cut_texts(texts, cut, train, most)
            found = score_segmentation(gold, words, known)
            shares = (found.precision, found.recall, found.f1, found.boundary_f1)
            yield MethodScores(
                method, shown, most is not None, *shares, vocab_size, found.oov_recall, f1_sums(gold, words)
            )
