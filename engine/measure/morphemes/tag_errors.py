"""Which eojeols a tokenizer cuts against their parts of speech: morphemes cut inside, and boundaries not found."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.measure.encoded import encode_lines
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.morphology import Pieces, check_unchanged, words_of_frequency
from engine.tokenizer import Tokenizer

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
    encoded = encode_lines(tokenizer, analysis.lines)
    check_unchanged(encoded)
    pieces = Pieces(encoded, analysis)
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
