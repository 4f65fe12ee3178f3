"""Hangul syllables and their letters (Unicode Standard, section 3.12), as compatibility letters: 갔 is ㄱ, ㅏ, ㅆ."""

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"  # a space means none
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


# Conjoining letters (U+1100 to U+11C2): initial consonants, vowels, final consonants.
_ALONE = str.maketrans(
    {
        chr(first + k): letter
        for first, letters in ((0x1100, INITIALS), (0x1161, VOWELS), (0x11A7, FINALS))
        for k, letter in enumerate(letters)
        if letter != NO_FINAL
    }
)


def letters_alone(text: str) -> str:
    """The text with conjoining letters replaced by standalone ones.

    >>> letters_alone("\u11ab") == "ㄴ"
    True
    """
    return text.translate(_ALONE)
