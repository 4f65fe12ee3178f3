"""Hangul syllables and their letters (Unicode Standard, section 3.12), as compatibility letters: 갔 is ㄱ, ㅏ, ㅆ."""

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"  # a space: none
NO_FINAL = " "


def is_syllable(character: str) -> bool:
    """Whether the character is a whole Hangul syllable."""
    return "가" <= character <= "힣"


def take_apart(syllable: str) -> tuple[str, str, str]:
    """Initial consonant, vowel and final consonant (NO_FINAL for none) of a syllable.

    >>> take_apart("갔"), take_apart("오")
    (('ㄱ', 'ㅏ', 'ㅆ'), ('ㅇ', 'ㅗ', ' '))
    """
    code = ord(syllable) - ord("가")
    return INITIALS[code // 588], VOWELS[code // 28 % 21], FINALS[code % 28]


def put_together(initial: str, vowel: str, final: str = NO_FINAL) -> str:
    """The syllable of these letters.

    >>> put_together(*take_apart("힣"))
    '힣'
    """
    return chr(ord("가") + (INITIALS.index(initial) * 21 + VOWELS.index(vowel)) * 28 + FINALS.index(final))
