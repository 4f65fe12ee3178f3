"""Layers of units over the same lines: tokens, morphemes and words, each with its places and distinct values.

A place is a byte offset in the lines joined by line feeds (UTF-8), so units of different layers can be compared and
none touches one of the next line.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import regex

from engine.corpus.morphemes.analysers import line_morphemes
from engine.hangul.jamo import compose
from engine.measure.encoded import EncodedLines
from engine.measure.words import EOJEOL, byte_offsets, find_words

# Names of the layers.
TOKENS, MORPHEMES, WORDS = "tokens", "morphemes", "words"

Progress = Callable[[int], None]
_REPORT_LINES = 500
_LAST_SPACE = 0x3000
_SPACES = {ord(space) for space in regex.findall(r"[^\S\n]", "".join(map(chr, range(_LAST_SPACE + 1))))}
_IS_SPACE = np.array([code in _SPACES for code in range(_LAST_SPACE + 2)])

_Value = TypeVar("_Value")


class Layer(NamedTuple):
    """The units of one kind, in order.

    Attributes
    ----------
    name : `tokens`, `morphemes` or `words`.
    begin, end : int64[n_units], places; no unit is empty, none overlaps another.
    line_ptr : int64[n_lines + 1], the units of each line.
    kind : int32[n_units], the row of each unit's values.
    values : by attribute, the text of every distinct unit, [n_kinds]; see `token_value`.
    """

    name: str
    begin: np.ndarray
    end: np.ndarray
    line_ptr: np.ndarray
    kind: np.ndarray
    values: Mapping[str, Sequence[str]]

    @property
    def labels(self) -> list[str]:
        """One text for every distinct unit: of a morpheme, its form and tag."""
        if self.name == MORPHEMES:
            return [f"{form}/{tag}" for form, tag in zip(self.values["form"], self.values["tag"], strict=True)]
        return list(next(iter(self.values.values())))


class Spans(NamedTuple):
    """Parts of lines, in the order of the text.

    Attributes
    ----------
    line : int64[n], line of each, from 0.
    begin, end : int64[n], in the UTF-8 bytes of the line.
    """

    line: np.ndarray
    begin: np.ndarray
    end: np.ndarray


def line_starts(lines: Sequence[str]) -> np.ndarray:
    """int64[n_lines + 1]: the place at which each line begins."""
    sizes = np.fromiter((len(line.encode("utf-8", "replace")) + 1 for line in lines), np.int64, len(lines))
    return np.concatenate([[0], np.cumsum(sizes)])


def visible_bytes(lines: Sequence[str]) -> np.ndarray:
    """bool[n_bytes]: whether each byte of the lines, each ending in a line feed, is of no white space; line feeds are
    visible."""
    text = "".join(f"{line}\n" for line in lines)
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    sizes = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    return np.repeat(~_IS_SPACE[np.minimum(codes, _LAST_SPACE + 1)], sizes)


def token_layer(
    starts: np.ndarray, size: np.ndarray, line_ptr: np.ndarray, kind: np.ndarray, labels: Sequence[str]
) -> Layer:
    """Tokens that tile the lines.

    Parameters
    ----------
    starts : `line_starts`.
    size : int64[n_tokens], in bytes; tokens without text are left out.
    line_ptr : int64[n_lines + 1], the tokens of each line.
    kind : int[n_tokens], rows of `labels`.
    labels : `token_value` of each.
    """
    end = np.cumsum(size) + np.repeat(np.arange(len(line_ptr) - 1), np.diff(line_ptr))
    is_text = size > 0
    ptr = np.concatenate([[0], np.cumsum(is_text)])[line_ptr]
    begin = (end - size)[is_text] + starts[0]
    return Layer(TOKENS, begin, begin + size[is_text], ptr, kind[is_text].astype(np.int32), {"token": labels})


def token_value(label: str) -> str:
    """The text of a token in queries: spaces as ␣, jamo as syllables."""
    return compose(label).replace(" ", "␣")


def encoded_layer(encoded: EncodedLines) -> Layer:
    """The tokens of a tokenizer, which tile `encoded.seen`."""
    used, kind = np.unique(encoded.ids, return_inverse=True)
    labels = [token_value(encoded.tokenizer.token_label(int(one))) for one in used]
    size = encoded.end - encoded.begin
    return token_layer(line_starts(encoded.seen), size, encoded.token_ptr, kind.reshape(-1), labels)


def word_layer(lines: Sequence[str], definition: str = EOJEOL) -> Layer:
    """Words by one of the definitions of `engine.measure.words`."""
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    if definition == EOJEOL:
        is_word = visible_bytes(lines) & (np.frombuffer(text, dtype=np.uint8) != ord("\n"))
        edges = np.flatnonzero(np.diff(is_word, prepend=False, append=False))
        begin, end = edges[::2], edges[1::2]
    else:
        words = find_words(lines, definition)
        shift = np.repeat(np.arange(len(lines)), words.per_line)
        begin, end = words.begin + shift, words.end + shift
    kind, distinct = _numbered(text[b:e] for b, e in zip(begin.tolist(), end.tolist(), strict=True))
    values = [compose(one.decode()) for one in distinct]
    return Layer(WORDS, begin, end, np.searchsorted(begin, line_starts(lines)), kind, {"word": values})


def morpheme_layer(lines: Sequence[str], analyser: str, progress: Progress = lambda n_lines: None) -> Layer:
    """The morphemes that an analyser finds; white space and what it skips are in none.

    Parameters
    ----------
    analyser : a key of `engine.corpus.morphemes.analysers.ANALYSERS`.
    progress : is told the number of lines done, now and then.

    Raises
    ------
    InputError : the analyser is not installed.
    """
    starts = line_starts(lines)
    spans, facts = [np.empty((0, 2), dtype=np.int64)], []
    ptr = np.zeros(len(lines) + 1, dtype=np.int64)
    for number, line in enumerate(lines):
        found = line_morphemes(line, analyser) if line.strip() else []
        ptr[number + 1] = ptr[number] + len(found)
        if found:
            bounds = np.array([(one.begin, one.end) for one in found])
            spans.append(byte_offsets(line)[bounds] + starts[number])
            facts += [(compose(line[one.begin : one.end]), one.form, one.tag) for one in found]
        if number % _REPORT_LINES == 0:
            progress(number)
    kind, distinct = _numbered(facts)
    morphs, forms, tags = zip(*distinct, strict=True) if distinct else ((), (), ())
    every = np.concatenate(spans)
    return Layer(MORPHEMES, every[:, 0], every[:, 1], ptr, kind, {"form": forms, "tag": tags, "morph": morphs})


def _numbered(found: Iterable[_Value]) -> tuple[np.ndarray, list[_Value]]:
    """Each value's number in the order of first appearance, and the distinct values."""
    numbers: dict[_Value, int] = {}
    kind = np.fromiter((numbers.setdefault(one, len(numbers)) for one in found), np.int32)
    return kind, list(numbers)
