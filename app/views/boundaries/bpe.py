"""BPE on a sentence without spaces: unrestricted, and within the boundaries that the utility finds."""

from collections.abc import Sequence

import streamlit as st

from app.components.strip.data import StripRow, StripToken
from app.components.strip.widget import token_strip
from app.session.remember import remember
from app.texts.gold import GOLD, GoldText, gold_language
from app.texts.i18n import t
from engine.boundaries.utility import UtilityMatcher
from engine.merges.bpe import Bpe
from engine.segmentation.segmenter import bpe_words, train_inside

_SIZE = 2000
# How many lambdas' models are cached: for each session's own gold, and for all built-in ones together.
_MAX_OWN, _MAX_SHARED = 16, 96


def render_bpe(gold: GoldText, name: str, matcher: UtilityMatcher, text: str) -> None:
    """Both on the same text, as folded strips one below the other.

    Parameters
    ----------
    name : name of the gold; the models of built-in ones are shared by all sessions.
    """
    with st.expander(t("boundaries.bpe"), icon=":material/merge:"):
        st.markdown(t("boundaries.bpe_text"))
        _render_rows(gold, name, matcher, text)


def _render_rows(gold: GoldText, name: str, matcher: UtilityMatcher, text: str) -> None:
    free, inside = _free(gold, name), _inside(gold, name, matcher)
    name_inside = t("boundaries.bpe_inside", lam=matcher.lam)
    rows = [
        _row(t("boundaries.bpe_free"), bpe_words(free, text, [len(text)]), free.vocab_size),
        _row(name_inside, bpe_words(inside, text, matcher.cut(text)), inside.vocab_size),
    ]
    token_strip("boundaries.bpe", rows, chars=list(text), show_help=False, lang=gold_language(name))


def _row(name: str, words: Sequence[str], size: int) -> StripRow:
    tokens: list[StripToken] = []
    at = 0
    for word in words:
        tokens.append(
            {"label": word, "b": at, "e": at + len(word), "hex": False, "ringed": False, "id": None, "kind": ""}
        )
        at += len(word)
    return {"name": name, "note": t("boundaries.bpe_count", count=len(tokens), size=size), "tokens": tokens}


def _free(gold: GoldText, name: str) -> Bpe:
    if name in GOLD:
        return _shared_free(name, gold)
    return remember("boundaries.bpe", (gold.train, None), lambda: _train_free(gold), _MAX_OWN)


def _inside(gold: GoldText, name: str, matcher: UtilityMatcher) -> Bpe:
    settings = (matcher.lam, matcher.total, matcher.ngrams.edge_counts)
    if name in GOLD:
        return _shared_inside(name, settings, gold, matcher)
    return remember("boundaries.bpe", (gold.train, settings), lambda: _train_inside(gold, matcher), _MAX_OWN)


@st.cache_resource(max_entries=len(GOLD), show_spinner=False)
def _shared_free(name: str, _gold: GoldText) -> Bpe:
    return _train_free(_gold)


@st.cache_resource(max_entries=_MAX_SHARED, show_spinner=False)
def _shared_inside(name: str, settings: tuple[float, str, bool], _gold: GoldText, _matcher: UtilityMatcher) -> Bpe:
    return _train_inside(_gold, _matcher)


def _train_free(gold: GoldText) -> Bpe:
    return train_inside(gold.train, lambda line: [len(line)], _SIZE)


def _train_inside(gold: GoldText, matcher: UtilityMatcher) -> Bpe:
    cuts = dict(zip(gold.train, matcher.cut_lines(gold.train), strict=True))
    return train_inside(gold.train, cuts.__getitem__, _SIZE)
