"""Scores of a segmentation against gold: words as in the SIGHAN bakeoff, boundaries, out-of-vocabulary words.

Word level (Emerson 2005): a word is correct if both its ends are; P, R, F1 over all words. Boundary level: positions
between characters inside a line; the ends of lines are given and do not count. R_oov: recall of the gold words that are
not in the training text.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.measure.morphemes.alignment import align
from engine.measure.morphemes.gold import parse_gold


class Scores(NamedTuple):
    """Shares from 0 to 1; `oov_recall` is NaN where every gold word is in the training text."""

    precision: float
    recall: float
    f1: float
    boundary_precision: float
    boundary_recall: float
    boundary_f1: float
    oov_recall: float
    n_words: int  # gold words
    n_oov: int  # gold words that are not in the training text


class GoldWords(NamedTuple):
    """The words of gold sentences.

    Attributes
    ----------
    words : by sentence.
    whole : distinct eojeols kept as one word because they could not be aligned with their morphemes, with their counts,
        most frequent first.
    """

    words: list[list[str]]
    whole: tuple[tuple[str, int], ...] = ()


def read_gold(lines: Sequence[str]) -> GoldWords:
    """Words of gold lines: a sentence per line, white space between its words.

    A file with a TAB contains eojeols and their morphemes, in sentences (`engine.measure.morphemes.gold.parse_gold`).
    Its words are the pieces between morpheme boundaries: 갔 and 다 for 가+았+다. Empty lines and lines that begin with
    # are skipped.

    Raises
    ------
    InputError : a line of a morpheme file is malformed.
    """
    kept = [line for line in lines if line.strip() and not line.startswith("#")]
    if not any("\t" in line for line in kept):
        return GoldWords([line.split() for line in kept])
    gold: list[list[str]] = []
    whole: Counter[str] = Counter()
    for sentence in parse_gold(lines):
        words: list[str] = []
        for word in sentence.words:
            found = align(word.surface, word.morphemes) if word.complete else None
            if found is None:
                whole[word.surface] += 1
            cuts = found.boundaries if found is not None else ()
            words += ["".join(word.surface[a:b].split()) for a, b in pairwise((0, *cuts, len(word.surface)))]
        gold.append([word for word in words if word])
    return GoldWords(gold, tuple(whole.most_common()))


def score_segmentation(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], known: Collection[str] = ()
) -> Scores:
    """Compare two segmentations of the same lines.

    Parameters
    ----------
    gold, predicted : words of every line; both must spell the same text.
    known : words of the training text; the recall of all others is R_oov.

    Raises
    ------
    InputError : the lines differ in number or in text, or there are none.

    Examples
    --------
    >>> scores = score_segmentation([["ab", "c"]], [["a", "b", "c"]])
    >>> round(scores.precision, 2), scores.recall, round(scores.f1, 2)
    (0.33, 0.5, 0.4)
    """
    if len(gold) != len(predicted):
        raise InputError("gold.lines", n_gold=len(gold), n_predicted=len(predicted))
    if not gold:
        raise InputError("corpus.empty")
    right = n_gold = n_predicted = right_oov = n_oov = 0
    right_cuts = gold_cuts = predicted_cuts = 0
    seen = set(known)
    for number, (own, other) in enumerate(zip(gold, predicted, strict=True), start=1):
        if "".join(own) != "".join(other):
            raise InputError("gold.differs", number=number)
        spans, found = _spans(own), set(_spans(other))
        n_gold, n_predicted = n_gold + len(spans), n_predicted + len(found)
        right += sum(span in found for span in spans)
        for word, span in zip(own, spans, strict=True):
            if seen and word not in seen:
                n_oov += 1
                right_oov += span in found
        cuts, others = {end for _, end in spans[:-1]}, {end for _, end in _spans(other)[:-1]}
        right_cuts += len(cuts & others)
        gold_cuts, predicted_cuts = gold_cuts + len(cuts), predicted_cuts + len(others)
    precision, recall, f1 = _prf(right, n_predicted, n_gold)
    boundary = _prf(right_cuts, predicted_cuts, gold_cuts)
    return Scores(precision, recall, f1, *boundary, right_oov / n_oov if n_oov else float("nan"), n_gold, n_oov)


def f1_sums(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> np.ndarray:
    """int64[n_lines, 2]: what each line adds to the two sums whose ratio is the word-level F1."""
    lines = [(set(_spans(own)), set(_spans(other))) for own, other in zip(gold, predicted, strict=True)]
    sums = [(2 * len(spans & found), len(spans) + len(found)) for spans, found in lines]
    return np.array(sums, dtype=np.int64).reshape(-1, 2)


def _spans(words: Sequence[str]) -> list[tuple[int, int]]:
    return list(pairwise(_ends(words)))


def _ends(words: Sequence[str]) -> list[int]:
    """Where words end, after 0."""
    return list(accumulate(map(len, words), initial=0))


def _prf(right: int, predicted: int, gold: int) -> tuple[float, float, float]:
    if predicted == gold == 0:
        return 1.0, 1.0, 1.0  # nothing to find, nothing found
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    return precision, recall, harmonic_mean(precision, recall)


def harmonic_mean(precision: float, recall: float) -> float:
    """F1 = 2 P R / (P + R); 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


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
    edges, others = set(_ends(gold)), set(_ends(found))
    result = []
    for begin, end in pairwise(sorted(edges & others)):
        own, pieces = (
            tuple(text[a:b] for a, b in pairwise(sorted(edge for edge in side if begin <= edge <= end)))
            for side in (edges, others)
        )
        kind = (RIGHT, OVER, UNDER, BOTH)[(len(pieces) > 1) + 2 * (len(own) > 1)]
        result.append(ErrorSpan(kind, begin, end, own, pieces))
    return result
