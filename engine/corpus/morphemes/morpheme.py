"""A morpheme of a text, found by an analyser or annotated by hand."""

from typing import NamedTuple


class Morpheme(NamedTuple):
    """A range of a text (code points begin..end-1), its part of speech and its dictionary form.

    Morphemes that share syllables are one, with their tags and forms joined by +: 갔 is VV+EP, 가+았.
    """

    begin: int
    end: int
    tag: str
    form: str
