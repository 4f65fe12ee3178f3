"""Morphemes by Kiwi, through the optional package kiwipiepy.

Kiwi is loaded on first use: this takes about 3 s, during which the GIL is held, and 0.5 GB.
"""

import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from engine.corpus.morphemes.morpheme import Morpheme
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.hangul.syllables import letters_alone

_LOADING = threading.Lock()


class KiwiMorpheme(NamedTuple):
    """A morpheme as Kiwi returns it: it may overlap its neighbours (도와주 and 었 of 도와줬) or be empty."""

    form: str
    tag: str
    begin: int
    end: int


@lru_cache(maxsize=1)
def _loaded() -> Any:
    try:
        from kiwipiepy import Kiwi
    except ImportError:
        raise InputError("kiwi.missing") from None
    kiwi = Kiwi(num_workers=1)
    kiwi.tokenize("가")  # loads the rest
    return kiwi


def load() -> Any:
    """The analyser, loaded once for all threads."""
    with _LOADING:
        return _loaded()


def analysed_morphemes(text: str) -> list[Morpheme]:
    """Morphemes of one line, in order.

    Raises
    ------
    InputError : the package is not installed, or the text contains a lone surrogate.
    """
    kiwi = load()
    to_codes(text)
    found = (KiwiMorpheme(one.form, one.tag, one.start, one.start + one.len) for one in kiwi.tokenize(text))
    return joined(found)


def joined(found: Iterable[KiwiMorpheme]) -> list[Morpheme]:
    """Merge morphemes that share characters, as MeCab does; an empty one joins the morpheme at its offset.

    >>> parts = KiwiMorpheme("뭐", "NP", 0, 1), KiwiMorpheme("이", "VCP", 1, 1), KiwiMorpheme("냐면", "EC", 1, 3)
    >>> joined(parts)[1]
    Morpheme(begin=1, end=3, tag='VCP+EC', form='이+냐면')
    """
    groups: list[list[KiwiMorpheme]] = []
    for one in found:
        end = max((other.end for other in groups[-1]), default=0) if groups else 0
        waits = bool(groups) and all(other.begin == other.end for other in groups[-1])
        if groups and (one.begin < end or (waits and one.begin <= end)):
            groups[-1].append(one)
        else:
            groups.append([one])
    if len(groups) > 1 and all(one.begin == one.end for one in groups[-1]):
        groups[-2:] = [groups[-2] + groups[-1]]
    return [
        Morpheme(
            min(one.begin for one in group),
            max(one.end for one in group),
            "+".join(one.tag.partition("-")[0] for one in group),  # VV-R, VV-I: regular, irregular
            letters_alone("+".join(one.form for one in group)),
        )
        for group in groups
        if max(one.end for one in group) > min(one.begin for one in group)
    ]
