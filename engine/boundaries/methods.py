"""Every method of the entropy-driven pre-tokenization paper on one gold text: the rows of its Table 1."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.boundaries.scoring import score_segmentation
from engine.boundaries.segmenter import bpe_words, learn_boundaries, pieces, train_inside

# The method, and the lambda of those that have one.
TRIED = (("none", 0.0), ("entropy-only", 0.0), *(("pmi-entropy", lam) for lam in (0.0, 1.0, 4.0, 15.0)),
         ("lm-entropy", 0.0))  # fmt: skip


class MethodScores(NamedTuple):
    """How well a method finds the words of a gold text.

    Attributes
    ----------
    method : one of engine.boundaries.segmenter.METHODS.
    lam : NaN where the method has none.
    bpe : whether BPE cut further inside its pieces.
    precision, recall, f1 : of words, both ends right.
    boundary_f1 : of the places between characters.
    vocab_size : tokens of the BPE; None without.
    """

    method: str
    lam: float
    bpe: bool
    precision: float
    recall: float
    f1: float
    boundary_f1: float
    vocab_size: int | None


def method_scores(
    gold: Sequence[Sequence[str]], train: Sequence[str], total: str, edges: bool, order: int, rule: str, size: int
) -> Iterator[MethodScores]:
    """Every method, alone and with BPE inside; parameters as of `learn_boundaries` and `train_inside`."""
    texts = ["".join(words) for words in gold]

    def scored(predicted: list[list[str]], vocab_size: int | None) -> MethodScores:
        found = score_segmentation(gold, predicted)
        shares = (found.precision, found.recall, found.f1, found.boundary_f1)
        return MethodScores(method, shown, vocab_size is not None, *shares, vocab_size)

    for method, lam in TRIED:
        cut = learn_boundaries(method, train, lam, total, edges, order, rule)
        shown = lam if method == "pmi-entropy" else float("nan")
        if method != "none":
            yield scored([pieces(text, cut(text)) for text in texts], None)
        model = train_inside(train, cut, size)
        yield scored([bpe_words(model, text, cut(text)) for text in texts], model.vocab_size)
