"""Particles and endings that take another form after a consonant, a vowel or a vowel of the other harmony."""

from typing import NamedTuple

# As grammars list them.
SETS = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("으로", "로"),
    ("과", "와"),
    ("었", "았", "였", "했"),
    ("습니다", "ㅂ니다"),
)

# ㅂ is the final consonant of the syllable before: what a token of its own can be is the rest.
_SYLLABLES = {"ㅂ니다": "니다"}
_MARKS = ".?!"


class Allomorph(NamedTuple):
    """A form of a set: as grammars write it, and the text that a token of its own would have."""

    form: str
    text: str


def allomorphs(text: str) -> list[Allomorph]:
    """The set that a text is a form of, itself included; empty where it is of none.

    A final punctuation mark after it stands after the others as well.

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
