"""Scores of tokenizers on a gold file, or on an analyser's output for a built-in text."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st

from app import ASSETS
from app.parts.choices import read_choice, url_choice, url_toggle
from app.parts.command_line import model_commands
from app.parts.layout import Layout
from app.parts.problem import show_problem
from app.parts.share import share
from app.parts.texts.text_set import text_name
from app.parts.tokens.morpheme_layer import analyser_choice, is_ready
from app.server.work.reading import read_text_file
from app.session import state
from app.session.kept import kept
from app.session.models import ActiveTokenizer
from app.texts.commands import morphology_command
from app.texts.corpora import own_text
from app.texts.i18n import t
from app.texts.measured import builtin_text
from app.texts.plain import plain
from app.views.morphology.board import render_board, render_stored, tags_text
from app.views.morphology.compared import shown_or_said
from app.views.morphology.tables import Row, against_best, scores_row, scores_table
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError
from engine.measure.morphemes.analysis import Analysis, gold_analysis, silver_analysis
from engine.measure.morphemes.gold import parse_gold, read_gold
from engine.measure.morphemes.morphology import morphology_scores
from engine.measure.morphemes.tradeoff import TradeoffPoint, tradeoff_points

_BUILTIN, _KAIST, _SILVER, _OWN = "builtin", "kaist", "silver", "own"
_TEXTS = ("ko.news", "ko.reviews", "ko.fairytale", "ko.science")
_FILE, _SEEN, _HELD = "morphology.file", "morphology.file_seen", "morphology.own"
_MAX_LINES, _MAX_CHARACTERS, _MAX_LISTED = 60_000, 1_000_000, 500  # an analyser tags this much in some ten seconds


class _Gold(NamedTuple):
    """An analysis and its key; a shared one is not a visitor's, a silver one is an analyser's.

    `file` : the name of the visitor's file.
    """

    key: str
    analysis: Analysis
    is_shared: bool
    program: str = ""
    file: str = ""


@st.cache_data(max_entries=len(_TEXTS) * len(ANALYSERS) + 1, show_spinner=False)
def _shared_analysis(key: str) -> Analysis:
    """The gold shipped with the app, or an analyser's analysis of a built-in text: `mecab/ko.news`."""
    if key == _BUILTIN:
        return gold_analysis(read_gold(ASSETS / "gold" / "ko_morphemes.tsv"))
    analyser, _, name = key.partition("/")
    return silver_analysis(builtin_text(name).sentences(), analyser)


@st.cache_data(max_entries=200, show_spinner=False)
def _shared_row(sha256: str, name: str, _active: ActiveTokenizer) -> Row:
    return scores_row(morphology_scores(_active.model, _shared_analysis(name), has_parts=False))


def render_scores(view: Layout) -> None:
    """F1 over fertility on a chosen gold, the table, and the unaligned eojeols."""
    names = {name: t(f"morphology.gold.{name}") for name in (_BUILTIN, _KAIST, _SILVER, _OWN)}
    with view.settings(t("morphology.gold.chosen", gold=names[read_choice("gold", names, _BUILTIN)])):
        gold = _gold(names, view)
        has_paths = isinstance(gold, _Gold) and url_toggle("paths", t("morphology.paths"), t("morphology.paths_help"))
    shown = shown_or_said(view)
    if not shown or gold is None:
        return
    if isinstance(gold, _Gold):
        _render_live(view, shown, gold, has_paths)
    else:
        render_stored(view, shown)


def _render_live(view: Layout, shown: list[ActiveTokenizer], gold: _Gold, has_paths: bool) -> None:
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
        table = scores_table(kept("morphology.best", key, lambda: against_best(rows)))
    render_board(view, table, paths, list(rows), own_text("\n".join(gold.analysis.lines)))
    with view.sections:
        _render_about(gold)
        if gold.file:
            models, commands = model_commands(shown)
            share(commands=[*commands, morphology_command(models, gold.file)])


