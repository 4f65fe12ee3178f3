"""A morpheme of a text, found by an analyser or annotated by hand; what an analyser is asked, and what it answers."""

from typing import NamedTuple

from engine.corpus.morphemes.user_dictionary import UserDictionary


class Morpheme(NamedTuple):
    """A range of a text (code points begin..end-1), its part of speech and its dictionary form.

    Morphemes that share syllables are one, with their tags and forms joined by +: 갔 is VV+EP, 가+았.
    """

    begin: int
    end: int
    tag: str
    form: str


class AnalyserSettings(NamedTuple):
    """How an analyser works; the default changes nothing in the text.

    Attributes
    ----------
    dictionary : words added to its own dictionary.
    corrects : it may read misspelled words as correct ones, and ignore up to two wrong spaces in a word (Kiwi).
    """

    dictionary: UserDictionary | None = None
    corrects: bool = False


AS_WRITTEN = AnalyserSettings()


class ScoredAnalysis(NamedTuple):
    """One analysis of a line.

    Attributes
    ----------
    morphemes : in order, without overlaps.
    score : of the whole line; Kiwi's log probability, MeCab's cost with a minus sign. The higher, the better.
    """

    morphemes: list[Morpheme]
    score: float
