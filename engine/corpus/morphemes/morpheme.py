"""A morpheme of a text, whoever found it: an analyser, or a person."""

from typing import NamedTuple


class Morpheme(NamedTuple):
    """A stretch of a text (code points begin..end-1), its part of speech, and the morpheme as a dictionary has it.

    Tag and form name several parts, joined by +, where they share syllables: 갔 is VV+EP, 가+았.
    """

    begin: int
    end: int
    tag: str
    form: str