def _render_about(gold: _Gold) -> None:
    """How much of the gold is counted, and the eojeols that are not."""
    n_words, n_aligned = gold.analysis.aligned.size, int(gold.analysis.aligned.sum())
    st.caption(
        t("morphology.aligned", aligned=n_aligned, words=n_words, sentences=len(gold.analysis.lines))
        + " "
        + (t("morphology.silver", program=gold.program) if gold.program else tags_text(gold.analysis.tags_of))
    )
    if unaligned := gold.analysis.unaligned:
        heading = t("morphology.unaligned", count=n_words - n_aligned, distinct=len(unaligned))
        with st.expander(heading, icon=":material/link_off:"):
            names = [t(f"morphology.column.{name}") for name in ("eojeol", "morphemes", "count")]
            st.dataframe(pd.DataFrame(unaligned[:_MAX_LISTED], columns=names), hide_index=True)


def _path(active: ActiveTokenizer, gold: _Gold) -> list[TradeoffPoint]:
    if gold.is_shared and active.reference.is_named:
        return _shared_path(active.sha256, gold.key, active)
    key = (active.sha256, gold.key)
    return kept("morphology.paths", key, lambda: list(tradeoff_points(active.model, gold.analysis)), 40)


@st.cache_data(max_entries=200, show_spinner=False)
def _shared_path(sha256: str, name: str, _active: ActiveTokenizer) -> list[TradeoffPoint]:
    return list(tradeoff_points(_active.model, _shared_analysis(name)))


def _row(active: ActiveTokenizer, gold: _Gold) -> Row:
    if gold.is_shared and active.reference.is_named:
        return _shared_row(active.sha256, gold.key, active)
    key = (active.sha256, gold.key)
    return kept(
        "morphology", key, lambda: scores_row(morphology_scores(active.model, gold.analysis, has_parts=False)), 40
    )


def _gold(names: Mapping[str, str], view: Layout) -> _Gold | str | None:
    """The chosen gold: KAIST, which has only stored results, or an analysis; None, and why, if there is none."""
    chosen = url_choice("gold", t("morphology.gold.label"), names, _BUILTIN, t("morphology.gold.help"))
    if chosen == _KAIST:
        return _KAIST
    if chosen == _SILVER:
        return _silver(view)
    with view.picture:
        if any(not is_ready(analyser) for analyser in installed_analysers()[:1]):  # tags a file without tags
            return None
    if chosen == _OWN:
        return _own_gold(view)
    with view.picture, st.spinner(t("morphology.measuring")):
        return _Gold(chosen, _shared_analysis(chosen), True)


def _silver(view: Layout) -> _Gold | None:
    """A built-in text as analysed by a program; None if there is none, or while it is loading."""
    name = url_choice("text", t("morphology.text"), {id_: text_name(id_) for id_ in _TEXTS}, _TEXTS[0])
    analyser = analyser_choice()
    with view.picture:
        if analyser is None or not is_ready(analyser):
            return None
        key = f"{analyser}/{name}"
        with st.spinner(t("morphology.measuring")):
            return _Gold(key, _shared_analysis(key), True, ANALYSERS[analyser].title)


def _own_gold(view: Layout) -> _Gold | None:
    """A visitor's gold: read once, and stored in the session only."""
    file = st.file_uploader(t("morphology.file"), key=_FILE, help=t("morphology.file_help"))
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        st.session_state[_SEEN] = file.file_id
        try:
            lines = split_lines(read_text_file(file.getvalue(), state.visitor(), is_gold=True).replace("\r\n", "\n"))
            if len(lines) > _MAX_LINES:
                st.caption(t("fertility.cut", name=plain(file.name), limit=_MAX_LINES))
            own = parse_gold(lines[:_MAX_LINES])
            if sum(len(sentence.text) for sentence in own) > _MAX_CHARACTERS:
                raise InputError("gold.long", limit=_MAX_CHARACTERS)
            st.session_state[_HELD] = _Gold(file.file_id, gold_analysis(own), False, file=file.name)
        except InputError as error:
            st.session_state[_HELD] = None
            with view.picture:
                show_problem(t("morphology.refused"), error)
    gold: _Gold | None = st.session_state.get(_HELD)
    if gold is None:
        with view.picture:
            st.info(t("morphology.none"), icon=":material/upload_file:")
    return gold
