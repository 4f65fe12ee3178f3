"""Choosing a training corpus: a built-in one, a file, or pasted text."""

import streamlit as st

from app.parts.problem import show_problem
from app.parts.texts.corpus_upload import FILE, render_upload
from app.parts.texts.upload import Upload, render_dropped, upload_key
from app.server.remember import remember
from app.server.stored_texts import checked_text, hold
from app.session import state
from app.session.own_texts import held_texts
from app.session.training import feasible_sizes
from app.session.url import UrlValue, one_of
from app.texts.corpora import FOLDER, Text, builtin_corpus, registers
from app.texts.find import find_text
from app.texts.i18n import t
from app.views.train.settings_form import chosen_settings
from engine.corpus.health import LONG_LINE, Health, corpus_health
from engine.errors import InputError
from engine.pictures.showable import showable

_MAX_SCRIPTS = 5


KIND, COLLECTION, REGISTERS, PASTED = "train.kind", "train.collection", "train.registers", "train.pasted"
_DRAFT = "train.pasted_id"

_KINDS = ("builtin", "upload", "paste")
_MAX_PASTED = 1_000_000
_PREVIEW_LINES = 30


def adopt_source(source_id: str) -> bool:
    """Set the widgets to a source; False if this session does not have it, or it is a mixture of languages."""
    collection, *names = source_id.split(".")
    source = find_text(source_id, held_texts())
    if source is None or (source.is_builtin and collection not in collections()):
        return False
    if source.is_builtin:
        st.session_state.update({KIND: "builtin", COLLECTION: collection, REGISTERS: names})
    elif source.name:
        st.session_state.update({KIND: "upload", upload_key(FILE): Upload(source.name, source.id)})
    else:
        st.session_state.update({KIND: "paste", PASTED: source.text})
    return True


def render_corpus_picker() -> Text | None:
    """The widgets; returns the chosen text, None if there is none yet."""
    url = UrlValue("kind", KIND, one_of(_KINDS), str, _KINDS[0])
    url.adopt()
    kind = st.segmented_control(
        t("train.corpus.kind"),
        _KINDS,
        format_func={name: t(f"train.corpus.{name}") for name in _KINDS}.__getitem__,
        key=KIND,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    kind = kind or url.default
    url.publish(kind)
    source = {"builtin": _builtin, "upload": render_upload, "paste": _paste}[kind]()
    render_dropped(held_texts())
    if source is None or not source.n_lines:
        st.info(t("train.corpus.nothing"), icon=":material/edit_note:")
        return None
    render_health(source)
    _render_preview(source)
    return source


def collections() -> list[str]:
    """Folders of built-in corpora, the Korean one first."""
    names = sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and registers(path.name))
    return sorted(names, key=lambda name: name != "ko")


def _builtin() -> Text:
    names = collections()
    st.session_state.setdefault(COLLECTION, names[0])
    if len(names) > 1:
        st.segmented_control(
            t("train.corpus.collection"),
            names,
            format_func={name: t(f"corpora.{name}.title") for name in names}.__getitem__,
            key=COLLECTION,
            required=True,
            persist_state="session",
            wrap=True,
        )
    collection = str(st.session_state[COLLECTION])
    available = list(registers(collection))
    # Another collection has other registers: drop those it does not have.
    st.session_state[REGISTERS] = [name for name in st.session_state.get(REGISTERS, []) if name in available]
    chosen = st.pills(
        t("train.corpus.registers"),
        available,
        selection_mode="multi",
        format_func={name: t(f"corpora.{collection}.{name}") for name in available}.__getitem__,
        key=REGISTERS,
        help=t("train.corpus.registers_help"),
        persist_state="session",
        wrap=True,
    )
    return builtin_corpus(collection, tuple(chosen))


def _paste() -> Text | None:
    text = st.text_area(t("train.corpus.text"), key=PASTED, height=220, max_chars=_MAX_PASTED, persist_state="session")
    st.caption(t("train.corpus.private"))
    if not (text or "").strip():
        return None
    try:
        source = checked_text(text or "")
    except InputError as error:
        show_problem(t("train.refused"), error)
        return None
    _hold_draft(source)
    return source


def _hold_draft(source: Text) -> None:
    """Store the field's text in place of the previous one, unless a model was trained on that."""
    held, known = held_texts(), st.session_state.get(state.KNOWN, {}).values()
    before = st.session_state.get(_DRAFT, source.id)
    if before not in {source.id, *held.needed, *(reference.source_id for reference in known)}:
        held.pop(before, None)
    st.session_state[_DRAFT] = source.id
    hold(source, held)


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
