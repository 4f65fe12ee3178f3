"""The grammatical class of a token: a morpheme, a stem with its ending, or something that cuts across morphemes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.corpus.morphemes.analysers import has_hangul
from engine.measure.corpus_units import CorpusUnits
from engine.measure.encoded import encode_lines
from engine.measure.keyness import Compared
from engine.measure.morphemes.analysis import Analysis, inside_words, silver_analysis
from engine.measure.morphemes.tags import ENDING, STEM, kind_of_tag
from engine.tokenizer import Tokenizer

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


_N_USES = 6  # of each token
_MAX_CHARS = 600  # of a line: longer ones are left out


def key_classes(
    tokenizer: Tokenizer,
    units: CorpusUnits,
    lines: Sequence[str],
    chosen: Sequence[int],
    types: np.ndarray,
    analyser: str,
) -> np.ndarray:
    """int8[n]: the usual class (`engine.measure.morphemes.token_classes`) of every token, by about six of its uses.

    Parameters
    ----------
    units, lines : tokens and text of the corpus.
    chosen : the files whose uses count.
    types : int64[n], ids of the tokens.
    analyser : finds the morphemes; NONE for all tokens where there is no Hangul.

    Raises
    ------
    InputError : the analyser is not installed.
    """
    seen = [lines[i] for i in _lines_with(units, lines, chosen, types).tolist()]
    if not any(map(has_hangul, seen)):
        return np.full(types.size, NONE, dtype=np.int8)
    encoded = encode_lines(tokenizer, seen)
    classes = token_classes(encoded.begin, encoded.end, silver_analysis(encoded.seen, analyser))
    return usual_classes(encoded.ids, classes, tokenizer.vocab_size)[types]


def row_classes(
    tokenizer: Tokenizer,
    units: CorpusUnits,
    lines: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    compared: Compared,
    analyser: str,
) -> list[str | None]:
    """The names of the classes of `engine.measure.keyness`, each from uses where the token is more frequent."""
    names: list[str | None] = [None] * len(rows)
    for chosen, is_second in zip(compared, (False, True), strict=True):
        own = [k for k, row in enumerate(rows) if (row["direction"] == "-") == is_second]
        types = np.array([rows[k]["type"] for k in own], dtype=np.int64)
        for k, found in zip(own, key_classes(tokenizer, units, lines, chosen, types, analyser).tolist(), strict=True):
            names[k] = None if found == NONE else CLASSES[found]
    return names


def _lines_with(units: CorpusUnits, lines: Sequence[str], chosen: Sequence[int], types: np.ndarray) -> np.ndarray:
    """int64[n]: lines with uses of the types, those of each spread evenly over the files."""
    wanted = np.zeros(units.n_types, dtype=bool)
    wanted[types] = True
    ptr = units.units.unit_ptr
    is_short = np.fromiter((len(line) <= _MAX_CHARS for line in lines), bool, len(lines))
    found = []
    for i in chosen:
        begin, end = units.files.line_ptr[i], units.files.line_ptr[i + 1]
        of_line = np.repeat(np.arange(begin, end), np.diff(ptr[begin : end + 1]))
        ids = units.units.ids[ptr[begin] : ptr[end]]
        here = wanted[ids] & is_short[of_line]
        found.append(np.stack([ids[here], of_line[here]]))
    ids, of_line = np.concatenate(found, axis=1) if found else np.empty((2, 0), dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    ids, of_line = ids[order], of_line[order]
    n_uses = np.bincount(ids, minlength=1)
    rank = np.arange(ids.size) - (np.cumsum(n_uses) - n_uses)[ids]
    step = np.maximum(1, -(-n_uses // _N_USES))
    return np.unique(of_line[rank % step[ids] == 0])
