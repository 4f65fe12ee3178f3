"""Choosing a training corpus: a built-in one, a file, or pasted text."""

import streamlit as st

from app.parts.problem import show_problem
from app.parts.texts.corpus_upload import FILE, render_upload
from app.parts.texts.dropped_texts import render_dropped
from app.parts.texts.upload import Upload, upload_key
from app.server.stored_texts import checked_text, hold
from app.session import state
from app.session.stored_texts import held_texts
from app.session.url import UrlValue, one_of
from app.texts.corpora import FOLDER, Text, builtin_corpus, registers
from app.texts.find import find_text
from app.texts.i18n import t
from app.views.train.health_card import render_health
from engine.errors import InputError
from engine.pictures.showable import showable

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
