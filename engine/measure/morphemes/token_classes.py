"""What a token is in the grammar: a morpheme, a stem with its ending, or something that morphemes do not know."""

import numpy as np

from engine.measure.morphemes.analysis import Analysis, inside_words
from engine.measure.morphemes.tags import ENDING, STEM, kind_of_tag

# Numbers of the classes. White space around a token belongs to none of its morphemes.
MORPHEME = 0  # exactly one
STEM_ENDING = 1  # stems, affixes too (하 of 공부하다), with endings or particles after them, and nothing else
SEVERAL = 2  # several others: endings alone, a compound, a word with its full stop
CUT = 3  # begins or ends inside a morpheme
ACROSS = 4  # has a part of more than one eojeol, wherever it begins and ends
NONE = -1  # white space, or of an eojeol whose morphemes are not known

CLASSES = ("morpheme", "stem_ending", "several", "cut", "across")


def token_classes(begin: np.ndarray, end: np.ndarray, analysis: Analysis) -> np.ndarray:
    """int8[n_tokens]: the class of every token.

    Parameters
    ----------
    begin, end : int64[n_tokens], byte offsets in the lines of the analysis, one after the other.
    analysis : the morphemes. Two that share a syllable are one piece, which a token can only hold whole or cut; without
        parts of speech there is no STEM_ENDING.
    """
    classes = np.full(begin.size, NONE, dtype=np.int8)
    inside = inside_words(begin, end, analysis)
    known = analysis.aligned[inside.first]
    across = inside.first < inside.last
    classes[inside.token[across]] = ACROSS
    one = known & ~across
    token, begin, end = inside.token[one], inside.begin[one], inside.end[one]
    # A known eojeol is tiled by its pieces, so each token begins in one and ends in one.
    first = np.searchsorted(analysis.begin, begin, "right") - 1
    last = np.searchsorted(analysis.end, end, "left")
    whole = (analysis.begin[first] == begin) & (analysis.end[last] == end)
    single = whole & (first == last) & (analysis.size[first] == 1)
    inflected = whole & ~single & _is_stem_ending(first, last, analysis)
    classes[token] = np.select([~whole, single, inflected], [CUT, MORPHEME, STEM_ENDING], SEVERAL)
    return classes


def usual_classes(ids: np.ndarray, classes: np.ndarray, vocab_size: int) -> np.ndarray:
    """int8[vocab_size]: the class of most uses of every token, the first of equals; NONE where it has none.

    Parameters
    ----------
    ids, classes : int64[n_uses] and int8[n_uses]: tokens in some texts and their classes.
    """
    n = len(CLASSES)
    known = classes != NONE
    counts = np.bincount(ids[known] * n + classes[known], minlength=vocab_size * n).reshape(-1, n)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), NONE).astype(np.int8)


def _is_stem_ending(first: np.ndarray, last: np.ndarray, analysis: Analysis) -> np.ndarray:
    """bool[n]: whether the pieces first..last (int64[n], both included) are stems and, after all of them, endings."""
    kinds = [[kind_of_tag(part) for part in tag.split("+")] for tag in analysis.tags]
    begins = np.array([own[0] for own in kinds])[analysis.tag]
    ends = np.array([own[-1] for own in kinds])[analysis.tag]
    # What may not be: anything but stems and endings, and an ending before a stem, in a piece or between two.
    bad = np.array([not set(own) <= {STEM, ENDING} or own != sorted(own) for own in kinds], dtype=np.int64)[
        analysis.tag
    ]
    returns = np.zeros(bad.size, dtype=np.int64)
    returns[1:] = (ends[:-1] == ENDING) & (begins[1:] == STEM)
    n_bad, n_returns = np.append(0, np.cumsum(bad)), np.cumsum(returns)
    is_plain = (n_bad[last + 1] == n_bad[first]) & (n_returns[last] == n_returns[first])
    return is_plain & (begins[first] == STEM) & (ends[last] == ENDING)
