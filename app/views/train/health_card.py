"""The composition of a corpus, and what looks wrong in it, before training."""

import streamlit as st

from app.session.feasible import feasible_sizes
from app.texts.corpora import Text
from app.texts.i18n import t
from app.views.train.settings_form import chosen_settings
from engine.corpus.health import LONG_LINE, Health, corpus_health
from engine.errors import InputError

_MAX_SCRIPTS = 5


@st.cache_data(max_entries=300, show_spinner=False)
def _health(digest: str, _source: Text) -> Health:
    """Only counts: no text stays in the cache."""
    return corpus_health(_source.read())


def render_health(source: Text) -> None:
    """Figures, scripts, and a line for each suspicious finding."""
    health = _health(source.digest, source)
    with st.container(border=True, key="health"):
        with st.container(horizontal=True, gap="medium"):
            st.metric(t("train.corpus.lines"), f"{source.n_lines:,}", width="content")
            st.metric(t("train.corpus.words"), f"{source.n_words:,}", width="content")
            st.metric(t("train.corpus.characters"), f"{source.n_chars:,}", width="content")
            st.metric(t("health.feasible"), _feasible(source), help=t("health.feasible_help"), width="content")
        if health.scripts:
            st.caption(t("health.scripts", scripts=_scripts(health)))
        findings = _findings(health)
        for text in findings:
            st.markdown(f":material/warning: {text}")
        if not findings:
            st.caption(f":material/check: {t('health.fine')}")


def _feasible(source: Text) -> str:
    try:
        sizes = feasible_sizes(source, chosen_settings())
    except InputError:
        return "–"  # the settings below show the error
    return "…" if sizes is None else f"{sizes[0]:,}–{sizes[1]:,}"


def _scripts(health: Health) -> str:
    total = sum(count for _, count in health.scripts)
    shown = [(t(f"health.script.{name}"), count / total) for name, count in health.scripts[:_MAX_SCRIPTS]]
    return " · ".join(f"{name} {share:.1%}" if share >= 0.001 else f"{name} <0.1%" for name, share in shown)


def _findings(health: Health) -> list[str]:
    """One sentence for each count above zero."""
    share = health.n_duplicates / health.n_lines if health.n_lines else 0.0
    counts = {
        "duplicates": health.n_duplicates if share >= 0.01 else 0,
        "empty": health.n_empty,
        "long": health.n_long,
        "controls": health.n_controls,
        "replacements": health.n_replacements,
        "not_nfc": health.n_not_nfc,
    }
    return [
        t(f"health.{name}", count=count, share=share, limit=LONG_LINE, longest=health.longest)
        for name, count in counts.items()
        if count
    ]
