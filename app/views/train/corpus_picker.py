"""The training corpus: some registers of a built-in one, or the visitor's own; what is in it."""

import streamlit as st

from app.parts.texts.corpus_choice import BUILTIN, choose
from app.server.remember import remember
from app.session.own_texts import held_texts, is_own_id
from app.texts.corpora import ALL, Text, builtin_corpus, registers
from app.texts.i18n import t
from app.texts.mixture import find_text
from engine.corpus.health import LONG_LINE, Health, corpus_health
from engine.pictures.showable import showable

_MAX_SCRIPTS = 5
_REGISTERS = "train.registers"
_PREVIEW_LINES = 30


def choose_source(source_id: str) -> bool:
    """Choose a source; False if it is a mixture of languages, or nothing. A text may still have to be uploaded."""
    source = find_text(source_id, held_texts())
    is_here = source is not None and (not source.is_builtin or source.collection in BUILTIN)
    if is_here or is_own_id(source_id):
        choose(source_id)
    return is_here or is_own_id(source_id)


def render_corpus_details(source: Text) -> None:
    """The registers of a built-in corpus, and what is in a text."""
    if source.is_builtin and source.collection != ALL:
        _choose_registers(source)
    render_health(source)
    _render_preview(source)


def _choose_registers(source: Text) -> None:
    """Those of a built-in corpus that are chosen, all if none is."""
    collection, *names = source.id.split(".")
    available = list(registers(collection))
    st.session_state[_REGISTERS] = names
    st.pills(
        t("train.corpus.registers"),
        available,
        selection_mode="multi",
        format_func={name: t(f"corpora.{collection}.{name}") for name in available}.__getitem__,
        key=_REGISTERS,
        help=t("train.corpus.registers_help"),
        on_change=lambda: choose(builtin_corpus(collection, tuple(st.session_state[_REGISTERS])).id),
        wrap=True,
    )


def _render_preview(source: Text) -> None:
    with st.expander(t("train.corpus.preview"), icon=":material/visibility:"):
        lines = [showable(line[:200]) for line in source.lines() if line][:_PREVIEW_LINES]
        st.code("\n".join(lines), language=None, wrap_lines=True, height=260)


def render_health(source: Text) -> None:
    """Figures, scripts, and a line for each suspicious finding."""
    # Only counts: no text stays in memory.
    health = remember("health", source.digest, lambda: corpus_health(source.read()), 300, is_shared=True)
    with st.container(border=True, key="health"):
        with st.container(horizontal=True, gap="medium"):
            st.metric(t("train.corpus.lines"), f"{source.n_lines:,}", width="content")
            st.metric(t("train.corpus.words"), f"{source.n_words:,}", width="content")
            st.metric(t("train.corpus.characters"), f"{source.n_chars:,}", width="content")
        if health.scripts:
            st.caption(t("health.scripts", scripts=_scripts(health)))
        findings = _findings(health)
        for text in findings:
            st.markdown(f":material/warning: {text}")
        if not findings:
            st.caption(f":material/check: {t('health.fine')}")


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
