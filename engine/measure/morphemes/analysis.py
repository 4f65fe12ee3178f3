"""Lines with their morphemes as flat arrays: from a gold file or an analyser (engine.corpus.morphemes.analysers).

Gold morphemes are dictionary forms, aligned with the surface (engine.measure.morphemes.alignment). Morphemes that no
cut can separate form one piece: 갔다 is 갔 (two morphemes, 가 and 았) and 다. An eojeol whose morphemes have too little
in common with its surface has no pieces, and is counted. An analyser states itself which morphemes share syllables. It
is asked about Korean only: an eojeol without Hangul (2024, iPhone) has no pieces either.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from engine.corpus.morphemes.analysers import MECAB, has_hangul, installed_analysers, line_morphemes
from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings, Morpheme
from engine.errors import InputError
from engine.measure.morphemes.alignment import align
from engine.measure.morphemes.gold import GoldSentence, GoldWord
from engine.measure.words import byte_offsets, word_spans

OWN_TAGS = "gold"  # the parts of speech come from the gold file


# Those that are left over are no sample of all: the easy ones, and what should be counted is missing.
LEAST_ALIGNED = 0.8


class Unaligned(NamedTuple):
    """An eojeol that could not be aligned with its morphemes (joined by +), and its count in the text."""

    surface: str
    morphemes: str
    times: int


class Analysis(NamedTuple):
    """Lines, their eojeols, and the pieces between morpheme boundaries.

    Byte offsets (UTF-8) run through all lines, concatenated without line ends.

    Attributes
    ----------
    lines : the text.
    word_begin, word_end : int64[n_words], byte offsets of the eojeols.
    word_ptr : int64[n_lines + 1], the eojeols of each line.
    aligned : bool[n_words], whether an eojeol has pieces.
    begin, end : int64[n_pieces], byte offsets, ascending; the pieces of an aligned eojeol tile it.
    word : int64[n_pieces], the eojeol of each piece.
    size : int64[n_pieces], number of morphemes in each piece; above 1 if they share a syllable.
    tag : int64[n_pieces], index of its part of speech in `tags`.
    tags : distinct parts of speech, joined by + for several morphemes; empty if unknown.
    tags_of : source of the parts of speech: OWN_TAGS, or a key of ANALYSERS; None if all are unknown.
    unaligned : distinct eojeols without pieces, most frequent first.
    """

    lines: list[str]
    word_begin: np.ndarray
    word_end: np.ndarray
    word_ptr: np.ndarray
    aligned: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    word: np.ndarray
    size: np.ndarray
    tag: np.ndarray
    tags: tuple[str, ...]
    tags_of: str | None = None
    unaligned: tuple[Unaligned, ...] = ()

    @property
    def word_line(self) -> np.ndarray:
        """int64[n_words]: the line of each eojeol."""
        return np.repeat(np.arange(len(self.lines)), np.diff(self.word_ptr))

    @property
    def share_aligned(self) -> float:
        """Eojeols with pieces ÷ eojeols whose morphemes are given; a program is asked about Korean ones only."""
        n_aligned = int(self.aligned.sum())
        return n_aligned / max(1, n_aligned + sum(one.times for one in self.unaligned))

    @property
    def has_verdict(self) -> bool:
        """Whether enough eojeols are aligned to say which tokenizer is best."""
        return self.share_aligned >= LEAST_ALIGNED

    @property
    def has_tags(self) -> bool:
        """Whether any part of speech is known."""
        return any(self.tags)


class InsideWords(NamedTuple):
    """The parts of tokens inside eojeols; int64[n], one entry per token that has such a part.

    Attributes
    ----------
    token : index of the token.
    begin, end : byte offsets, without the white space around eojeols.
    first, last : the eojeols in which it begins and ends.
    """

    token: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    first: np.ndarray
    last: np.ndarray


def inside_words(begin: np.ndarray, end: np.ndarray, analysis: Analysis) -> InsideWords:
    """The parts of tokens (int64[n_tokens], ascending byte offsets) inside eojeols."""
    first = np.searchsorted(analysis.word_end, begin, "right")
    last = np.searchsorted(analysis.word_begin, end, "left") - 1
    token = np.flatnonzero((first <= last) & (begin < end))
    first, last = first[token], last[token]
    return InsideWords(
        token,
        np.maximum(begin[token], analysis.word_begin[first]),
        np.minimum(end[token], analysis.word_end[last]),
        first,
        last,
    )


class _Word(NamedTuple):
    """An eojeol: code points in its line, ends of its pieces (code points; none if unaligned), and their tags."""

    begin: int
    end: int
    ends: Sequence[int]
    sizes: Sequence[int]
    tags: Sequence[str]


def tags_source(gold: Sequence[GoldSentence]) -> str | None:
    """Source of a gold file's parts of speech: the file (OWN_TAGS), else the first installed analyser.

    The analysers only know Korean. None if none is installed, or if most words of the file have no Hangul.
    """
    if any(word.tags for sentence in gold for word in sentence.words):
        return OWN_TAGS
    words = [word.surface for sentence in gold for word in sentence.words if any(map(str.isalpha, word.surface))]
    is_korean = 2 * sum(map(has_hangul, words)) > len(words)
    return next(iter(installed_analysers()), None) if is_korean else None


def gold_analysis(gold: Sequence[GoldSentence], settings: AnalyserSettings = AS_WRITTEN) -> Analysis:
    """The analysis of a gold file, with parts of speech from its `tags_source`.

    An analyser only tags pieces that it cuts as the file does.
    """
    return tagged_analysis(gold, tags_source(gold), settings)


def tagged_analysis(
    gold: Sequence[GoldSentence], tags_of: str | None, settings: AnalyserSettings = AS_WRITTEN
) -> Analysis:
    """`gold_analysis` with the parts of speech from OWN_TAGS, from an analyser, or without any (None)."""
    unaligned: Counter[tuple[str, str]] = Counter()

    def words_of(sentence: GoldSentence) -> Iterable[_Word]:
        known = {}
        if tags_of is not None and tags_of != OWN_TAGS and has_hangul(sentence.text):
            known = {span[:2]: span.tag for span in line_morphemes(sentence.text, tags_of, settings)}
        for word in sentence.words:
            end = word.begin + len(word.surface)
            alignment = align(word.surface, word.morphemes) if word.complete else None
            if alignment is None:
                unaligned[word.surface, "+".join(word.morphemes)] += 1
                yield _Word(word.begin, end, (), (), ())
                continue
            ends = [*(word.begin + cut for cut in alignment.boundaries), end]
            if tags_of == OWN_TAGS:
                tags = _joined_tags(word, alignment.sizes)
            else:
                tags = [known.get(span, "") for span in itertools.pairwise([word.begin, *ends])]
            yield _Word(word.begin, end, ends, alignment.sizes, tags)

    analysis = _collect([sentence.text for sentence in gold], (words_of(sentence) for sentence in gold))
    missing = tuple(Unaligned(*eojeol, count) for eojeol, count in unaligned.most_common())
    return analysis._replace(tags_of=tags_of, unaligned=missing)


def silver_analysis(lines: Sequence[str], analyser: str = MECAB, settings: AnalyserSettings = AS_WRITTEN) -> Analysis:
    """The analysis by one of ANALYSERS, which makes mistakes: silver, not gold. Eojeols without Hangul have no pieces.

    Raises
    ------
    InputError : the package is not installed, its user dictionary is refused, or the text has no Hangul or contains a
        lone surrogate.
    """
    if not any(map(has_hangul, lines)):
        raise InputError("analyser.korean")
    found = (line_morphemes(line, analyser, settings) if has_hangul(line) else [] for line in lines)
    analysis = _collect(list(lines), map(_korean_words, lines, found))
    return analysis._replace(tags_of=analyser)


def _korean_words(line: str, morphemes: Sequence[Morpheme]) -> Iterable[_Word]:
    for word in _words_of(line, morphemes):
        has_pieces = has_hangul(line[word.begin : word.end])
        yield word if has_pieces else _Word(word.begin, word.end, (), (), ())


def morpheme_analysis(lines: Sequence[str], morphemes: Iterable[Sequence[Morpheme]]) -> Analysis:
    """Lines with the given morphemes of each; text that they skip becomes a piece without a tag."""
    return _collect(list(lines), map(_words_of, lines, morphemes))


def _words_of(line: str, morphemes: Sequence[Morpheme]) -> Iterable[_Word]:
    at = 0
    for begin, end in word_spans(line, "eojeol"):
        cuts, tags = {begin, end}, {}
        while at < len(morphemes) and morphemes[at].begin < end:
            morpheme = morphemes[at]
            cuts |= {max(begin, morpheme.begin), min(end, morpheme.end)}
            tags[morpheme.begin, morpheme.end] = morpheme.tag
            if morpheme.end > end:
                break
            at += 1
        edges = sorted(cuts)
        own = [tags.get(span, "") for span in itertools.pairwise(edges)]
        yield _Word(begin, end, edges[1:], [tag.count("+") + 1 for tag in own], own)


def _joined_tags(word: GoldWord, sizes: Sequence[int]) -> list[str]:
    ends = list(itertools.accumulate(sizes))
    return ["+".join(word.tags[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _collect(lines: list[str], words_of_lines: Iterable[Iterable[_Word]]) -> Analysis:
    word_ptr = np.zeros(len(lines) + 1, dtype=np.int64)
    edges: list[np.ndarray] = [np.empty((0, 2), dtype=np.int64)]
    pieces: list[np.ndarray] = [np.empty((0, 2), dtype=np.int64)]
    per_word: list[int] = []
    sizes: list[int] = []
    tag_numbers: list[int] = []
    tags: dict[str, int] = {}
    base = 0
    for number, (line, words) in enumerate(zip(lines, words_of_lines, strict=True)):
        offsets = byte_offsets(line) + base
        base = int(offsets[-1])
        own_edges: list[tuple[int, int]] = []
        own_pieces: list[tuple[int, int]] = []
        for word in words:
            own_edges.append((word.begin, word.end))
            own_pieces += itertools.pairwise([word.begin, *word.ends])
            per_word.append(len(word.ends))
            sizes += word.sizes
            tag_numbers += [tags.setdefault(tag, len(tags)) for tag in word.tags]
        edges.append(offsets[np.array(own_edges, dtype=np.int64).reshape(-1, 2)])
        pieces.append(offsets[np.array(own_pieces, dtype=np.int64).reshape(-1, 2)])
        word_ptr[number + 1] = word_ptr[number] + len(own_edges)
    every_word, every_piece = np.concatenate(edges), np.concatenate(pieces)
    counts = np.array(per_word, dtype=np.int64)
    return Analysis(
        lines=lines,
        word_begin=every_word[:, 0],
        word_end=every_word[:, 1],
        word_ptr=word_ptr,
        aligned=counts > 0,
        begin=every_piece[:, 0],
        end=every_piece[:, 1],
        word=np.repeat(np.arange(counts.size), counts),
        size=np.array(sizes, dtype=np.int64),
        tag=np.array(tag_numbers, dtype=np.int64),
        tags=tuple(tags),
    )
