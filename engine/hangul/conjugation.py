"""Forms of Korean verbs and adjectives: a stem with an ending, by the rules of school grammar.

Endings are written as in grammars:

- `고`, `지만`, `는` : the same after every stem;
- `(으)면`, `(으)ㄴ` : 으 after a final consonant other than ㄹ;
- `아/어서`, `았/었다` : by the vowel of the stem, contracted with it if the contracted form is in use (봐, 마셔);
- `습니다/ㅂ니다` : after a final consonant / after a vowel or ㄹ.

A letter at the front (ㄴ, ㄹ, ㅂ) becomes the final consonant of the stem.
"""

import re
from typing import NamedTuple

from engine.errors import InputError
from engine.hangul.syllables import FINALS, NO_FINAL, is_syllable, put_together, take_apart

CLASSES = ("regular", "ㅂ", "ㄷ", "ㅅ", "ㅎ", "르", "러", "우", "여")

# Irregular stems by class; any stem that ends in 하 is of class 여. Loss of 으 and ㄹ is regular.
IRREGULAR = {
    stem: kind
    for kind, stems in {
        "ㅂ": "돕 곱 눕 줍 굽 깁 춥 덥 맵 쉽 밉 굽 가깝 고맙 귀엽 그립 가볍 무겁 무섭 반갑 더럽 두렵 뜨겁 차갑 어둡 "
        "어렵 즐겁 아름답 새롭 외롭 괴롭 부드럽 시끄럽 자연스럽 사랑스럽 아깝 가렵 두껍 싱겁 부럽 서럽",
        "ㄷ": "걷 듣 묻 싣 긷 붇 깨닫 일컫 엿듣",
        "ㅅ": "짓 낫 잇 붓 긋 젓 잣",
        "ㅎ": "하얗 까맣 빨갛 노랗 파랗 허옇 꺼멓 뻘겋 누렇 퍼렇 이렇 그렇 저렇 어떻 커다랗 동그랗 둥그렇 말갛",
        "르": "모르 부르 빠르 흐르 다르 고르 누르 자르 기르 오르 마르 바르 나르 찌르 서두르 머무르 두르 배부르 게으르",
        "러": "이르 푸르",
        "우": "푸",
    }.items()
    for stem in stems.split()
}

_TO_O = ("돕", "곱")  # the only stems with ㅂ > 오 before 아
_DEICTIC = ("이렇", "그렇", "저렇", "요렇", "고렇", "조렇", "어떻", "아무렇")  # 그래, though 퍼레
_H_VOWELS = {"ㅏ": "ㅐ", "ㅓ": "ㅔ", "ㅑ": "ㅒ", "ㅕ": "ㅖ"}  # 하얗 + 아 is 하얘
CONTRACTED = {
    "ㅏㅏ": "ㅏ",
    "ㅓㅓ": "ㅓ",
    "ㅕㅓ": "ㅕ",
    "ㅐㅓ": "ㅐ",
    "ㅔㅓ": "ㅔ",
    "ㅗㅏ": "ㅘ",
    "ㅜㅓ": "ㅝ",
    "ㅣㅓ": "ㅕ",
    "ㅚㅓ": "ㅙ",
}
_HARMONIC = re.compile("(아/어|았/었)(.*)")


class Form(NamedTuple):
    """A form, and the positions of stem and ending in it (code points).

    Attributes
    ----------
    surface : as written.
    stem_end : end of the syllables that belong to the stem alone.
    ending_begin : start of those that belong to the ending alone; above `stem_end` if both share a syllable.
    """

    surface: str
    stem_end: int
    ending_begin: int


def stem_class(stem: str) -> str:
    """One of CLASSES, from the list of irregular stems; any other stem is regular."""
    return "여" if stem.endswith("하") else IRREGULAR.get(stem, "regular")


def conjugate(stem: str, ending: str, kind: str | None = None) -> Form:
    """The form of a stem with an ending.

    Parameters
    ----------
    stem : without 다, as 먹, 돕.
    ending : in the notation at the head of this file.
    kind : one of CLASSES, for homographs: 묻 (bury) is regular, 묻 (ask) is ㄷ. Default: `stem_class`.

    Raises
    ------
    InputError : the stem's last syllable does not fit its class, or the ending is empty.

    >>> [conjugate(stem, "아/어서").surface for stem in ("먹", "돕", "듣", "짓", "하얗", "빠르", "쓰", "하")]
    ['먹어서', '도와서', '들어서', '지어서', '하얘서', '빨라서', '써서', '해서']
    >>> [conjugate("만들", ending).surface for ending in ("고", "(으)면", "(으)ㄴ", "습니다/ㅂ니다", "았/었다")]
    ['만들고', '만들면', '만든', '만듭니다', '만들었다']
    """
    kind = stem_class(stem) if kind is None else kind
    if not ending or not stem or not is_syllable(stem[-1]) or not _fits(stem, kind):
        raise InputError("conjugation.stem", stem=stem, kind=kind, ending=ending)
    final = take_apart(stem[-1])[2]
    harmonic = _HARMONIC.fullmatch(ending)
    if harmonic:
        return _with_vowel(stem, kind, "ㅆ" if harmonic[1] == "았/었" else NO_FINAL, harmonic[2])
    if ending.startswith("(으)"):
        return _with_eu(stem, kind, ending.removeprefix("(으)"))
    if "/" in ending:
        after_consonant, after_vowel = ending.split("/", 1)
        ending = after_vowel if final in (NO_FINAL, "ㄹ") else after_consonant
    if final == "ㄹ" and _initial(ending) in ("ㄴ", "ㅂ"):
        stem = stem[:-1] + _with_final(stem[-1], NO_FINAL)
    return _join(stem, ending)


