"""Boundaries: where information theory cuts text without spaces, compared with a gold standard."""

import streamlit as st

from app.parts.choices import read_choice, unit_choice, url_choice, url_slider, url_toggle
from app.parts.layout import Layout, heading, layout
from app.parts.problem import reason
from app.server.remember import remember
from app.server.work.kernels import KernelsNotReadyError
from app.session.page_run import render_preparing
from app.texts.gold import GOLD, GoldText, builtin_gold, gold_language
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.boundaries.bytes import render_bytes
from app.views.boundaries.errors import render_errors
from app.views.boundaries.own_gold import corrected_gold, own_gold, render_correction
from app.views.boundaries.scores import current_lambda, lambda_slider, render_scores
from app.views.boundaries.sentence import render_sentence
from engine.boundaries.language_model import RULES, CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, TOTALS
from engine.errors import InputError

_VIEWS = ("sentence", "scores", "errors", "bytes")


def _ngrams(name: str, gold: GoldText, edges: bool) -> Ngrams:
    """N-gram counts: shared for a built-in gold, private to the session for a visitor's own."""
    limit, key = 2 * len(GOLD) if name in GOLD else 1, (gold.train, edges)
    return remember("boundaries.ngrams", key, lambda: Ngrams(gold.train, 6, edges), limit, is_shared=name in GOLD)


def _render_gold_view(section: str, view: Layout) -> None:
    """One of the views that compare with a gold: all but the last."""
    names = {name: t(f"boundaries.gold.{name}") for name in (*GOLD, "own")}
    chosen = names[read_choice("gold", names, GOLD[0])]
    with view.settings(t("boundaries.settings", gold=chosen)):
        name = url_choice("gold", t("boundaries.gold.label"), names, GOLD[0])
        read = own_gold(view) if name == "own" else builtin_gold(name)
        left, right = st.columns(2)
        with left:
            total = url_choice(
                "total",
                t("boundaries.total.label"),
                {n: t(f"boundaries.total.{n}") for n in TOTALS},
                DEFAULT_TOTAL,
                t("boundaries.total.help"),
            )
            edges = not url_toggle("noedges", t("boundaries.no_edges"))
            unit = unit_choice()
        with right:
            order = url_slider("order", t("boundaries.order"), 1, 6, 2)
            rule = url_choice(
                "rule",
                t("boundaries.rule.label"),
                {n: t(f"boundaries.rule.{n}") for n in RULES},
                "rise",
                t("boundaries.rule.help"),
            )
    gold = corrected_gold(read)
    if section == "sentence":
        lam = current_lambda()  # its slider is part of the picture
    else:
        with view.scrubber:
            lam = lambda_slider()
    ngrams = _ngrams(name, gold, edges)
    if section == "errors":
        render_errors(view, gold, ngrams, CharacterModel(ngrams, order), lam, total, rule)
    elif section == "sentence":
        render_sentence(view, gold, name, ngrams, CharacterModel(ngrams, order), lam, total, rule, unit)
        with view.sections:
            render_correction(read, gold, gold_language(name))
    else:
        render_scores(view, gold, ngrams, (total, edges, order, rule), lam, name, read, unit)


section = heading("boundaries", _VIEWS)
view = layout()
try:
    if section == "bytes":
        render_bytes(view)
    else:
        _render_gold_view(section, view)
except InputError as error:
    with view.picture:
        st.error(plain(reason(error)), icon=":material/error:")
except KernelsNotReadyError:
    with view.picture:
        render_preparing()
