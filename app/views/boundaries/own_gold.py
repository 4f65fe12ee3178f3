"""A visitor's own gold, and an optional training text that replaces most of its lines in training."""

from typing import Any

import streamlit as st

from app.parts.layout import Layout
from app.parts.texts.dropped_texts import render_dropped
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_text_file
from app.session import state
from app.session.stored_texts import held_texts
from app.texts.corpora import Text
from app.texts.gold import GoldText, gold_of
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError

_MAX_SENTENCES = 5000
_MOST_NAMED = 8  # eojeols that could not be cut
_SEEN = "boundaries.file_seen"
_TRAINING_FILE, _TRAINING = "boundaries.training_file", "boundaries.training"
_MAX_TRAINING_BYTES = 1_000_000  # every method learns from this much in half a minute


def own_gold(view: Layout) -> GoldText:
    """The fields for both files, and their contents; without a gold the page ends, and its picture says so."""
    file = st.file_uploader(t("boundaries.gold.file"), key="boundaries.file", help=t("boundaries.gold.help"))
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        st.session_state[_SEEN] = file.file_id
        st.session_state["boundaries.own"] = _read_gold(file)
    gold: GoldText | InputError | None = st.session_state.get("boundaries.own")
    if isinstance(gold, InputError):
        raise gold.again()
    if gold is None or not gold.words:
        with view.picture:
            st.info(t("boundaries.gold.none"), icon=":material/upload_file:")
        st.stop()
    st.caption(t("boundaries.gold.read", sentences=len(gold.words), words=sum(map(len, gold.words))))
    if gold.n_left_out:
        st.caption(t("boundaries.gold.cut", limit=_MAX_SENTENCES, count=gold.n_left_out))
    if gold.whole:
        often = plain(", ".join(f"{eojeol} {times:,}" for eojeol, times in gold.whole[:_MOST_NAMED]))
        count = sum(times for _, times in gold.whole)
        st.caption(t("boundaries.gold.whole", count=count, distinct=len(gold.whole), often=often))
    training = _training()
    return gold.learned_from(training) if training else gold


def _training() -> Text | None:
    """The visitor's own training text, if there is one."""
    file = st.file_uploader(
        t("boundaries.training.file"), key=_TRAINING_FILE, help=t("boundaries.training.help"), on_change=_take_training
    )
    kept: str | InputError | None = st.session_state.get(_TRAINING)
    if file is not None and isinstance(kept, str) and kept not in held_texts():  # the server needed the memory
        _take_training()
        kept = st.session_state[_TRAINING]
    if isinstance(kept, InputError):
        if file is None:
            return None
        raise kept.again()
    if kept is None:
        return None
    render_dropped(held_texts())
    text = held_texts().get(kept)
    if text is not None:
        st.caption(t("boundaries.training.read", name=plain(text.name), lines=text.n_lines))
        if file is None:  # uploaded before a visit to another page, which emptied the field
            st.button(
                t("boundaries.training.forget"),
                key="boundaries.training_forget",
                icon=":material/close:",
                on_click=st.session_state.pop,
                args=(_TRAINING, None),
            )
    return text


def _take_training() -> None:
    """Store the uploaded text, or the reason why it is refused; without a file, forget the last one."""
    file = st.session_state[_TRAINING_FILE]
    st.session_state[_TRAINING] = file and _read_training(file)


def _read_training(file: Any) -> str | InputError:
    """Store the text of a file in the session; its id, or why it is refused."""
    try:
        text = checked_text(read_text_file(file.getvalue(), state.visitor()).replace("\r\n", "\n"), file.name)
        if text.n_bytes > _MAX_TRAINING_BYTES:
            raise InputError("training_text.long", limit=_MAX_TRAINING_BYTES)
    except InputError as error:
        return error.again()
    hold(text, held_texts())
    return text.id


def _read_gold(file: Any) -> GoldText | InputError:
    """The gold in a file, or why it is refused; cached, so that it is read only once."""
    try:
        text = read_text_file(file.getvalue(), state.visitor(), is_gold=True)
    except InputError as error:
        return error.again()
    lines = split_lines(text.replace("\r\n", "\n"))
    try:
        return gold_of(lines, limit=_MAX_SENTENCES)._replace(file=file.name)
    except InputError as error:
        return error.again()
