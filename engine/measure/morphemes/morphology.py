"""How well tokens respect morphemes: their boundaries inside eojeols compared with an analysis.

Only boundaries inside aligned eojeols count. The ends of eojeols are excluded, and so are boundaries inside a syllable,
which no tokenizer could mark. A cut inside a character is a token boundary like any other.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.morphemes.analysis import Analysis, inside_words
from engine.measure.morphemes.tags import ENDING, kind_of_tag
from engine.measure.result import Measure, ratio, ratio_of_lines
from engine.tokenizer import Tokenizer

# Eojeols by their frequency in the current text.
FREQUENCIES = {"1": (1, 1), "2-9": (2, 9), "10-99": (10, 99), "100+": (100, None)}


class TagScores(NamedTuple):
    """Scores of one part of speech.

    Attributes
    ----------
    tag : its name.
    whole : share of its pieces that are one token.
    cut : share of its pieces with a token boundary inside.
    found : share of the boundaries before its pieces, inside eojeols, that are token boundaries.
    """

    tag: str
    whole: Measure
    cut: Measure
    found: Measure


class MorphologyScores(NamedTuple):
    """Token boundaries compared with morpheme boundaries.

    Attributes
    ----------
    measures : over all aligned eojeols, by name; see `morphology_scores`.
    by_frequency : the same over the eojeols of each class of FREQUENCIES.
    by_tag : parts of speech, most frequent first; empty if unknown.
    n_words : number of eojeols.
    n_aligned : eojeols aligned with their morphemes; only these are scored.
    n_fused : boundaries of aligned eojeols that no tokenizer could mark, because two morphemes share a syllable.
    fertility : tokens per eojeol, over the whole text.
    f1_sums : int64[n_lines, 2], what each line adds to the two sums of F1; see `engine.measure.best`.
    """

    measures: Mapping[str, Measure]
    by_frequency: Mapping[str, Mapping[str, Measure]]
    by_tag: list[TagScores]
    n_words: int
    n_aligned: int
    n_fused: int
    fertility: Measure
    f1_sums: np.ndarray


# The measures besides precision, recall and F1.
OF_EOJEOLS = ("clean", "exact", "morph_score", "preservation", "over_segmentation", "under_segmentation")


class _Ratio(NamedTuple):
    """A measure as two sums over eojeols."""

    top: np.ndarray
    bottom: np.ndarray
    n_of: str


def _encoded(tokenizer: Tokenizer, analysis: Analysis) -> EncodedLines:
    """InputError if the tokenizer normalizes the text to another one, to which the analysis does not apply."""
    encoded = encode_lines(tokenizer, analysis.lines)
    if encoded.seen != encoded.lines:
        raise InputError("gold.normalized")
    return encoded


def boundary_f1(begin: np.ndarray, end: np.ndarray, analysis: Analysis) -> float:
    """Only the F1 of `morphology_scores`, for tokens with these begin and end offsets (int64[n_tokens])."""
    at = np.union1d(begin, end)
    predicted = _inside(at, analysis.word_begin, analysis.word_end)[analysis.aligned].sum()
    marked = analysis.begin[np.diff(analysis.word, prepend=-1) == 0]
    return ratio(2 * np.isin(marked, at).sum(), predicted + marked.size)


def morphology_scores(
    tokenizer: Tokenizer, analysis: Analysis, seed: int = 0, has_parts: bool = True
) -> MorphologyScores:
    """Score a tokenizer on analysed lines, each encoded as a whole.

    - precision, recall, f1 : of boundaries inside eojeols, pooled; the micro figures of Uzan et al. (2024), but over
      all aligned eojeols.
    - clean : share of eojeols cut only at morpheme boundaries, or not at all; exact : cut at all of them and nowhere
      else.
    - morph_score : MorphScore of Arnett and Bergen (2025): among eojeols with any cut, the share cut between stem and
      ending. That is the first boundary before a particle or an ending; it is unknown without parts of speech, and then
      there is no score.
    - preservation : TokEval's share of morphemes that are one token, among those that share no syllable with another;
      the token may include white space.
    - over_segmentation : TokEval's sum max(0, tokens - morphemes) / sum morphemes, by eojeol; under_segmentation : with
      the two exchanged. Morphemes that share syllables count separately.

    Intervals are bootstrap intervals over lines. Without `has_parts` the scores by frequency and part of speech, which
    take most of the time, are left out.

    Raises
    ------
    InputError : the tokenizer normalizes the text to another one, to which the analysis does not apply.
    """
    encoded = _encoded(tokenizer, analysis)
    line = analysis.word_line
    pieces = Pieces(encoded, analysis)
    ratios = _word_ratios(pieces, analysis)

    n_lines = len(analysis.lines)

    def measures(chosen: np.ndarray) -> dict[str, Measure]:
        return {name: _measure(name, own, line, chosen, n_lines, seed) for name, own in ratios.items()}

    classes: dict[str, np.ndarray] = {}
    if has_parts:
        classes = {name: words_of_frequency(analysis, name) for name in FREQUENCIES}
    f1_sums = [np.bincount(line, values * analysis.aligned, n_lines) for values in ratios["f1"][:2]]
    words = np.diff(analysis.word_ptr)
    return MorphologyScores(
        measures=measures(analysis.aligned),
        by_frequency={name: measures(chosen) for name, chosen in classes.items() if chosen.any()},
        by_tag=_tag_scores(pieces, analysis, analysis.aligned, seed) if has_parts and analysis.has_tags else [],
        n_words=int(words.sum()),
        n_aligned=int(analysis.aligned.sum()),
        n_fused=int((analysis.size - 1).sum()),
        fertility=ratio_of_lines("fertility", encoded.per_line, words, "eojeols", seed),
        f1_sums=np.column_stack(f1_sums).astype(np.int64),
    )


def _measure(name: str, own: _Ratio, line: np.ndarray, chosen: np.ndarray, n_lines: int, seed: int) -> Measure:
    """One ratio over the chosen items: eojeols or pieces; `line` is the line of each."""
    top, bottom = (np.bincount(line[chosen], values[chosen], n_lines) for values in (own.top, own.bottom))
    return ratio_of_lines(name, top, bottom, own.n_of, seed)


def tag_scores(tokenizer: Tokenizer, analysis: Analysis, frequency: str = "", seed: int = 0) -> list[TagScores]:
    """Only the parts of speech of `morphology_scores`, in eojeols of one class of FREQUENCIES, or of all ("").

    Raises
    ------
    InputError : as `morphology_scores`.
    """
    pieces = Pieces(_encoded(tokenizer, analysis), analysis)
    return _tag_scores(pieces, analysis, words_of_frequency(analysis, frequency), seed)


def words_of_frequency(analysis: Analysis, frequency: str = "") -> np.ndarray:
    """bool[n_words]: the aligned eojeols of one class of FREQUENCIES, or of all ("")."""
    if not frequency:
        return analysis.aligned
    low, high = FREQUENCIES[frequency]
    often = _frequencies(analysis)
    chosen: np.ndarray = analysis.aligned & (low <= often) & (often <= (high or often))
    return chosen


def _tag_scores(pieces: "Pieces", analysis: Analysis, words: np.ndarray, seed: int) -> list[TagScores]:
    """The parts of speech in the chosen eojeols (bool[n_words]), the most frequent first."""
    often = np.bincount(analysis.tag[words[analysis.word]], minlength=len(analysis.tags))
    piece_line, n_lines, one = analysis.word_line[analysis.word], len(analysis.lines), np.ones(analysis.tag.size)
    scores = []
    for number in np.argsort(-often, kind="stable")[: np.count_nonzero(often)].tolist():
        own = (analysis.tag == number) & words[analysis.word]
        rows = {
            "whole": (own, _Ratio(pieces.is_token, one, "pieces")),
            "cut": (own, _Ratio(pieces.cuts > 0, one, "pieces")),
            "found": (own & pieces.is_inner, _Ratio(pieces.is_cut_before, one, "boundaries")),
        }
        found = [_measure(name, of, piece_line, chosen, n_lines, seed) for name, (chosen, of) in rows.items()]
        scores.append(TagScores(analysis.tags[number], *found))
    return scores


class Pieces:
    """How the tokens cut each piece of an analysis.

    Attributes
    ----------
    at : int64, byte offsets of the token boundaries, ascending.
    is_inner : bool[n_pieces], whether a boundary inside the eojeol precedes it.
    is_cut_before : bool[n_pieces], whether a token begins or ends at its start.
    is_token : bool[n_pieces], whether one token contains it and nothing else but white space.
    cuts : int64[n_pieces], token boundaries inside it.
    word_cuts : int64[n_words], token boundaries inside each eojeol.
    """

    def __init__(self, encoded: EncodedLines, analysis: Analysis) -> None:
        self.at = at = np.union1d(encoded.begin, encoded.end)
        self.is_inner = np.diff(analysis.word, prepend=-1) == 0
        self.is_cut_before = np.isin(analysis.begin, at)
        tokens = inside_words(encoded.begin, encoded.end, analysis)
        n = int(encoded.end[-1]) + 1 if encoded.end.size else 1
        self.is_token = np.isin(analysis.begin * n + analysis.end, tokens.begin * n + tokens.end)
        self.cuts = _inside(at, analysis.begin, analysis.end)
        self.word_cuts = _inside(at, analysis.word_begin, analysis.word_end)


def _inside(at: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Number of offsets strictly between begin and end."""
    return np.searchsorted(at, end, "left") - np.searchsorted(at, begin, "right")


