"""Hangul syllables as conjoining jamo (U+1100 to U+11FF) and back; all other text is unchanged.

Unlike NFD, only modern syllables are decomposed. Modern jamo that the text already has, as old Hangul does, are marked
by a filler before each, so the way back is exact for every text.
"""

import re
import unicodedata

import numpy as np

from engine.hangul.syllables import FINALS, INITIALS, VOWELS

_INITIAL, _VOWEL, _FINAL = 0x1100, 0x1161, 0x11A7  # the first of each; the first final is none

# The choseong filler: a letter, so that it does not cut words, and next to nothing else contains it.
_GIVEN = "\u115f"
_SYLLABLES = re.compile("[가-힣]+")
# Archaic jamo are not marked: no syllable decomposes into them, and none is composed of them.
_TO_MARK = re.compile("[\u115f\u1100-\u1112\u1161-\u1175\u11a8-\u11c2]")
_WHOLE_OR_MARKED = re.compile(
    "(?:[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?)+|\u115f([\u115f\u1100-\u1112\u1161-\u1175\u11a8-\u11c2])"
)
_FIRST_SYLLABLE, _LAST_SYLLABLE, _SYLLABLES_A_VOWEL = ord("가"), ord("힣"), 28

_MARKED_CODES = [code for code in range(0x1100, 0x1200) if _TO_MARK.match(chr(code))]

# The standalone letter of each modern jamo.
_LETTERS = {
    **{chr(_INITIAL + k): letter for k, letter in enumerate(INITIALS)},
    **{chr(_VOWEL + k): letter for k, letter in enumerate(VOWELS)},
    **{chr(_FINAL + k): letter for k, letter in enumerate(FINALS) if k},
}
_MISSING = "◌"  # the rest of a syllable, in another token
# A partial syllable: a vowel with or without a final, an initial, a final.
_PART = "[\u1161-\u1175][\u11a8-\u11c2]?|[\u1100-\u1112\u11a8-\u11c2]"
_WHOLE_MARKED_OR_PART = re.compile(f"{_WHOLE_OR_MARKED.pattern}|({_PART})")


def decompose(text: str) -> str:
    """Every Hangul syllable as its two or three conjoining jamo; a modern jamo of the text with a filler before it.

    >>> [f"U+{ord(character):04X}" for character in decompose("각!\\u1100")]
    ['U+1100', 'U+1161', 'U+11A8', 'U+0021', 'U+115F', 'U+1100']
    """
    return decompose_syllables(_TO_MARK.sub(rf"{_GIVEN}\g<0>", text))


def decompose_syllables(text: str) -> str:
    """Only the syllables: a decomposed text stays as it is."""
    return _SYLLABLES.sub(lambda match: unicodedata.normalize("NFD", match[0]), text)


def compose(text: str) -> str:
    """Undo `decompose`; in part of a decomposed text, jamo that make no syllable are unchanged.

    >>> all(compose(decompose(text)) == text for text in ("갂 쀍 ㅋㅋ é", "나랏〮말ᄊᆞ미"))
    True
    """
    return _WHOLE_OR_MARKED.sub(lambda match: match[1] or unicodedata.normalize("NFC", match[0]), text)


def readable(text: str) -> str:
    """Jamo in readable form: whole syllables, and letters with ◌ for the missing parts of a syllable.

    >>> readable(decompose("갑니다")[2:]), readable(decompose("갔다")[1:]), readable(decompose("먹고")[:4])
    ('◌ㅂ니다', '◌ㅏㅆ다', '먹ㄱ◌')
    """
    return _WHOLE_MARKED_OR_PART.sub(
        lambda match: _part(match[2]) if match[2] else match[1] or unicodedata.normalize("NFC", match[0]), text
    )


def letters(text: str) -> list[str]:
    """Every character, jamo as standalone letters, a filler as ◌: labels for cells of one character each.

    >>> letters(decompose("갔다"))
    ['ㄱ', 'ㅏ', 'ㅆ', 'ㄷ', 'ㅏ']
    """
    return [_MISSING if character == _GIVEN else _LETTERS.get(character, character) for character in text]


def _part(jamo: str) -> str:
    letters = "".join(map(_LETTERS.__getitem__, jamo))
    return letters + _MISSING if jamo < chr(_VOWEL) else _MISSING + letters


def syllable_offsets(text: str) -> np.ndarray:
    """Byte offset in `text` of every byte of `decompose(text)`, and its length: int64[n_bytes + 1], both in UTF-8.

    A syllable has three bytes and two or three jamo: a position between two of its jamo maps to one between two of its
    bytes, the first or the second. So a cut inside a syllable stays inside; so does one between a filler and its jamo.

    >>> syllable_offsets("a각").tolist()
    [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int64)
    is_syllable = (codes >= _FIRST_SYLLABLE) & (codes <= _LAST_SYLLABLE)
    size = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    has_final = is_syllable & ((codes - _FIRST_SYLLABLE) % _SYLLABLES_A_VOWEL > 0)
    grows = is_syllable | np.isin(codes, _MARKED_CODES)
    seen = np.where(grows, np.where(has_final, 9, 6), size)
    begin, seen_begin = np.cumsum(size) - size, np.cumsum(seen) - seen
    inside = np.arange(seen.sum()) - np.repeat(seen_begin, seen)
    offsets = np.repeat(begin, seen) + np.where(np.repeat(grows, seen), inside // 3, inside)
    return np.append(offsets, size.sum())
