"""A user dictionary for an analyser: words that its own dictionary lacks, from a small table."""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.corpus.normalize import composed
from engine.corpus.reading.read import read_lines
from engine.errors import InputError

_MOST_WORDS, _LONGEST, _MOST_QUOTED = 20_000, 60, 40
_SPACE = "␣"
_HEADER = ("form", "tag")


class UserWord(NamedTuple):
    """A word of a user dictionary.

    Attributes
    ----------
    form : as written in texts; a verb's stem without 다.
    tag : its part of speech, one that the analyser knows.
    weight : for Kiwi a score, where a higher one is preferred (default 0); for MeCab a cost, where a lower one is
        preferred (default: estimated by the dictionary's own model). None for the default.
    """

    form: str
    tag: str
    weight: float | None = None


@dataclass(frozen=True)
class UserDictionary:
    """The words of a user dictionary. Equal if their digests are, so that it is a fast cache key.

    Parameters
    ----------
    words : at most 20,000, of at most 60 characters.
    digest : SHA-256 of them, hex.
    """

    words: tuple[UserWord, ...] = field(compare=False)
    digest: str

    @classmethod
    def of(cls, words: Sequence[UserWord]) -> "UserDictionary":
        """The dictionary of these words."""
        return cls(tuple(words), hashlib.sha256(repr(tuple(map(tuple, words))).encode("utf-8", "replace")).hexdigest())


class Weights(NamedTuple):
    """The weights that an analyser takes: `low` to `high`, only whole numbers if `is_whole`."""

    low: float
    high: float
    is_whole: bool


def read_user_dictionary(path: str | Path, tags: Mapping[str, Weights]) -> UserDictionary:
    """The user dictionary of a file; see `parse_user_dictionary`."""
    return parse_user_dictionary(read_lines(path), tags)


def parse_user_dictionary(lines: Sequence[str], tags: Mapping[str, Weights]) -> UserDictionary:
    """The user dictionary of lines `form<TAB>tag` or `form,tag`, with a weight as a third column where it is not the
    default.

    In a form ␣ is a space. Lines are read in NFC, in which the analysers write their own words. Empty lines, lines that
    begin with `# `, and a first line `form, tag` are skipped.

    Parameters
    ----------
    tags : the tags that the analyser accepts for new words, with their weights.

    Raises
    ------
    InputError : a line has other columns, an empty or too long form, an unknown tag or an impossible weight; or there
        are no words, or too many. It names the line.

    >>> one = Weights(-10, 10, False)
    >>> parse_user_dictionary(["# new words", "갓생\\tNNG", "오픈␣소스,NNP,1.5"], {"NNG": one, "NNP": one}).words
    (UserWord(form='갓생', tag='NNG', weight=None), UserWord(form='오픈 소스', tag='NNP', weight=1.5))
    """
    words: dict[tuple[str, str], UserWord] = {}
    for number, line in enumerate(lines, start=1):
        line = composed(line.strip("\r\ufeff"))
        if not line.strip() or line.startswith("# "):
            continue
        cells = _cells(number, line)
        if not words and tuple(cell.casefold() for cell in cells[:2]) == _HEADER:
            continue
        word = _word(number, cells, tags)
        words[word.form, word.tag] = word
        if len(words) > _MOST_WORDS:
            raise InputError("user_dictionary.large", limit=_MOST_WORDS)
    if not words:
        raise InputError("user_dictionary.empty")
    return UserDictionary.of(tuple(words.values()))


def _cells(number: int, line: str) -> list[str]:
    """The two or three columns of a line."""
    try:
        cells = line.split("\t") if "\t" in line else next(csv.reader([line], strict=True))
    except csv.Error:  # a quotation mark that is not closed, a cell that is too long, a carriage return
        cells = []
    if not (2 <= len(cells) <= 3) or "\0" in line:
        raise InputError("user_dictionary.columns", number=number, line=line[:_MOST_QUOTED])
    return [cell.strip(" ") for cell in cells]


def _word(number: int, cells: Sequence[str], tags: Mapping[str, Weights]) -> UserWord:
    form, tag = " ".join(cells[0].replace(_SPACE, " ").split()), cells[1]
    if not form or len(form) > _LONGEST or not form.isprintable():
        raise InputError("user_dictionary.form", number=number, form=cells[0][:_MOST_QUOTED], limit=_LONGEST)
    if tag not in tags:
        raise InputError("user_dictionary.tag", number=number, tag=tag[:_MOST_QUOTED], tags=" ".join(tags))
    return UserWord(form, tag, _weight(number, cells[2], tags[tag]) if cells[2:] and cells[2] else None)


def _weight(number: int, text: str, weights: Weights) -> float:
    """The number of a third column."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if weights.low <= value <= weights.high and (value.is_integer() or not weights.is_whole):
        return value
    low, high, quoted = int(weights.low), int(weights.high), text[:_MOST_QUOTED]
    if weights.is_whole:
        raise InputError("user_dictionary.cost", number=number, text=quoted, low=low, high=high)
    raise InputError("user_dictionary.score", number=number, text=quoted, low=low, high=high)
