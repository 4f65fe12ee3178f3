"""Morphemes by Kiwi, through the optional package kiwipiepy.

Kiwi is loaded on first use: this takes about 3 s, during which the GIL is held, and `SIZE` bytes. It corrects no typing
errors unless asked: its dictionary of misspelled words, which it loads by default, is left out, and a space always
separates.
"""

import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings, Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary, Weights
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.hangul.syllables import letters_alone
from engine.machine.malloc import give_back_holes

SIZE = 490_000_000  # resident, measured with kiwipiepy 0.24.1; `unload` frees a little more than half of it

_SCORES = Weights(-100, 100, False)
_TAGS = (
    "NNG NNP NNB NR NP VV VA VX VCP VCN MM MAG MAJ IC JKS JKC JKG JKO JKB JKV JKQ JX JC EP EF EC ETN ETM "
    "XPN XSN XSV XSA XSM XR SF SE SP SO SW SL SH SN"
)
USER_TAGS = dict.fromkeys(_TAGS.split(), _SCORES)
_TYPOS, _SPACES = "basic_with_continual", 2
_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _loaded(dictionary: UserDictionary | None = None) -> Any:
    try:
        from kiwipiepy import Kiwi
    except ImportError:
        raise InputError("kiwi.missing") from None
    kiwi = Kiwi(num_workers=1, load_typo_dict=False)
    for word in dictionary.words if dictionary else ():
        kiwi.add_user_word(word.form, word.tag, word.weight or 0.0)
    kiwi.tokenize("가")  # loads the rest
    return kiwi


def load(dictionary: UserDictionary | None = None) -> Any:
    """The analyser with a user dictionary or none, loaded once for all threads."""
    with _LOADING:
        return _loaded(dictionary)


def unload() -> None:
    """Free its memory as far as the package allows; the next use loads it again."""
    _loaded.cache_clear()
    give_back_holes()


def is_loaded() -> bool:
    """Whether it is in memory."""
    return _loaded.cache_info().currsize > 0


def analysed_morphemes(text: str, settings: AnalyserSettings = AS_WRITTEN) -> list[Morpheme]:
    """Morphemes of one line, in order.

    Raises
    ------
    InputError : the package is not installed, or the text contains a lone surrogate.
    """
    return best_analyses(text, 1, settings)[0].morphemes


def best_analyses(text: str, limit: int, settings: AnalyserSettings = AS_WRITTEN) -> list[ScoredAnalysis]:
    """Up to `limit` different analyses of one line, the best first; raises as `analysed_morphemes`."""
    kiwi = load(settings.dictionary)
    to_codes(text)
    found: dict[tuple[Morpheme, ...], float] = {}
    for tokens, score in kiwi.analyze(text, top_n=limit, **_corrections(settings)):
        own = joined(Morpheme(one.start, one.start + one.len, one.tag, one.form) for one in tokens)
        found.setdefault(tuple(own), score)
    return [ScoredAnalysis(list(own), score) for own, score in found.items()]


def _corrections(settings: AnalyserSettings) -> dict[str, Any]:
    if not settings.corrects:
        return {}
    from kiwipiepy import KiwiConfig

    return {"typos": _TYPOS, "override_config": KiwiConfig(space_tolerance=_SPACES)}


def joined(found: Iterable[Morpheme]) -> list[Morpheme]:
    """Merge morphemes that share characters, as MeCab does; an empty one joins the morpheme at its offset.

    Kiwi's may overlap their neighbours (도와주 and 었 of 도와줬) or be empty.

    >>> parts = Morpheme(0, 1, "NP", "뭐"), Morpheme(1, 1, "VCP", "이"), Morpheme(1, 3, "EC", "냐면")
    >>> joined(parts)[1]
    Morpheme(begin=1, end=3, tag='VCP+EC', form='이+냐면')
    """
    groups: list[list[Morpheme]] = []
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