def _word_ratios(pieces: Pieces, analysis: Analysis) -> dict[str, _Ratio]:
    """The measures as sums over all eojeols; the caller selects the aligned ones."""

    def total(values: np.ndarray) -> np.ndarray:
        """Sums over the pieces of each eojeol."""
        return np.bincount(analysis.word, values, analysis.aligned.size).astype(np.int64)

    predicted = pieces.word_cuts
    hit = total(pieces.is_inner & pieces.is_cut_before)
    marked = total(pieces.is_inner)
    alone = analysis.size == 1
    morphemes = total(analysis.size)
    one = np.ones_like(predicted)
    split = np.zeros(analysis.begin.size, dtype=bool)
    split[_splits(pieces.is_inner, analysis)] = True
    cut_words = predicted[analysis.word] > 0
    return {
        "precision": _Ratio(hit, predicted, "token boundaries"),
        "recall": _Ratio(hit, marked, "morpheme boundaries"),
        "f1": _Ratio(2 * hit, predicted + marked, "boundaries"),
        "clean": _Ratio(hit == predicted, one, "eojeols"),
        "exact": _Ratio((hit == predicted) & (hit == marked), one, "eojeols"),
        "morph_score": _Ratio(total(split & cut_words & pieces.is_cut_before), total(split & cut_words), "eojeols"),
        "preservation": _Ratio(total(pieces.is_token & alone), total(alone), "morphemes"),
        "over_segmentation": _Ratio(np.maximum(0, predicted + 1 - morphemes), morphemes, "morphemes"),
        "under_segmentation": _Ratio(np.maximum(0, morphemes - predicted - 1), morphemes, "morphemes"),
    }


