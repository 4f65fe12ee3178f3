"""What a word is: three definitions without a dictionary.

A word count means nothing without its definition, so the two are stored together.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import regex

from engine.errors import InputError

_EOJEOL = regex.compile(r"\S+")
_CHARACTER = regex.compile(r"\S", regex.DOTALL)
_GRAPHEME = regex.compile(r"\X")
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
    """

    definition: str
    begin: np.ndarray
    end: np.ndarray
    word_ptr: np.ndarray

    @property
    def per_line(self) -> np.ndarray:
        """int64[n_lines], number of words in every line."""
        return np.diff(self.word_ptr)


def graphemes(text: str) -> list[str]:
    """Grapheme clusters of `text`: user-perceived characters (Unicode Standard Annex 29).

    >>> graphemes("한국🇰🇷")
    ['한', '국', '🇰🇷']
    """
    return _GRAPHEME.findall(text)


def word_spans(line: str, definition: str) -> list[tuple[int, int]]:
    """Words of one line as code point offsets (begin, end).

    Raises
    ------
    InputError : the definition is none of `eojeol`, `characters`, `graphemes`.
    """
    if definition == "eojeol":
        return [match.span() for match in _EOJEOL.finditer(line)]
    if definition == "characters":
        return [match.span() for match in _CHARACTER.finditer(line)]
    if definition == "graphemes":
        return [match.span() for match in _GRAPHEME.finditer(line) if not match.group().isspace()]
    raise InputError(
        "choice.unknown", what="word_definition", value=definition, choices="eojeol, characters, graphemes"
    )


def find_words(lines: Sequence[str], definition: str = "eojeol") -> Words:
    """Words of the lines by one of the definitions `eojeol`, `characters` and `graphemes`.

    >>> words = find_words(["가나 다라", "다라"])
    >>> words.per_line.tolist(), words.begin.tolist()
    ([2, 1], [0, 7, 13])
    """
    return _collect(lines, lambda number: word_spans(lines[number], definition), definition)


def letter_counts(lines: Sequence[str]) -> np.ndarray:
    """int64[2]: letters of scripts written without spaces, and all letters; those of several texts add up."""
    text = "".join(lines)
    return np.array([len(_UNSPACED.findall(text)), len(_LETTER.findall(text))])


def suggested_definition(counts: np.ndarray) -> str:
    """`characters` where most letters belong to scripts written without spaces, else `eojeol`; of `letter_counts`."""
    return "characters" if 2 * counts[0] > counts[1] else "eojeol"


def definition_of(lines: Sequence[str], chosen: str = AUTO) -> str:
    """The definition of a word for a text: the chosen one, or for AUTO the suggested one.

    >>> definition_of(["我们去学校。"]), definition_of(["我们去学校。"], "eojeol"), definition_of(["학교에 갔다."])
    ('characters', 'eojeol', 'eojeol')
    """
    return suggested_definition(letter_counts(lines)) if chosen == AUTO else chosen


def byte_offsets(text: str) -> np.ndarray:
    """int64[len(text) + 1]: UTF-8 byte offset of every code point, and the number of bytes."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    sizes = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _collect(lines: Sequence[str], spans_of: Callable[[int], list[tuple[int, int]]], definition: str) -> Words:
    n_words: list[int] = []

    def places() -> Iterator[int]:
        base = 0
        for number, line in enumerate(lines):
            found = spans_of(number)
            n_words.append(len(found))
            for begin, end in found:
                yield base + begin
                yield base + end
            base += len(line)

    every = np.fromiter(places(), dtype=np.int64).reshape(-1, 2)
    begin, end = byte_offsets("".join(lines))[every].T
    return Words(definition, begin, end, np.append(0, np.cumsum(n_words, dtype=np.int64)))
