"""Morphological analysers of Korean. Their output is a silver standard: it is not hand-checked."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate
from typing import NamedTuple

import regex

from engine.corpus.morphemes import kiwi, mecab
from engine.corpus.morphemes.mecab import USER_TAGS
from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings, Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import Weights
from engine.hangul.jamo import compose, decompose

_HANGUL = regex.compile(r"\p{Script=Hangul}")
# Format characters that nobody sees, such as U+200B; not what joins two pictures to one.
_INVISIBLE = regex.compile(
    r"[[\p{Default_Ignorable_Code_Point}&&\p{Cf}]--[\u200d\U000e0020-\U000e007f]]"
    r"|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d",
    regex.V1,
)


def _nothing() -> None:
    """What most analysers do to be unloaded."""


class Analyser(NamedTuple):
    """A morphological analyser.

    Parameters
    ----------
    name : display name.
    package, module : names of the installed package and of the imported module.
    morphemes : returns the morphemes of one line, in order and without overlaps.
    best_analyses : returns up to so many different analyses of one line, the best first.
    user_tags : the tags that words of a user dictionary can have, and their weights.
    size : bytes that it takes in memory once it is used, if that is worth counting; its first use then takes seconds.
    is_loaded, unload : whether it is in memory; frees it.
    """

    name: str
    package: str
    module: str
    morphemes: Callable[[str, AnalyserSettings], list[Morpheme]]
    best_analyses: Callable[[str, int, AnalyserSettings], list[ScoredAnalysis]]
    user_tags: Mapping[str, Weights]
    size: int = 0
    is_loaded: Callable[[], bool] = bool
    unload: Callable[[], None] = _nothing

    @property
    def is_slow_to_load(self) -> bool:
        """Whether the first use takes seconds."""
        return self.size > 0

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def title(self) -> str:
        """`MeCab-ko (python-mecab-ko 1.3.7)`."""
        return f"{self.name} ({self.package} {version(self.package)})"


MECAB, KIWI = "mecab", "kiwi"
ANALYSERS = {
    MECAB: Analyser("MeCab-ko", "python-mecab-ko", "mecab", mecab.korean_morphemes, mecab.best_analyses, USER_TAGS),
    KIWI: Analyser(
        "Kiwi",
        "kiwipiepy",
        "kiwipiepy",
        kiwi.analysed_morphemes,
        kiwi.best_analyses,
        kiwi.USER_TAGS,
        kiwi.SIZE,
        kiwi.is_loaded,
        kiwi.unload,
    ),
}


def installed_analysers() -> list[str]:
    """Keys of ANALYSERS whose packages are installed, the default first."""
    return [key for key, analyser in ANALYSERS.items() if analyser.is_installed]


def has_hangul(text: str) -> bool:
    """Whether any character is Hangul; analysers know nothing else."""
    return _HANGUL.search(text) is not None


def text_morphemes(text: str, analyser: str, settings: AnalyserSettings = AS_WRITTEN) -> list[Morpheme]:
    """Morphemes of a text, analysed line by line.

    Raises
    ------
    InputError : the analyser is not installed, its user dictionary is refused, or the text contains a lone surrogate.
    """
    found, at = [], 0
    for line in text.split("\n"):
        own = line_morphemes(line, analyser, settings)
        found += _moved(own, range(at, at + len(line)), range(at + 1, at + len(line) + 1))
        at += len(line) + 1
    return found


def line_morphemes(line: str, analyser: str, settings: AnalyserSettings = AS_WRITTEN) -> list[Morpheme]:
    """Morphemes of one line, analysed without what is invisible; one decomposed to jamo is analysed as syllables.

    Raises
    ------
    InputError : as text_morphemes.
    """
    read, begins, ends = _as_read(line)
    return _moved(ANALYSERS[analyser].morphemes(read, settings), begins, ends)


def best_analyses(
    line: str, analyser: str, limit: int, settings: AnalyserSettings = AS_WRITTEN
) -> list[ScoredAnalysis]:
    """Up to `limit` different analyses of one line, the best first, with offsets as those of `line_morphemes`.

    Raises
    ------
    InputError : as text_morphemes.
    """
    read, begins, ends = _as_read(line)
    found = ANALYSERS[analyser].best_analyses(read, limit, settings)
    return [one._replace(morphemes=_moved(one.morphemes, begins, ends)) for one in found]


def _as_read(line: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """A line as an analyser reads it, and where each of its characters begins and ends in the line."""
    hidden = {match.start() for match in _INVISIBLE.finditer(line)}
    seen = [at for at in range(len(line)) if at not in hidden] if hidden else range(len(line))
    text = "".join(map(line.__getitem__, seen))
    syllables = compose(text)
    if syllables == text or decompose(syllables) != text:
        return text, seen, [at + 1 for at in seen]
    cuts = [0, *accumulate(len(decompose(character)) for character in syllables)]
    return syllables, [seen[cut] for cut in cuts[:-1]], [seen[cut - 1] + 1 for cut in cuts[1:]]


def _moved(found: list[Morpheme], begins: Sequence[int], ends: Sequence[int]) -> list[Morpheme]:
    return [one._replace(begin=begins[one.begin], end=ends[one.end - 1]) for one in found]
