"""Particles and endings whose form depends on a preceding consonant, vowel or vowel harmony."""

from typing import NamedTuple

# As listed in grammars.
SETS = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("으로", "로"),
    ("과", "와"),
    ("었", "았", "였", "했"),
    ("습니다", "ㅂ니다"),
)

# ㅂ is the final consonant of the preceding syllable: a separate token can only be the rest.
_SYLLABLES = {"ㅂ니다": "니다"}
_MARKS = ".?!"


class Allomorph(NamedTuple):
    """A form of a set: as written in grammars, and the text that a separate token would have."""

    form: str
    text: str


def allomorphs(text: str) -> list[Allomorph]:
    """The set that contains a text, including the text itself; empty if there is none.

    A final punctuation mark is added to all forms.

    >>> [one.form for one in allomorphs("는")]
    ['은', '는']
    >>> [one.text for one in allomorphs("습니다.")]
    ['습니다.', '니다.']
    """
    mark = text[-1:] if text[-1:] in _MARKS else ""
    bare = text.removesuffix(mark)
    for forms in SETS:
        if bare in forms or bare in map(_SYLLABLES.get, forms):
            return [Allomorph(form + mark, _SYLLABLES.get(form, form) + mark) for form in forms]
    return []
