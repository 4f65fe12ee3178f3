"""The grammatical class of a token: a morpheme, a stem with its ending, or something that cuts across morphemes."""

import numpy as np

from engine.measure.morphemes.analysis import Analysis, inside_words
from engine.measure.morphemes.tags import ENDING, STEM, kind_of_tag

# Indices of the classes. White space around a token does not belong to its morphemes.
MORPHEME = 0  # exactly one
STEM_ENDING = 1  # stems, including affixes (하 in 공부하다), followed by endings or particles, and nothing else
SEVERAL = 2  # any other several: endings alone, a compound, a word with its full stop
CUT = 3  # begins or ends inside a morpheme
ACROSS = 4  # contains parts of several eojeols, wherever it begins and ends
NONE = -1  # white space, or in an eojeol with unknown morphemes

CLASSES = ("morpheme", "stem_ending", "several", "cut", "across")


def token_classes(begin: np.ndarray, end: np.ndarray, analysis: Analysis) -> np.ndarray:
    """int8[n_tokens]: the class of every token.

    Parameters
    ----------
    begin, end : int64[n_tokens], byte offsets in the concatenated lines of the analysis.
    analysis : the morphemes. Two that share a syllable are one piece, which a token can only contain whole or cut;
        without parts of speech there is no STEM_ENDING.
    """
    classes = np.full(begin.size, NONE, dtype=np.int8)
    inside = inside_words(begin, end, analysis)
    known = analysis.aligned[inside.first]
    across = inside.first < inside.last
    classes[inside.token[across]] = ACROSS
    one = known & ~across
    token, begin, end = inside.token[one], inside.begin[one], inside.end[one]
    # Pieces tile a known eojeol, so each token begins in one and ends in one.
    first = np.searchsorted(analysis.begin, begin, "right") - 1
    last = np.searchsorted(analysis.end, end, "left")
    whole = (analysis.begin[first] == begin) & (analysis.end[last] == end)
    single = whole & (first == last) & (analysis.size[first] == 1)
    inflected = whole & ~single & _is_stem_ending(first, last, analysis)
    classes[token] = np.select([~whole, single, inflected], [CUT, MORPHEME, STEM_ENDING], SEVERAL)
    return classes


def usual_classes(ids: np.ndarray, classes: np.ndarray, vocab_size: int) -> np.ndarray:
    """int8[vocab_size]: the most frequent class of every token, the first on ties; NONE if it has none.

    Parameters
    ----------
    ids, classes : int64[n_uses] and int8[n_uses]: tokens in some texts, and their classes.
    """
    n = len(CLASSES)
    known = classes != NONE
    counts = np.bincount(ids[known] * n + classes[known], minlength=vocab_size * n).reshape(-1, n)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), NONE).astype(np.int8)


def _is_stem_ending(first: np.ndarray, last: np.ndarray, analysis: Analysis) -> np.ndarray:
    """bool[n]: whether the pieces first..last (int64[n], inclusive) are stems followed by endings."""
    kinds = [[kind_of_tag(part) for part in tag.split("+")] for tag in analysis.tags]
    begins = np.array([own[0] for own in kinds])[analysis.tag]
    ends = np.array([own[-1] for own in kinds])[analysis.tag]
    # Excluded: anything but stems and endings, and an ending before a stem, within a piece or between two.
    bad = np.array([not set(own) <= {STEM, ENDING} or own != sorted(own) for own in kinds], dtype=np.int64)[
        analysis.tag
    ]
    returns = np.zeros(bad.size, dtype=np.int64)
    returns[1:] = (ends[:-1] == ENDING) & (begins[1:] == STEM)
    n_bad, n_returns = np.append(0, np.cumsum(bad)), np.cumsum(returns)
    is_plain = (n_bad[last + 1] == n_bad[first]) & (n_returns[last] == n_returns[first])
    return is_plain & (begins[first] == STEM) & (ends[last] == ENDING)