def _splits(is_inner: np.ndarray, analysis: Analysis) -> np.ndarray:
    """The piece (int64) of each eojeol that follows its stem, if any; see `morphology_scores`."""
    ends_stem = np.array([kind_of_tag(tag.split("+")[0]) == ENDING for tag in analysis.tags], dtype=bool)
    candidates = np.flatnonzero(is_inner & ends_stem[analysis.tag])
    return candidates[np.unique(analysis.word[candidates], return_index=True)[1]]


def _frequencies(analysis: Analysis) -> np.ndarray:
    """int64[n_words]: frequency of the eojeol in the text."""
    data = "".join(analysis.lines).encode()
    spans = zip(analysis.word_begin.tolist(), analysis.word_end.tolist(), strict=True)
    surfaces = [data[begin:end] for begin, end in spans]
    counts = Counter(surfaces)
    return np.array([counts[surface] for surface in surfaces], dtype=np.int64)


CUT, MISSED = "cut", "missed"


class TagError(NamedTuple):
    """An eojeol with the same morphemes and the same tokens at all its places.

    Attributes
    ----------
    surface : the eojeol.
    morphemes : with + between the pieces of the analysis.
    tokens : with | between tokens; a part of a character as <0xEC>.
    lines : numbers of the lines, from 0, one for each occurrence, ascending.
    """

    surface: str
    morphemes: str
    tokens: str
    lines: list[int]


