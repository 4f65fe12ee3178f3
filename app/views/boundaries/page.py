"""Boundaries: where information theory cuts text without spaces, compared with a gold standard."""

import streamlit as st

from app.parts.choices import unit_choice, url_choice, url_toggle
from app.parts.problem import reason
from app.texts.gold import GOLD, GoldText, builtin_gold, gold_language
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.boundaries.bytes import render_bytes
from app.views.boundaries.correction import corrected_gold, render_correction
from app.views.boundaries.errors import render_errors
from app.views.boundaries.f1_over_lambda import current_lambda, lambda_slider
from app.views.boundaries.own_gold import own_gold
from app.views.boundaries.scores import render_scores
from app.views.boundaries.sentence import render_sentence
from engine.boundaries.language_model import RULES, CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, TOTALS
from engine.errors import InputError

_SECTIONS = ("sentence", "scores", "errors", "bytes")


@st.cache_resource(max_entries=12, show_spinner=False)
def _shared_ngrams(name: str, edges: bool, _gold: GoldText) -> Ngrams:
    return Ngrams(_gold.train, 6, edges)


def _ngrams(name: str, gold: GoldText, edges: bool) -> Ngrams:
    """N-gram counts: shared for a built-in gold, private to the session for a visitor's own."""
    if name in GOLD:
        return _shared_ngrams(name, edges, gold)
    kept = st.session_state.get("boundaries.ngrams")
    if kept is None or kept[0] != (gold.train, edges):
        kept = ((gold.train, edges), Ngrams(gold.train, 6, edges))
        st.session_state["boundaries.ngrams"] = kept
    counted: Ngrams = kept[1]
    return counted


def _gold() -> tuple[str, GoldText]:
    names = {name: t(f"boundaries.gold.{name}") for name in (*GOLD, "own")}
    name = url_choice("gold", t("boundaries.gold.label"), names, GOLD[0])
    return name, own_gold() if name == "own" else builtin_gold(name)


def _render(section: str) -> None:
    name, read = _gold()
    gold = corrected_gold(read)
    left, right = st.columns(2)
    with left:
        # The Sentence section has its own slider, next to the cuts.
        lam = current_lambda() if section == "sentence" else lambda_slider()
        total = url_choice(
            "total",
            t("boundaries.total.label"),
            {n: t(f"boundaries.total.{n}") for n in TOTALS},
            DEFAULT_TOTAL,
            t("boundaries.total.help"),
        )
    with right:
        order = st.slider(t("boundaries.order"), 1, 6, 2, key="order", bind="query-params", persist_state="session")
        rule = url_choice(
            "rule",
            t("boundaries.rule.label"),
            {n: t(f"boundaries.rule.{n}") for n in RULES},
            "rise",
            t("boundaries.rule.help"),
        )
    edges = not url_toggle("noedges", t("boundaries.no_edges"))
    ngrams = _ngrams(name, gold, edges)
    if section == "errors":
        render_errors(gold, ngrams, CharacterModel(ngrams, order), lam, total, rule)
        return
    unit = unit_choice()
    if section == "sentence":
        render_sentence(gold, name, ngrams, CharacterModel(ngrams, order), lam, total, rule, unit)
        render_correction(read, gold, gold_language(name))
    else:
        render_scores(gold, ngrams, (total, edges, order, rule), lam, name, read, unit)


st.title(t("boundaries.title"))
st.markdown(t("boundaries.intro"))
section = url_choice(
    "view", t("boundaries.view.label"), {name: t(f"boundaries.view.{name}") for name in _SECTIONS}, _SECTIONS[0]
)
try:
    if section == "bytes":
        render_bytes()
    else:
        _render(section)
except InputError as error:
    st.error(plain(reason(error)), icon=":material/error:")
