"""A sentence and where each method cuts it: rows of cuts with a slider for lambda, the curves, tokens."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import pandas as pd
import streamlit as st

from app.components.boards import cut_board
from app.components.data import CutRow, StripRow
from app.components.pictures import token_strip
from app.parts.choices import example_choice, url_field
from app.parts.data_table import render_data
from app.parts.layout import Layout, render_figure
from app.parts.tables.strips import layer_token
from app.parts.tables.units import per_nat
from app.parts.texts.text_link import url_text
from app.server.remember import remember
from app.texts.gold import GOLD, GoldText, gold_language
from app.texts.i18n import language, t
from app.views.boundaries.figures import profile_figure
from app.views.boundaries.own_gold import SENTENCE, current_sentence, use_sentence
from app.views.boundaries.scores import keep_lambda
from app.views.boundaries.tables import fixed_cuts, profile_table
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.merges.bpe import Bpe
from engine.segmentation.segmenter import bpe_words, train_inside

_SIZE = 2000
# How many lambdas' models are cached: for each session's own gold, and for all built-in ones together.
_MAX_OWN, _MAX_SHARED = 16, 96


_MAX = 120
_CURVES = ("pmi", "left_entropy", "right_entropy", "lm_entropy")


def render_sentence(
    view: Layout,
    gold: GoldText,
    gold_name: str,
    ngrams: Ngrams,
    model: CharacterModel,
    lam: float,
    total: str,
    rule: str,
    unit: str,
) -> None:
    """The visitor's sentence; with a gold row if it is in the gold."""
    known = {"".join(words): words for words in gold.words}
    url = url_text("sentence", SENTENCE, next(iter(known), ""))
    with view.topic:
        url_field(url, t("boundaries.sentence"), 2000, is_alone=True)
    text = current_sentence()
    with view.scrubber:
        names = {sentence: f"{sentence[:8]}…" for sentence in list(known)[:6]}
        example_choice("boundaries.example", names, use_sentence, text if text in names else None)
    if not text:
        with view.picture:
            st.info(t("explore.empty"), icon=":material/edit:")
        return
    is_gold = text in known
    gold_ends = [end for end in accumulate(map(len, known.get(text, ()))) if end < min(len(text), _MAX)]
    if len(text) > _MAX:
        with view.scrubber:
            st.caption(t("boundaries.cut_text", limit=_MAX))
        text = text[:_MAX]
    matcher = UtilityMatcher(ngrams, lam, total)
    gold_row = [_row("gold", [*gold_ends, len(text)])] if is_gold else []
    others = [_row(name, ends) for name, ends in fixed_cuts(ngrams, model, text, total, rule).items()]
    with view.picture:
        cut_board(
            "boundaries.board",
            text,
            matcher.terms(text),
            gold_row,
            others,
            lam=lam,
            on_lambda=keep_lambda,
            scale=per_nat(unit),
            lang=gold_language(gold_name),
        )
    with view.sections:
        _render_curves(profile_table(ngrams, model, text, total), unit, gold)
        render_bpe(gold, gold_name, matcher, text)


def _render_curves(table: pd.DataFrame, unit: str, gold: GoldText) -> None:
    """The curves of a `profile_table`, and its numbers."""
    table[list(_CURVES)] *= per_nat(unit)
    unit_name = t(f"figure.unit.{unit}")
    names = {name: t(f"boundaries.curve.{name}") for name in _CURVES}
    title = t("boundaries.profile_title")
    figure = profile_figure(table, names, title, unit_name, language())
    render_figure(figure, "boundaries.profile", title)
    st.caption(t("boundaries.profile_note", unit=unit_name))
    columns = ("position", "character", *_CURVES)
    render_data(f"profile-{unit}", table, {name: t(f"boundaries.column.{name}") for name in columns}, of=gold.texts)


def _row(name: str, ends: Sequence[int]) -> CutRow:
    return {"label": t(f"boundaries.row.{name}"), "ends": ends}


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
        _bpe_row(t("boundaries.bpe_free"), bpe_words(free, text, [len(text)]), free.vocab_size),
        _bpe_row(name_inside, bpe_words(inside, text, matcher.cut(text)), inside.vocab_size),
    ]
    token_strip("boundaries.bpe", rows, chars=list(text), show_help=False, lang=gold_language(name))


def _bpe_row(name: str, words: Sequence[str], size: int) -> StripRow:
    spans = pairwise(accumulate(map(len, words), initial=0))
    tokens = [layer_token(word, begin, end) for word, (begin, end) in zip(words, spans, strict=True)]
    return {"name": name, "note": t("boundaries.bpe_count", count=len(tokens), size=size), "tokens": tokens}


def _free(gold: GoldText, name: str) -> Bpe:
    def train() -> Bpe:
        return train_inside(gold.train, lambda line: [len(line)], _SIZE)

    return _remembered(gold, name, None, train)


def _inside(gold: GoldText, name: str, matcher: UtilityMatcher) -> Bpe:
    def train() -> Bpe:
        cuts = dict(zip(gold.train, matcher.cut_lines(gold.train), strict=True))
        return train_inside(gold.train, cuts.__getitem__, _SIZE)

    return _remembered(gold, name, (matcher.lam, matcher.total, matcher.ngrams.edge_counts), train)


def _remembered(gold: GoldText, name: str, settings: tuple[object, ...] | None, train: Callable[[], Bpe]) -> Bpe:
    is_shared = name in GOLD
    limit = _MAX_SHARED if is_shared else _MAX_OWN
    return remember("boundaries.bpe", (gold.train, settings), train, limit, is_shared=is_shared)
