"""Scores of tokenizers on a gold file, or on an analyser's output for a built-in text."""

import pandas as pd
import streamlit as st

from app.parts.choices import url_toggle
from app.parts.command_line import model_commands
from app.parts.layout import Layout
from app.parts.problem import show_problem
from app.parts.share import share
from app.session.kept import kept
from app.session.models import ActiveTokenizer
from app.texts.commands import morphology_command
from app.texts.corpora import own_text
from app.texts.i18n import t
from app.views.morphology.board import render_board, render_stored, tags_text
from app.views.morphology.chosen_gold import GOLDS, Gold, choose_gold, gold_label, shared_analysis
from app.views.morphology.compared import shown_or_said
from app.views.morphology.tables import Row, against_best, scores_row, scores_table
from engine.errors import InputError
from engine.measure.morphemes.analysis import LEAST_ALIGNED
from engine.measure.morphemes.morphology import morphology_scores
from engine.measure.morphemes.tradeoff import TradeoffPoint, tradeoff_points

_MAX_LISTED = 500


@st.cache_data(max_entries=200, show_spinner=False)
def _shared_row(sha256: str, name: str, _active: ActiveTokenizer) -> Row:
    return scores_row(morphology_scores(_active.model, shared_analysis(name), has_parts=False))


def render_scores(view: Layout) -> None:
    """F1 over fertility on a chosen gold, the table, and the unaligned eojeols."""
    with view.settings(gold_label("gold", GOLDS)):
        gold = choose_gold("gold", GOLDS, view)
        has_paths = isinstance(gold, Gold) and url_toggle("paths", t("morphology.paths"), t("morphology.paths_help"))
    shown = shown_or_said(view)
    if not shown or gold is None:
        return
    if isinstance(gold, Gold):
        _render_live(view, shown, gold, has_paths)
    else:
        render_stored(view, shown)


def _render_live(view: Layout, shown: list[ActiveTokenizer], gold: Gold, has_paths: bool) -> None:
    rows: dict[str, Row] = {}
    paths: dict[str, list[TradeoffPoint]] = {}
    with view.picture, st.spinner(t("morphology.measuring")):
        for active in shown:
            try:
                rows[active.title] = _row(active, gold)
                if has_paths:
                    paths[active.title] = _path(active, gold)
            except InputError as error:
                show_problem(active.title, error)
        if not rows:
            return
        key = (gold.key, *((active.title, active.sha256) for active in shown))
        table = scores_table(kept("morphology.best", key, lambda: against_best(rows, gold.analysis.has_verdict)))
    render_board(view, table, paths, list(rows), own_text("\n".join(gold.analysis.lines)))
    with view.sections:
        render_about(gold)
        if gold.file:
            models, commands = model_commands(shown)
            share(commands=[*commands, morphology_command(models, gold.file)])


def render_about(gold: Gold) -> None:
    """How much of the gold is counted, and the eojeols that are not."""
    n_words, n_aligned = gold.analysis.aligned.size, int(gold.analysis.aligned.sum())
    st.caption(
        t("morphology.aligned", aligned=n_aligned, words=n_words, sentences=len(gold.analysis.lines))
        + " "
        + (t("morphology.silver", program=gold.program) if gold.program else tags_text(gold.analysis.tags_of))
    )
    if not gold.analysis.has_verdict:
        st.caption(t("morphology.no_verdict", share=gold.analysis.share_aligned, least=LEAST_ALIGNED))
    if unaligned := gold.analysis.unaligned:
        heading = t("morphology.unaligned", count=n_words - n_aligned, distinct=len(unaligned))
        with st.expander(heading, icon=":material/link_off:"):
            names = [t(f"morphology.column.{name}") for name in ("eojeol", "morphemes", "count")]
            st.dataframe(pd.DataFrame(unaligned[:_MAX_LISTED], columns=names), hide_index=True)


def _path(active: ActiveTokenizer, gold: Gold) -> list[TradeoffPoint]:
    if gold.is_shared and active.reference.is_named:
        return _shared_path(active.sha256, gold.key, active)
    key = (active.sha256, gold.key)
    return kept("morphology.paths", key, lambda: list(tradeoff_points(active.model, gold.analysis)), 40)


@st.cache_data(max_entries=200, show_spinner=False)
def _shared_path(sha256: str, name: str, _active: ActiveTokenizer) -> list[TradeoffPoint]:
    return list(tradeoff_points(_active.model, shared_analysis(name)))


def _row(active: ActiveTokenizer, gold: Gold) -> Row:
    if gold.is_shared and active.reference.is_named:
        return _shared_row(active.sha256, gold.key, active)
    key = (active.sha256, gold.key)
    return kept(
        "morphology", key, lambda: scores_row(morphology_scores(active.model, gold.analysis, has_parts=False)), 40
    )
