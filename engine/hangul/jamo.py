"""Hangul syllables as conjoining jamo (U+1100 to U+11FF) and back; all other text is unchanged.

Unlike NFD, only modern syllables are decomposed, so the way back is exact if the text has no conjoining jamo.
"""

import re
import unicodedata

import numpy as np

from engine.hangul.syllables import FINALS, INITIALS, VOWELS

_INITIAL, _VOWEL, _FINAL = 0x1100, 0x1161, 0x11A7  # the first of each; the first final is none

_SYLLABLES = re.compile("[가-힣]+")
_WHOLE = re.compile("(?:[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?)+")
_CONJOINING = re.compile("[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]")
_FIRST_SYLLABLE, _LAST_SYLLABLE, _SYLLABLES_A_VOWEL = ord("가"), ord("힣"), 28

# The standalone letter of each modern jamo.
_LETTERS = {
    **{chr(_INITIAL + k): letter for k, letter in enumerate(INITIALS)},
    **{chr(_VOWEL + k): letter for k, letter in enumerate(VOWELS)},
    **{chr(_FINAL + k): letter for k, letter in enumerate(FINALS) if k},
}
_MISSING = "◌"  # the rest of a syllable, in another token
# A partial syllable: an initial, a vowel with or without a final, a final.
_PART = re.compile("[\u1100-\u1112](?![\u1161-\u1175])|[\u1161-\u1175][\u11a8-\u11c2]?|[\u11a8-\u11c2]")


def decompose(text: str) -> str:
    """Every Hangul syllable as its two or three conjoining jamo.

    >>> [f"U+{ord(character):04X}" for character in decompose("각!")]
    ['U+1100', 'U+1161', 'U+11A8', 'U+0021']
    """
    return _SYLLABLES.sub(lambda match: unicodedata.normalize("NFD", match[0]), text)


def compose(text: str) -> str:
    """Every initial and vowel, with any final after them, as a syllable; other jamo are unchanged.

    >>> compose(decompose("갂 쀍 ㅋㅋ é")) == "갂 쀍 ㅋㅋ é"
    True
    """
    return _WHOLE.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)


def first_conjoining(text: str) -> int | None:
    """Position of the first conjoining jamo, including archaic ones; None if there is none."""
    found = _CONJOINING.search(text)
    return found.start() if found else None


def readable(text: str) -> str:
    """Jamo in readable form: whole syllables, and letters with ◌ for the missing parts of a syllable.

    >>> readable(decompose("갑니다")[2:]), readable(decompose("갔다")[1:]), readable(decompose("먹고")[:4])
    ('◌ㅂ니다', '◌ㅏㅆ다', '먹ㄱ◌')
    """
    return _PART.sub(_part, compose(text))


def letters(text: str) -> list[str]:
    """Every character, jamo as standalone letters: labels for cells of one character each.

    >>> letters(decompose("갔다"))
    ['ㄱ', 'ㅏ', 'ㅆ', 'ㄷ', 'ㅏ']
    """
    return [_LETTERS.get(character, character) for character in text]


def _part(match: re.Match[str]) -> str:
    letters = "".join(_LETTERS[jamo] for jamo in match[0])
    return letters + _MISSING if match[0] < chr(_VOWEL) else _MISSING + letters


def syllable_offsets(text: str) -> np.ndarray:
    """Byte offset in `text` of every byte of `decompose(text)`, and its length: int64[n_bytes + 1], both in UTF-8.

    A syllable has three bytes and two or three jamo: a position between two of its jamo maps to one between two of its
    bytes, the first or the second. So a cut inside a syllable stays inside.

    >>> syllable_offsets("a각").tolist()
    [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int64)
    is_syllable = (codes >= _FIRST_SYLLABLE) & (codes <= _LAST_SYLLABLE)
    size = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    has_final = (codes - _FIRST_SYLLABLE) % _SYLLABLES_A_VOWEL > 0
    seen = np.where(is_syllable, np.where(has_final, 9, 6), size)
    begin, seen_begin = np.cumsum(size) - size, np.cumsum(seen) - seen
    inside = np.arange(seen.sum()) - np.repeat(seen_begin, seen)
    offsets = np.repeat(begin, seen) + np.where(np.repeat(is_syllable, seen), inside // 3, inside)
    return np.append(offsets, size.sum())
