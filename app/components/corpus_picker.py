"""Choosing a training corpus: a built-in one, a file, or pasted text."""

import streamlit as st

from app.corpora import FOLDER, Source, builtin_source, find_source, hold, registers, text_source
from app.i18n import t
from app.models import held_sources
from app.text import plain
from engine.corpus.read import ENCODINGS, decode_bytes
from engine.errors import InputError

KIND, COLLECTION, REGISTERS, PASTED = "train.kind", "train.collection", "train.registers", "train.pasted"
_FILE, _ENCODING, _UPLOADED = "train.file", "train.encoding", "train.uploaded"

_KINDS = ("builtin", "upload", "paste")
_MAX_PASTED = 1_000_000
_PREVIEW_LINES = 30


def adopt_source(source_id: str) -> bool:
    """Set the widgets to a source; False where it is a text that this session does not hold."""
    collection, *names = source_id.split(".")
    source = find_source(source_id, held_sources())
    if source is None:
        return False
    if source.is_builtin:
        st.session_state.update({KIND: "builtin", COLLECTION: collection, REGISTERS: names})
    elif source.name:
        st.session_state.update({KIND: "upload", _UPLOADED: source.id})
    else:
        st.session_state.update({KIND: "paste", PASTED: source.text})
    return True


def render_corpus_picker() -> Source | None:
    """The widgets; returns what they choose, None where there is no text yet."""
    st.session_state.setdefault(KIND, "builtin")
    kind = st.segmented_control(
        t("train.corpus.kind"),
        _KINDS,
        format_func={name: t(f"train.corpus.{name}") for name in _KINDS}.__getitem__,
        key=KIND,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    source = {"builtin": _builtin, "upload": _upload, "paste": _paste}[kind or "builtin"]()
    if source is None or not source.n_lines:
        st.info(t("train.corpus.nothing"), icon=":material/edit_note:")
        return None
    _render_counts(source)
    return source


def collections() -> list[str]:
    """Folders of built-in corpora, the Korean one first."""
    names = sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and registers(path.name))
    return sorted(names, key=lambda name: name != "ko")


def _builtin() -> Source:
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
        )
    collection = str(st.session_state[COLLECTION])
    available = list(registers(collection))
    # Another collection has other registers: what it does not have cannot stay chosen.
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
    return builtin_source(collection, tuple(chosen))


def _upload() -> Source | None:
    left, right = st.columns([3, 1])
    with right:
        st.session_state.setdefault(_ENCODING, "auto")
        encoding = st.selectbox(
            t("train.corpus.encoding"),
            ("auto", *ENCODINGS),
            format_func=(
                {"auto": t("train.corpus.encoding_auto")} | {name: name.upper() for name in ENCODINGS}
            ).__getitem__,
            key=_ENCODING,
            persist_state="session",
        )
    with left:
        file = st.file_uploader(t("train.corpus.file"), type=["txt"], key=_FILE)
    if file is not None:
        try:
            text, used = decode_bytes(file.getvalue(), None if encoding == "auto" else encoding)
        except InputError as error:
            st.error(t("train.file.refused"), icon=":material/error:")
            st.text(str(error))
            return None
        # A file from Windows would otherwise give every last word of a line a token with a carriage return.
        crlf = "\r\n" in text
        source = text_source(text.replace("\r\n", "\n"), file.name)
        hold(source, held_sources())
        st.session_state[_UPLOADED] = source.id
        notes = [t("train.corpus.decoded", name=file.name, encoding=used.upper())]
        st.caption(plain(" ".join(notes + [t("train.corpus.line_ends")] * crlf)))
    st.caption(t("train.corpus.private"))
    return held_sources().get(st.session_state.get(_UPLOADED, ""))


def _paste() -> Source | None:
    text = st.text_area(
        t("train.corpus.text"),
        key=PASTED,
        height=220,
        max_chars=_MAX_PASTED,
        persist_state="session",
    )
    st.caption(t("train.corpus.private"))
    if not (text or "").strip():
        return None
    source = text_source(text or "")
    hold(source, held_sources())
    return source


def _render_counts(source: Source) -> None:
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("train.corpus.lines"), f"{source.n_lines:,}", width="content")
        st.metric(t("train.corpus.words"), f"{source.n_words:,}", width="content")
        st.metric(t("train.corpus.characters"), f"{source.n_chars:,}", width="content")
    with st.expander(t("train.corpus.preview"), icon=":material/visibility:"):
        lines = [line[:200] for line in source.lines() if line][:_PREVIEW_LINES]
        st.code("\n".join(lines), language=None, wrap_lines=True, height=260)
