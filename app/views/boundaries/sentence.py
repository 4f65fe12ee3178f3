"""A sentence and where each method cuts it: rows of cuts with a slider for lambda, the curves, tokens."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.components.cut_board.widget import CutRow, cut_board
from app.parts.data_table import render_data
from app.parts.layout import Layout, render_figure
from app.parts.tables.units import per_nat
from app.parts.texts.text_link import url_text
from app.texts.gold import GoldText, gold_language
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.boundaries.bpe import render_bpe
from app.views.boundaries.correction import SENTENCE, current_sentence, use_sentence
from app.views.boundaries.f1_over_lambda import keep_lambda
from app.views.boundaries.figures import profile_figure
from app.views.boundaries.tables import fixed_cuts, profile_table
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher

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
    url.adopt()
    with view.topic:
        typed = st.text_input(
            t("boundaries.sentence"),
            key=SENTENCE,
            max_chars=2000,
            persist_state="session",
            label_visibility="collapsed",
            placeholder=t("boundaries.sentence"),
        )
    with view.scrubber, st.container(horizontal=True, gap="xsmall", key="boundaries.examples"):
        for k, sentence in enumerate(list(known)[:6]):
            st.button(plain(sentence[:8]) + "…", key=f"boundaries.example.{k}", on_click=use_sentence, args=(sentence,))
    text = current_sentence()
    url.publish(typed or "")
    if not text:
        with view.picture:
            st.info(t("explore.empty"), icon=":material/edit:")
        return
    is_gold = text in known
    gold_ends = [end for end in _ends(known.get(text, ())) if end < min(len(text), _MAX)]
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


def _ends(words: Sequence[str]) -> list[int]:
    ends, at = [], 0
    for word in words:
        at += len(word)
        ends.append(at)
    return ends
