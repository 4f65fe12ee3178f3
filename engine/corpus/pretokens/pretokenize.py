"""Pre-tokenization: cutting a line into pieces that no token may cross.

Patterns with a rule run as one kernel over a table of character classes. `engine.pretokenization` finds pre-tokenizers
by name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from engine._jit import inlined, kernel
from engine.corpus.pretokens.character_classes import classes_for
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.pretokens.scan import RULES, _scan
from engine.errors import InputError
from engine.machine.threads import ragged_in_threads

MOST_BYTES = 4
"""Of a character, hence the most tokens that it falls back to."""


def to_codes(text: str) -> np.ndarray:
    """Code points of `text` as int32[len(text)]; InputError for a lone surrogate, which is not valid Unicode."""
    try:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.int32)
    except UnicodeEncodeError as error:
        raise InputError("text.surrogate", surrogate=ord(text[error.start]), start=error.start) from None


def text_of(codes: np.ndarray) -> str:
    """The text of these code points, which `to_codes` gave."""
    return codes.astype("<i4").tobytes().decode("utf-32-le")


@kernel
def _scan_lines(codes, line_begin, line_end, classes, rule):
    """Ends of the pre-tokens of all lines, and line_ptr into them."""
    ends = np.empty((line_end - line_begin).sum(), dtype=np.int64)
    line_ptr = np.empty(line_begin.size + 1, dtype=np.int64)
    k = np.int64(0)  # a literal 0 would compile `_scan` once more
    line_ptr[0] = 0
    for line in range(line_begin.size):
        k = _scan(codes, line_begin[line], line_end[line], classes, rule, ends, k)
        line_ptr[line + 1] = k
    return ends[:k], line_ptr


@dataclass(frozen=True)
class Pretokenizer:
    """Cuts text into pre-tokens whose concatenation is the text. Equal names and tables cut equally.

    Parameters
    ----------
    name : a key of RULES, or another name of engine.pretokenization; then one of the functions below is given.
    cut : maps a line to the ends of its pre-tokens (a regular expression, or morphemes).
    scan : maps code points and the begins and ends of lines to the result of scan_lines (learned boundaries).
    table : the learned parameters, as text.
    """

    name: str
    cut: Callable[[str], list[int]] | None = None
    scan: Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None
    table: str = field(default="", repr=False)

    def split(self, text: str) -> list[str]:
        """The pre-tokens of one line, in order; `"".join(split(text)) == text`."""
        if self.cut is None or self.name in RULES:
            return [text[a:b] for a, b in pairwise(self.boundaries(to_codes(text)))]
        return [text[a:b] for a, b in pairwise([0, *self.cut(text)])]

    def boundaries(self, codes: np.ndarray) -> np.ndarray:
        """Boundaries of one line: int64[n_pretokens + 1], from 0 to len(codes)."""
        if self.name in RULES:
            ends = np.empty(codes.size + 1, dtype=np.int64)
            ends[0] = 0
            k = _scan(codes, 0, codes.size, classes_for(codes), RULES[self.name], ends, 1)
            return ends[:k]
        if self.cut is not None:
            return np.array([0, *self.cut(text_of(codes))], dtype=np.int64)
        assert self.scan is not None
        return np.append(0, self.scan(codes, np.array([0]), np.array([codes.size]))[0])

    def scan_lines(
        self, codes: np.ndarray, line_begin: np.ndarray, line_end: np.ndarray, threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the pre-tokens of many lines, and line_ptr into them (both int64)."""
        if self.name in RULES:
            classes, rule = classes_for(codes), RULES[self.name]
            return ragged_in_threads(
                lambda begin, end: _scan_lines(codes, begin, end, classes, rule), line_begin, line_end, threads
            )
        if self.scan is not None:
            return self.scan(codes, line_begin, line_end)
        assert self.cut is not None
        text, begins = text_of(codes), line_begin.tolist()
        lines = [text[begin:end] for begin, end in zip(begins, line_end.tolist(), strict=True)]
        cuts = self.cut.lines(lines) if isinstance(self.cut, OwnPattern) else map(self.cut, lines)
        ends: list[int] = []
        line_ptr = [0]
        for begin, cut in zip(begins, cuts, strict=True):
            ends.extend(begin + e for e in cut)
            line_ptr.append(len(ends))
        return np.array(ends, dtype=np.int64), np.array(line_ptr, dtype=np.int64)


@inlined
def _utf8_size(code):
    """Bytes of a character."""
    return 1 if code < 0x80 else (2 if code < 0x800 else (3 if code < 0x10000 else 4))


@inlined
def _utf8_byte(code, size, k):
    """Byte k of a character of so many bytes: the first has as many ones before a zero, the others 10."""
    if size == 1:
        return code
    rest = code >> (6 * (size - 1 - k))
    return (0xF00 >> size & 0xFF) | rest if k == 0 else 0x80 | (rest & 0x3F)


@kernel
def _utf8_offsets(codes):
    offsets = np.empty(codes.size + 1, dtype=np.int64)
    offsets[0] = 0
    for i in range(codes.size):
        offsets[i + 1] = offsets[i] + _utf8_size(codes[i])
    return offsets


def utf8_offsets(codes: np.ndarray) -> np.ndarray:
    """Byte offset of every code point in the UTF-8 text, and its length: int64[len(codes) + 1]."""
    offsets: np.ndarray = _utf8_offsets(codes)
    return offsets