def tag_errors(tokenizer: Tokenizer, analysis: Analysis, tag: str, kind: str, frequency: str = "") -> list[TagError]:
    """The eojeols in which a piece of this part of speech is cut inside (CUT), or the boundary before it is not a token
    boundary (MISSED), the most frequent first.

    Raises
    ------
    InputError : the tokenizer normalizes the text to another one, to which the analysis does not apply.
    """
    pieces = Pieces(_encoded(tokenizer, analysis), analysis)
    is_wrong = pieces.cuts > 0 if kind == CUT else pieces.is_inner & ~pieces.is_cut_before
    is_tag = np.array([one == tag for one in analysis.tags], dtype=bool)[analysis.tag]
    chosen = is_wrong & is_tag & words_of_frequency(analysis, frequency)[analysis.word]
    found: dict[tuple[str, str, str], list[int]] = {}
    words = np.unique(analysis.word[chosen])
    lines = analysis.word_line[words].tolist()
    for line, names in zip(lines, _cut_words(words, pieces.at, analysis), strict=True):
        found.setdefault(names, []).append(line)
    errors = [TagError(*names, lines) for names, lines in found.items()]
    return sorted(errors, key=lambda one: (-len(one.lines), one[:3]))


def _cut_words(words: np.ndarray, at: np.ndarray, analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    """The eojeols (int64), their pieces, and their tokens, which have the boundaries `at`."""
    data = "".join(analysis.lines).encode()
    for word in words.tolist():
        begin, end = int(analysis.word_begin[word]), int(analysis.word_end[word])
        inside = at[np.searchsorted(at, begin, "right") : np.searchsorted(at, end, "left")]
        own = slice(*np.searchsorted(analysis.word, [word, word + 1]).tolist())
        no_cut = inside[:0]
        cuts = ((no_cut, ""), (analysis.begin[own][1:], "+"), (inside, "|"))
        surface, morphemes, tokens = (_joined(data, begin, end, cut, mark) for cut, mark in cuts)
        yield surface, morphemes, tokens


def _joined(data: bytes, begin: int, end: int, cuts: np.ndarray, mark: str) -> str:
    edges = [begin, *cuts.tolist(), end]
    parts = [data[a:b].decode(errors="hex_tokens") for a, b in pairwise(edges)]
    return mark.join(parts)


_MERGE_SHARES = (2, 4, 8)


class TradeoffPoint(NamedTuple):
    """A vocabulary on analysed lines.

    Attributes
    ----------
    vocab_size : number of tokens.
    round : the pruning round that produced it; None without rounds.
    fertility : tokens per eojeol, over the whole text.
    f1 : of morpheme boundaries inside aligned eojeols.
    """

    vocab_size: int
    round: int | None
    fertility: float
    f1: float


def tradeoff_points(tokenizer: Tokenizer, analysis: Analysis) -> Iterator[TradeoffPoint]:
    """The tokenizer itself; then its earlier pruning rounds, last first, or versions with a half, a quarter and an
    eighth of its merges, as if training had stopped at a smaller size.

    Raises
    ------
    InputError : the tokenizer normalizes the text to another one, to which the analysis does not apply.
    """
    encoded = _encoded(tokenizer, analysis)
    pruning, merges = tokenizer.pruning, tokenizer.merges
    last = None if pruning is None else pruning.last_round
    yield _point(tokenizer.vocab_size, last, encoded.begin, encoded.end, analysis)
    if pruning is not None:
        for number in reversed(pruning.kept_rounds[:-1]):
            vocabulary = pruning.vocabulary(number)
            size = vocabulary.sizes[vocabulary.encode_lines(analysis.lines)[0]]
            end = np.cumsum(size)
            yield _point(pruning.alive_rows(number).size, number, end - size, end, analysis)
    elif merges is not None:
        for share in _MERGE_SHARES:
            smaller = merges.at(merges.n_merges // share)
            encoded = encode_lines(smaller, analysis.lines)
            yield _point(smaller.vocab_size, None, encoded.begin, encoded.end, analysis)


def _point(
    vocab_size: int, number: int | None, begin: np.ndarray, end: np.ndarray, analysis: Analysis
) -> TradeoffPoint:
    fertility = ratio(end.size, analysis.word_begin.size)
    return TradeoffPoint(vocab_size, number, fertility, boundary_f1(begin, end, analysis))
