"""Morphological analysers of Korean. Their output is a silver standard: it is not hand-checked."""

import importlib.util
from collections.abc import Callable
from importlib.metadata import version
from itertools import accumulate
from typing import NamedTuple

import regex

from engine.corpus.morphemes import kiwi, mecab
from engine.corpus.morphemes.morpheme import Morpheme
from engine.hangul.jamo import compose, decompose

_HANGUL = regex.compile(r"\p{Script=Hangul}")


class Analyser(NamedTuple):
    """A morphological analyser.

    Parameters
    ----------
    name : display name.
    package, module : names of the installed package and of the imported module.
    morphemes : returns the morphemes of one line, in order and without overlaps.
    is_slow_to_load : whether the first use takes seconds.
    """

    name: str
    package: str
    module: str
    morphemes: Callable[[str], list[Morpheme]]
    is_slow_to_load: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def title(self) -> str:
        """`MeCab-ko (python-mecab-ko 1.3.7)`."""
        return f"{self.name} ({self.package} {version(self.package)})"


MECAB = "mecab"
ANALYSERS = {
    MECAB: Analyser("MeCab-ko", "python-mecab-ko", "mecab", mecab.analysed_morphemes),
    "kiwi": Analyser("Kiwi", "kiwipiepy", "kiwipiepy", kiwi.analysed_morphemes, is_slow_to_load=True),
}


def installed_analysers() -> list[str]:
    """Keys of ANALYSERS whose packages are installed, the default first."""
    return [key for key, analyser in ANALYSERS.items() if analyser.is_installed]


def has_hangul(text: str) -> bool:
    """Whether any character is Hangul; analysers know nothing else."""
    return _HANGUL.search(text) is not None


def text_morphemes(text: str, analyser: str) -> list[Morpheme]:
    """Morphemes of a text, analysed line by line.

    Raises
    ------
    InputError : the analyser is not installed, or the text contains a lone surrogate.
    """
    found, at = [], 0
    for line in text.split("\n"):
        found += [one._replace(begin=one.begin + at, end=one.end + at) for one in line_morphemes(line, analyser)]
        at += len(line) + 1
    return found


def line_morphemes(line: str, analyser: str) -> list[Morpheme]:
    """Morphemes of one line. A line decomposed to jamo is analysed as syllables, with offsets in the jamo.

    Raises
    ------
    InputError : as text_morphemes.
    """
    syllables = compose(line)
    if syllables == line or decompose(syllables) != line:
        return ANALYSERS[analyser].morphemes(line)
    at = [0, *accumulate(len(decompose(character)) for character in syllables)]
    found = ANALYSERS[analyser].morphemes(syllables)
    return [one._replace(begin=at[one.begin], end=at[one.end]) for one in found]
