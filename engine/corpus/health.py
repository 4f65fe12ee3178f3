"""Health check of a corpus: counts of suspicious features, to look at before training."""

import unicodedata
from typing import NamedTuple

import numpy as np
import regex

from engine.corpus.reading.lines import split_lines

# One line is one sentence; longer lines are usually whole documents.
LONG_LINE = 2000

_PIECE = 1 << 20
_N_CODES = 0x110000

# Scripts that are counted separately; all other letters are "other".
SCRIPTS = (
    "Hangul",
    "Latin",
    "Han",
    "Hiragana",
    "Katakana",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Tibetan",
    "Georgian",
    "Armenian",
    "Ethiopic",
)


class Health(NamedTuple):
    """Counts of a corpus."""

    n_lines: int  # non-empty lines
    n_empty: int
    n_duplicates: int  # lines equal to an earlier line
    n_long: int  # lines of more than LONG_LINE characters
    longest: int  # characters of the longest line
    n_controls: int  # control characters except line ends and tabs
    n_replacements: int  # U+FFFD, left by a program that could not decode the text
    n_not_nfc: int  # lines that are not in NFC, e.g. decomposed Hangul
    scripts: tuple[tuple[str, int], ...]  # characters by script, most frequent first; "other" last


def corpus_health(text: str) -> Health:
    """Check a corpus.

    Parameters
    ----------
    text : the corpus, one sentence per line.

    Examples
    --------
    >>> health = corpus_health("가나 다라\\n\\n가나 다라\\n")
    >>> health.n_lines, health.n_empty, health.n_duplicates, health.scripts
    (2, 1, 1, (('Hangul', 8),))
    """
    lines = split_lines(text)
    filled = [line for line in lines if line]
    lengths = [len(line) for line in filled]
    counts = code_point_counts(text)
    codes = np.flatnonzero(counts)
    controls = [ord(c) for c in map(chr, codes.tolist()) if unicodedata.category(c) == "Cc" and c not in "\t\n\r"]
    return Health(
        n_lines=len(filled),
        n_empty=len(lines) - len(filled),
        n_duplicates=len(filled) - len(set(filled)),
        n_long=sum(length > LONG_LINE for length in lengths),
        longest=max(lengths, default=0),
        n_controls=int(counts[controls].sum()) if controls else 0,
        n_replacements=int(counts[0xFFFD]),
        n_not_nfc=_count_not_nfc(text, filled),
        scripts=_scripts(codes, counts),
    )


def code_point_counts(text: str) -> np.ndarray:
    """Count of each code point: int64[0x110000]."""
    counts = np.zeros(_N_CODES, np.int64)
    for begin in range(0, len(text), _PIECE):
        codes = np.frombuffer(text[begin : begin + _PIECE].encode("utf-32-le", "surrogatepass"), "<u4")
        found = np.bincount(codes)
        counts[: found.size] += found
    return counts


def _count_not_nfc(text: str, lines: list[str]) -> int:
    if unicodedata.is_normalized("NFC", text):
        return 0
    return sum(not unicodedata.is_normalized("NFC", line) for line in lines)


def _scripts(codes: np.ndarray, counts: np.ndarray) -> tuple[tuple[str, int], ...]:
    groups = "|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS)
    pattern = regex.compile(rf"{groups}|(?P<other>\p{{L}})")
    totals: dict[str, int] = {}
    for code in codes.tolist():
        match = pattern.match(chr(code))
        if match is not None:
            totals[match.lastgroup] = totals.get(match.lastgroup, 0) + int(counts[code])
    return tuple(sorted(totals.items(), key=lambda item: (item[0] == "other", -item[1], item[0])))