def _fits(stem: str, kind: str) -> bool:
    last = stem[-1]
    return {
        "regular": True,
        "르": last == "르" and len(stem) > 1,
        "러": last == "르",
        "우": last == "푸",
        "여": last == "하",
    }.get(kind, take_apart(last)[2] == kind)


def _initial(text: str) -> str:
    """The initial consonant of a text, whether a letter or in a syllable."""
    return take_apart(text[0])[0] if text and is_syllable(text[0]) else text[:1]


def _with_final(syllable: str, final: str) -> str:
    initial, vowel, _ = take_apart(syllable)
    return put_together(initial, vowel, final)


def _join(stem: str, ending: str) -> Form:
    """Stem and ending joined; a letter at the front becomes the final consonant of an open syllable."""
    if ending[:1] in FINALS[1:] and ending and take_apart(stem[-1])[2] == NO_FINAL:
        return Form(stem[:-1] + _with_final(stem[-1], ending[0]) + ending[1:], len(stem) - 1, len(stem))
    return Form(stem + ending, len(stem), len(stem))


def _with_eu(stem: str, kind: str, rest: str) -> Form:
    """The stem with (으)rest."""
    body, last = stem[:-1], stem[-1]
    final = take_apart(last)[2]
    open_last = _with_final(last, NO_FINAL)
    if kind == "ㅂ":
        form = _join(body + open_last + "우", rest)  # 도우면: ㅂ and 으 become 우
        return form._replace(stem_end=len(stem), ending_begin=max(form.ending_begin, len(stem) + 1))
    if kind == "ㅎ":
        return _join(body + open_last, rest)
    if final == NO_FINAL:
        return _join(stem, rest)
    if final == "ㄹ" and kind == "regular":
        drops = _initial(rest) in ("ㄴ", "ㅂ", "ㅅ") or rest[:1] in ("ㄹ", "오")
        return _join(body + open_last if drops else stem, rest)
    if kind in ("ㄷ", "ㅅ"):
        stem = body + (_with_final(last, "ㄹ") if kind == "ㄷ" else open_last)
    form = _join("으", rest)
    return Form(stem + form.surface, len(stem), len(stem))


def _with_vowel(stem: str, kind: str, final: str, rest: str) -> Form:
    """The stem with 아 or 어, that syllable's final consonant (ㅆ or none), and the rest."""
    body, last = stem[:-1], stem[-1]
    initial, vowel, own_final = take_apart(last)
    harmony = "ㅏ" if vowel in "ㅏㅑㅗ" else "ㅓ"

    def fused(text: str, initial: str, vowel: str) -> Form:
        """The last syllable of the stem contains the vowel of the ending."""
        return Form(text + put_together(initial, vowel, final) + rest, len(text), len(text) + 1)

    def apart(text: str, vowel: str, initial: str = "ㅇ") -> Form:
        return Form(text + put_together(initial, vowel, final) + rest, len(text), len(text))

    if kind == "여":
        return fused(body, initial, "ㅐ")
    if kind == "ㅎ":
        return fused(body, initial, "ㅐ" if stem in _DEICTIC else _H_VOWELS.get(vowel, vowel))
    if kind == "러":
        return apart(stem, "ㅓ", "ㄹ")
    if kind == "ㅂ":
        return fused(body + _with_final(last, NO_FINAL), "ㅇ", "ㅘ" if stem in _TO_O else "ㅝ")
    if kind in ("ㄷ", "ㅅ"):
        return apart(body + _with_final(last, "ㄹ" if kind == "ㄷ" else NO_FINAL), harmony)
    if own_final != NO_FINAL:
        return apart(stem, harmony)
    if vowel == "ㅡ" or kind == "우":
        # Harmony depends on the preceding syllable: 바빠, but 예뻐; 써.
        before = take_apart(body[-1])[1] if body and is_syllable(body[-1]) else ""
        harmony = "ㅏ" if before and before in "ㅏㅑㅗ" else "ㅓ"
        if kind == "르":
            return fused(body[:-1] + _with_final(body[-1], "ㄹ"), "ㄹ", harmony)
        return fused(body, initial, harmony)
    contracted = CONTRACTED.get(vowel + harmony)
    return fused(body, initial, contracted) if contracted else apart(stem, harmony)
