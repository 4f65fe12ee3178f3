"""The programs that find morphemes of Korean. What they find is silver: nobody has checked it."""

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
    """A program that finds morphemes.

    Parameters
    ----------
    name : what people call it.
    package, module : what is installed, and what is imported.
    morphemes : those of one line, in order, no two overlapping.
    is_slow_to_load : whether the first use takes seconds.
    """

    name: str
    package: str
    module: str
    morphemes: Callable[[str], list[Morpheme]]
    is_slow_to_load: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether it can be used here."""
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
    """Keys of ANALYSERS that can be used here, the one to begin with first."""
    return [key for key, analyser in ANALYSERS.items() if analyser.is_installed]


def has_hangul(text: str) -> bool:
    """Whether any character is Hangul: without, there is nothing that an analyser knows."""
    return _HANGUL.search(text) is not None


def text_morphemes(text: str, analyser: str) -> list[Morpheme]:
    """Morphemes of a text of several lines, each analysed alone.

    Raises
    ------
    InputError : the analyser is not installed, or the text holds a lone surrogate.
    """
    found, at = [], 0
    for line in text.split("\n"):
        found += [one._replace(begin=one.begin + at, end=one.end + at) for one in line_morphemes(line, analyser)]
        at += len(line) + 1
    return found


def line_morphemes(line: str, analyser: str) -> list[Morpheme]:
    """Morphemes of one line. Where it is all jamo, as a tokenizer of jamo sees it, they are those of its syllables.

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
