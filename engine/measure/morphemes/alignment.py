"""Underlying morphemes aligned with the surface: 갔다 is 가+았+다, but only the boundary before 다 is visible.

Both sides are spelled in letters (a Hangul syllable in its two or three) and aligned at the lowest cost (Needleman and
Wunsch 1970). A boundary between two characters of the surface is a surface boundary; one inside a syllable is fused and
invisible.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.hangul.conjugation import CONTRACTED
from engine.hangul.syllables import NO_FINAL, VOWELS, is_syllable, take_apart

_SILENT = "ø"  # the silent ㅇ before a vowel
# All costs are multiples of a quarter, so that their sums can be compared exactly.
_SKIP = 1.0  # a letter on one side only
_SKIP_SILENT = 0.25
_CHANGE = 1.0  # another letter of the same kind
_NEVER = 1e9
_CONTRACT = 0.5  # two vowels, the second with a silent initial, become one

# All costs are multiples of a quarter, so that sums of them can be compared exactly.
_CONTRACTIONS = CONTRACTED | {"ㅡㅓ": "ㅓ", "ㅡㅏ": "ㅏ"}
_HA = {"ㅏㅏ": "ㅐ", "ㅏㅓ": "ㅐ", "ㅏㅕ": "ㅐ"}  # 하+았 is 했


class Alignment(NamedTuple):
    """Positions of the morphemes in a surface.

    Attributes
    ----------
    boundaries : code point offsets inside the surface, strictly ascending.
    sizes : number of morphemes in each piece between boundaries. Boundaries inside a piece are invisible: inside a
        syllable, or next to a morpheme without text.
    """

    boundaries: tuple[int, ...]
    sizes: tuple[int, ...]


@lru_cache(maxsize=65536)
def align(surface: str, morphemes: tuple[str, ...]) -> Alignment | None:
    """Surface boundaries of the morphemes, or None if the two have too little in common.

    They cannot be aligned if a Hangul syllable of the surface shares no letter with its counterpart or has an
    unexplained initial consonant (other than the ㄹ of 이르러), if fewer than half of the other characters have a
    counterpart, or if a character that is not a letter would have to change.
    """
    ends = np.cumsum([len(morpheme) for morpheme in morphemes]).tolist()
    if "".join(morphemes) == surface:
        return Alignment(tuple(ends[:-1]), (1,) * len(morphemes))
    letters, owner = _spell(surface)
    parts = [_spell(morpheme)[0] for morpheme in morphemes]
    underlying = [letter for part in parts for letter in part]
    if not letters or not underlying:
        return None
    forward = _costs(underlying, letters)
    backward = _costs(underlying[::-1], letters[::-1], backward=True)[::-1, ::-1]
    best = forward[-1, -1]
    if best >= _NEVER or not _is_plausible(surface, underlying, letters, owner, forward):
        return None
    cuts = [0]
    sizes = [0]
    at = reached = 0
    for part in parts[:-1]:
        at += len(part)
        sizes[-1] += 1
        possible = np.flatnonzero(forward[at] + backward[at] == best)
        possible = possible[possible >= reached]
        # Prefer a position between two characters to an equally cheap one inside a character.
        edges = [j for j in possible.tolist() if j in (0, len(letters)) or owner[j] != owner[j - 1]]
        reached = edges[0] if edges else int(possible[0]) if possible.size else reached
        if edges and reached < len(letters) and owner[reached] > cuts[-1]:
            cuts.append(owner[reached])
            sizes.append(0)
    sizes[-1] += 1
    return Alignment(tuple(cuts[1:]), tuple(sizes))


def _spell(text: str) -> tuple[list[str], list[int]]:
    """Letters of the text, and the index of the character that each belongs to."""
    letters: list[str] = []
    owner: list[int] = []
    for number, character in enumerate(text):
        if is_syllable(character):
            initial, vowel, final = take_apart(character)
            parts = [_SILENT if initial == "ㅇ" else initial, vowel, final]
            parts = parts if final != NO_FINAL else parts[:2]
        else:
            parts = [character]
        letters += parts
        owner += [number] * len(parts)
    return letters, owner


def _kind(letter: str) -> str:
    if letter in VOWELS:
        return "vowel"
    if letter == _SILENT or "ㄱ" <= letter <= "ㅎ":
        return "consonant"
    return "letter" if letter.isalpha() else "other"


def _skip(letter: str) -> float:
    return _SKIP_SILENT if letter == _SILENT else _SKIP


def _change(a: str, b: str) -> float:
    if a == b:
        return 0.0
    kinds = {_kind(a), _kind(b)}
    return _CHANGE if len(kinds) == 1 and kinds != {"other"} else _NEVER


def _contracts(letters: list[str], surface: str) -> bool:
    """Whether three letters are a vowel, a silent initial and a vowel that can become the vowel `surface`."""
    first, second, third = letters
    return second == _SILENT and surface in (_CONTRACTIONS.get(first + third), _HA.get(first + third))


def _costs(rows: list[str], columns: list[str], backward: bool = False) -> np.ndarray:
    """float64[len(rows) + 1, len(columns) + 1]: lowest cost of aligning the first i letters with the first j.

    With `backward` both sequences are reversed.
    """
    table = [[0.0]]
    for letter in columns:
        table[0].append(table[0][-1] + _skip(letter))
    for i, a in enumerate(rows):
        above = table[-1]
        row = [above[0] + _skip(a)]
        triple = rows[i - 2 : i + 1] if i >= 2 and rows[i - 1] == _SILENT else None
        if triple and backward:
            triple.reverse()
        for j, b in enumerate(columns):
            cost = min(above[j] + _change(a, b), above[j + 1] + _skip(a), row[j] + _skip(b))
            if triple and _contracts(triple, b):
                cost = min(cost, table[i - 2][j] + _CONTRACT)
            row.append(cost)
        table.append(row)
    return np.array(table)


def _is_plausible(
    surface: str, underlying: list[str], letters: list[str], owner: list[int], forward: np.ndarray
) -> bool:
    """Whether the characters of the surface have counterparts in one of the cheapest alignments."""
    matched = [False] * len(surface)
    i, j = len(underlying), len(letters)
    while j:
        b, cost = letters[j - 1], forward[i, j]
        if i >= 3 and _contracts(underlying[i - 3 : i], b) and cost == forward[i - 3, j - 1] + _CONTRACT:
            matched[owner[j - 1]] = True
            i, j = i - 3, j - 1
        elif i and cost == forward[i - 1, j - 1] + _change(underlying[i - 1], b):
            matched[owner[j - 1]] |= underlying[i - 1] == b
            i, j = i - 1, j - 1
        elif i and cost == forward[i - 1, j] + _skip(underlying[i - 1]):
            i -= 1
        else:
            j -= 1
            begins = j == 0 or owner[j - 1] != owner[j]
            if begins and is_syllable(surface[owner[j]]) and b not in (_SILENT, "ㄹ"):
                return False
    hangul = [found for found, character in zip(matched, surface, strict=True) if is_syllable(character)]
    others = [found for found, character in zip(matched, surface, strict=True) if not is_syllable(character)]
    return all(hangul) and 2 * sum(others) >= len(others)
