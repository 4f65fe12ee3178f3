"""A plain word as what is searched: a pattern over the text of eojeols, or a query over tokens or morphemes."""

import re
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from engine.corpus.morphemes.analysers import line_morphemes
from engine.corpus.normalize import composed
from engine.measure.layers import TOKENS, Spans

# From the beginning of an eojeol, as a whole one, or wherever the text is.
WAYS = START, EXACT, ANYWHERE = ("start", "exact", "anywhere")

# The tags of what has endings: a dictionary lists it with 다.
_STEM = "VV|VA|VX|XSV|XSA"
_LEMMA = re.compile(r'\[\s*lemma\s*==?\s*"([^"]*)"\s*\]')
_SPACES = r"[^\S\n]"


def find_plain(lines: Sequence[str], text: str, way: str = START, *, ignores_spaces: bool = False) -> Spans:
    """Where a text is, without overlaps; `|` separates alternatives, and punctuation is no part of an eojeol.

    Parameters
    ----------
    lines : in NFC.
    way : one of WAYS.
    ignores_spaces : 할수있 finds 할 수 있 as well.

    Examples
    --------
    >>> [one.tolist() for one in find_plain(["학교에서 대학교로"], "학교")]
    [[0], [0], [6]]
    """
    joined = "\n".join(lines)
    found = np.array([match.span() for match in _pattern(text, way, ignores_spaces).finditer(joined)], dtype=np.int64)
    begin, end = found.reshape(-1, 2).T
    starts = np.fromiter(accumulate((len(line) + 1 for line in lines), initial=0), np.int64, len(lines) + 1)
    line = np.searchsorted(starts, begin, "right") - 1
    places = zip(line.tolist(), (begin - starts[line]).tolist(), (end - starts[line]).tolist(), strict=True)
    in_bytes, number, at, size = [], -1, 0, 0
    for i, first, last in places:  # from one place to the next of the line, which may be megabytes long
        if i != number:
            number, at, size = i, 0, 0
        size += n_bytes(lines[i][at:first])
        in_bytes.append((size, size + n_bytes(lines[i][first:last])))
        at = first
    return Spans(line, *np.array(in_bytes, dtype=np.int64).reshape(-1, 2).T)


def n_bytes(text: str) -> int:
    """In UTF-8."""
    return len(text.encode("utf-8", "replace"))


def _pattern(text: str, way: str, ignores_spaces: bool) -> re.Pattern[str]:
    """A regular expression for the text.

    The look-behind comes after the first letter, so that `re` can search for the letter; in front, it would be tried at
    every place of the corpus, which takes three times as long.
    """
    between = f"{_SPACES}*" if ignores_spaces else ""
    parts = []
    for words in filter(None, (part.split() for part in composed(text).split("|"))):
        part = (between or f"{_SPACES}+").join(between.join(map(re.escape, word)) for word in words)
        first = re.escape(words[0][0])
        parts.append(part if way == ANYWHERE else rf"{first}(?<!\w{first}){part.removeprefix(first)}")
    after = r"(?!\w)" if way == EXACT else ""
    return re.compile(f"(?:{'|'.join(parts) or '(?!)'}){after}")


def plain_query(text: str, unit: str, way: str, analyser: str = "") -> str:
    """The query that a plain word is, over tokens or over morphemes: a word of a dictionary by its stem.

    >>> plain_query("학교", "tokens", "start")
    '[token="␣?학교.*"]'
    """
    words = [_escaped(word) for word in text.split()]
    if unit == TOKENS:
        return f'[token="{_within("␣?" + "␣".join(words), way)}"]'
    return " ".join(_stem_query(text, analyser) or (f'[form="{_within(word, way)}"]' for word in words))


def _within(value: str, way: str) -> str:
    return {EXACT: value, START: f"{value}.*", ANYWHERE: f".*{value}.*"}[way]


def _escaped(text: str) -> str:
    """As part of a regular expression in a query; `|` still separates alternatives."""
    parts = [re.escape(part) for part in text.replace('"', "").split("|")]
    return f"({'|'.join(parts)})" if len(parts) > 1 else parts[0]


def _stem_query(text: str, analyser: str) -> list[str]:
    """하다 is its stem before whatever ending, 했 included; empty if the text is no verb or adjective with 다."""
    morphemes = line_morphemes(text, analyser) if text.endswith("다") and " " not in text else []
    if len(morphemes) < 2 or not morphemes[-1].tag.startswith("E"):
        return []
    *before, stem = morphemes[:-1]
    parts = [f'[form="{_escaped(one.form)}" & tag="{_escaped(one.tag)}"]' for one in before]
    return [*parts, f'[form="{_escaped(stem.form)}" & tag="{_STEM}"]']


def without_lemmas(query: str, analyser: str) -> str:
    """The query with `[lemma="..."]` as the query for that word: analysers here give stems, not lemmas."""
    return _LEMMA.sub(lambda match: plain_query(match[1], "morphemes", EXACT, analyser), query)
