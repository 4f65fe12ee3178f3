"""Korean text as people also write it: mistyped, wrongly spaced, decomposed, romanised, in look-alike letters.

A variant is a list of pairs, each a character of the text and what is written in its place, "" for nothing; a pair
whose first is "" is an inserted space. The same text always becomes the same variant.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from random import Random

from engine.corpus.normalize import composed, to_form
from engine.errors import require_choice
from engine.hangul.syllables import FINALS, INITIALS, NO_FINAL, VOWELS, is_syllable, put_together, take_apart

Pairs = list[tuple[str, str]]
RATE = 0.2

# The two-set keyboard (KS X 5002), row by row: consonants are on the left, vowels on the right; and shifted keys.
_KEYS = ("ㅂㅈㄷㄱㅅ", "ㅁㄴㅇㄹㅎ", "ㅋㅌㅊㅍ", "ㅛㅕㅑㅐㅔ", "ㅗㅓㅏㅣ", "ㅠㅜㅡ")
_SHIFTED = ("ㅂㅃ", "ㅈㅉ", "ㄷㄸ", "ㄱㄲ", "ㅅㅆ", "ㅐㅒ", "ㅔㅖ")
_SLIPS: dict[str, list[str]] = {letter: [] for letter in INITIALS + VOWELS + FINALS}
for _row in (*_KEYS, *_SHIFTED):
    for _one, _next in pairwise(_row):
        _SLIPS[_one].append(_next)
        _SLIPS[_next].append(_one)

# Revised Romanization of Korean, article 8: by letters, so that Hangul can be restored.
_INITIALS = "g kk n d tt l m b pp s ss - j jj ch k t p h"
_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i"
_FINALS = "g kk gs n nj nh d l lg lm lb ls lt lp lh m b bs s ss ng j ch k t p h"
_ROMAN_INITIALS = dict(zip(INITIALS, _INITIALS.split(), strict=True))
_ROMAN_VOWELS = dict(zip(VOWELS, _VOWELS.split(), strict=True))
_ROMAN_FINALS = dict(zip(FINALS, ["", *_FINALS.split()], strict=True))

# Syllables of one shape, as in 댕댕이 for 멍멍이: initial and vowel, each for the other.
_SHAPES = (("대", "머"), ("며", "띠"), ("귀", "커"), ("비", "네"), ("과", "파"))
_ALIKE = {take_apart(one)[:2]: take_apart(other)[:2] for a, b in _SHAPES for one, other in ((a, b), (b, a))}


def _each(change: Callable[[str], str]) -> Callable[[str, Random, float], Pairs]:
    return lambda text, _random, _rate: [(char, change(char)) for char in text]


def _mistyped(text: str, random: Random, rate: float) -> Pairs:
    """One wrong letter in an eojeol, with probability `rate`: a neighbouring key, shift, or a final left out."""
    written = list(text)
    begin = 0
    for word in text.split(" "):
        slips = [(k, slip) for k, char in enumerate(word, start=begin) if is_syllable(char) for slip in _typed(char)]
        if slips and random.random() < rate:
            place, slip = slips[int(random.random() * len(slips))]
            written[place] = slip
        begin += len(word) + 1
    return list(zip(text, written, strict=True))


@cache
def _typed(syllable: str) -> list[str]:
    """All syllables that one slip makes of this one."""
    initial, vowel, final = take_apart(syllable)
    slips = [put_together(one, vowel, final) for one in _SLIPS[initial]]
    slips += [put_together(initial, one, final) for one in _SLIPS[vowel]]
    slips += [put_together(initial, vowel, one) for one in _SLIPS[final] if one in FINALS]
    return slips if final == NO_FINAL else [*slips, put_together(initial, vowel)]


def _wrongly_spaced(text: str, random: Random, rate: float) -> Pairs:
    """A space left out, and one between two syllables of an eojeol, each with probability `rate`."""
    pairs: Pairs = []
    for k, word in enumerate(text.split(" ")):
        if k:
            pairs.append((" ", "" if random.random() < rate else " "))
        places = [i for i in range(1, len(word)) if is_syllable(word[i - 1]) and is_syllable(word[i])]
        place = places[int(random.random() * len(places))] if places and random.random() < rate else 0
        pairs += [(char, char) for char in word[:place]]
        pairs += [("", " ")] if place else []
        pairs += [(char, char) for char in word[place:]]
    return pairs


def _romanised(text: str, _random: Random, _rate: float) -> Pairs:
    pairs: Pairs = []
    before = ""  # the final of the syllable before; "" if there is none
    for char in text:
        if not is_syllable(char):
            pairs.append((char, char))
            before = ""
            continue
        initial, vowel, final = take_apart(char)
        onset = _ROMAN_INITIALS[initial]
        if onset == "-":
            onset = "-" if before else ""
        elif before and _is_ambiguous(_ROMAN_FINALS[before], onset):
            onset = f"-{onset}"
        pairs.append((char, onset + _ROMAN_VOWELS[vowel] + _ROMAN_FINALS[final]))
        before = final
    return pairs


def _is_ambiguous(final: str, initial: str) -> bool:
    """Whether a part of the final and the initial spell an initial, too: s and s, where ss could be meant."""
    return any(
        final[k:] + initial in _ROMAN_INITIALS.values() and final[:k] in _ROMAN_FINALS.values()
        for k in range(len(final))
    )


def _look_alike(char: str) -> str:
    if not is_syllable(char):
        return char
    initial, vowel, final = take_apart(char)
    return put_together(*_ALIKE.get((initial, vowel), (initial, vowel)), final)


_MADE: dict[str, Callable[[str, Random, float], Pairs]] = {
    "typing": _mistyped,
    "no-spaces": _each(lambda char: "" if char == " " else char),
    "wrong-spaces": _wrongly_spaced,
    "nfd": _each(lambda char: to_form(char, "NFD")),
    "jamo": _each(lambda char: "".join(take_apart(char)).rstrip() if is_syllable(char) else char),
    "romanised": _romanised,
    "look-alike": _each(_look_alike),
}
VARIANTS = tuple(_MADE)
RATED = ("typing", "wrong-spaces")  # those that a rate changes


def variant(text: str, kind: str, rate: float = RATE, seed: int = 0) -> Pairs:
    """One of VARIANTS of a text, which is composed (NFC) first.

    - `typing` : on the two-set keyboard; of the eojeols with Hangul, a share of `rate` has one wrong letter.
    - `no-spaces` : all spaces removed.
    - `wrong-spaces` : a share of `rate` of the spaces left out, and of the eojeols divided.
    - `nfd` : conjoining letters, as in file names of macOS.
    - `jamo` : standalone letters, one after the other.
    - `romanised` : Revised Romanization of Korean (2000), article 8.
    - `look-alike` : syllables of a similar shape, as in 댕댕이 for 멍멍이.

    Parameters
    ----------
    seed : of what `rate` draws; every text and kind has draws of its own.

    >>> ["".join(new for _, new in variant("팔도 비빔면", kind)) for kind in ("no-spaces", "jamo", "look-alike")]
    ['팔도비빔면', 'ㅍㅏㄹㄷㅗ ㅂㅣㅂㅣㅁㅁㅕㄴ', '괄도 네넴띤']
    >>> "".join(new for _, new in variant("없었습니다", "romanised"))
    'eobs-eoss-seubnida'
    """
    require_choice("variant", kind, VARIANTS)
    text = composed(text)
    return _MADE[kind](text, Random(f"{kind} {seed} {text}"), rate)


def written(pairs: Pairs) -> str:
    """The text of a variant."""
    return "".join(new for _, new in pairs)
