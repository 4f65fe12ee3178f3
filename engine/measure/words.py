"""What a word is: three definitions without a dictionary.

A word count means nothing without its definition, so the two are stored together.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from engine._jit import kernel
from engine.corpus.arrays import offsets
from engine.corpus.pretokens.character_classes import SPACE, classes_for
from engine.corpus.pretokens.pretokenize import _utf8_size, to_codes, utf8_offsets
from engine.corpus.reading.decoded import DecodedLines
from engine.errors import require_choice

_WORD = {name: regex.compile(word) for name, word in (("eojeol", r"\S+"), ("characters", r"\S"), ("graphemes", r"\X"))}
_UNSPACED = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}"
    r"\p{Script=Myanmar}\p{Script=Tibetan}]"
)
_LETTER = regex.compile(r"\p{L}")

AUTO = "auto"  # depends on the script of the text
EOJEOL = "eojeol"

# Each definition in words.
DEFINITIONS = {
    "eojeol": "white-space unit (eojeol)",
    "characters": "character (code point that is not white space)",
    "graphemes": "grapheme cluster (UAX 29) that is not white space",
}


class Words(NamedTuple):
    """The words of some lines.

    Attributes
    ----------
    definition : a key of DEFINITIONS.
    begin, end : int64[n_words], UTF-8 byte offsets into the concatenated lines, without line ends.
    word_ptr : int64[n_lines + 1], the words of each line.
    line_begin : int64[n_lines + 1], where each line begins, and all bytes.
    """

    definition: str
    begin: np.ndarray
    end: np.ndarray
    word_ptr: np.ndarray
    line_begin: np.ndarray

    @property
    def per_line(self) -> np.ndarray:
        """int64[n_lines], number of words in every line."""
        return np.diff(self.word_ptr)


def graphemes(text: str) -> list[str]:
    """Grapheme clusters of `text`: user-perceived characters (Unicode Standard Annex 29).

    >>> graphemes("한국🇰🇷")
    ['한', '국', '🇰🇷']
    """
    return _WORD["graphemes"].findall(text)


def word_spans(line: str, definition: str) -> list[tuple[int, int]]:
    """Words of one line as code point offsets (begin, end).

    Raises
    ------
    InputError : the definition is none of `eojeol`, `characters`, `graphemes`.
    """
    require_choice("word_definition", definition, DEFINITIONS)
    found = _WORD[definition].finditer(line)
    return [match.span() for match in found if definition != "graphemes" or not match.group().isspace()]


def find_words(lines: Sequence[str], definition: str = "eojeol", codes: np.ndarray | None = None) -> Words:
    """Words of the lines, whose `codes` may be given, by a definition: `eojeol`, `characters` or `graphemes`.

    >>> words = find_words(["가나 다라", "다라"])
    >>> words.per_line.tolist(), words.begin.tolist()
    ([2, 1], [0, 7, 13])
    """
    bounds = lines.bounds if isinstance(lines, DecodedLines) else offsets(list(map(len, lines)))
    codes = to_codes("".join(lines)) if codes is None else codes
    if definition in ("eojeol", "characters"):
        return Words(definition, *_find_words(codes, bounds, classes_for(codes), definition == "eojeol"))
    spans = [word_spans(line, definition) for line in lines]
    word_ptr = offsets(list(map(len, spans)))
    places = np.array([span for own in spans for span in own], dtype=np.int64).reshape(-1, 2).T
    at = utf8_offsets(codes)
    begin, end = at[places + np.repeat(bounds[:-1], np.diff(word_ptr))]
    return Words(definition, begin, end, word_ptr, at[bounds])


@kernel
def _find_words(codes, bounds, classes, are_runs):
    """The arrays of Words; a word is a run of characters that are no white space, or one of them."""
    begin = np.empty(codes.size, dtype=np.int64)
    end = np.empty(codes.size, dtype=np.int64)
    word_ptr = np.zeros(bounds.size, dtype=np.int64)
    line_begin = np.zeros(bounds.size, dtype=np.int64)
    n, at = 0, 0
    for line in range(bounds.size - 1):
        goes_on = False
        for i in range(bounds[line], bounds[line + 1]):
            size = _utf8_size(codes[i])
            is_space = classes[codes[i]] & SPACE != 0
            if not is_space and not goes_on:
                begin[n] = at
                n += 1
            at += size
            if not is_space:
                end[n - 1] = at
            goes_on = are_runs and not is_space
        word_ptr[line + 1] = n
        line_begin[line + 1] = at
    return begin[:n], end[:n], word_ptr, line_begin


def letter_counts(codes: np.ndarray) -> np.ndarray:
    """int64[2]: letters of scripts written without spaces, and all letters; those of several texts add up."""
    counts = np.bincount(codes)
    seen = np.flatnonzero(counts).tolist()
    return np.array([counts[[code for code in seen if kind.match(chr(code))]].sum() for kind in (_UNSPACED, _LETTER)])


def suggested_definition(counts: np.ndarray) -> str:
    """`characters` where most letters belong to scripts written without spaces, else `eojeol`; of `letter_counts`."""
    return "characters" if 2 * counts[0] > counts[1] else "eojeol"


def definition_of(lines: Sequence[str], chosen: str = AUTO) -> str:
    """The definition of a word for a text: the chosen one, or for AUTO the suggested one.

    >>> definition_of(["我们去学校。"]), definition_of(["我们去学校。"], "eojeol"), definition_of(["학교에 갔다."])
    ('characters', 'eojeol', 'eojeol')
    """
    return suggested_definition(letter_counts(to_codes("".join(lines)))) if chosen == AUTO else chosen


def byte_offsets(text: str) -> np.ndarray:
    """int64[len(text) + 1]: UTF-8 byte offset of every code point, and the number of bytes."""
    return utf8_offsets(to_codes(text))
