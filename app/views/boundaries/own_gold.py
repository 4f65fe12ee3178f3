"""A visitor's own gold, and an optional training text that replaces most of its lines in training."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.layout import Layout
from app.parts.texts.upload import render_dropped, render_file_field
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_text_file
from app.session import state
from app.session.own_texts import held_texts
from app.texts.corpora import Text
from app.texts.gold import GoldText, gold_of
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.errors import InputError

_MAX_SENTENCES = 5000
_MOST_NAMED = 8  # eojeols that could not be cut
_MAX_TRAINING_BYTES = 1_000_000  # every method learns from this much in half a minute


def own_gold(view: Layout) -> GoldText:
    """The fields for both files, and their contents; without a gold the page ends, and its picture says so."""
    label, help_text = t("boundaries.gold.file"), t("boundaries.gold.help")
    upload = render_file_field(label, "boundaries.file", _read_gold, help=help_text)
    if upload is None or not upload.content.words:
        with view.picture:
            st.info(t("boundaries.gold.none"), icon=":material/upload_file:")
        st.stop()
    gold = upload.content
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
    upload = render_file_field(
        t("boundaries.training.file"),
        "boundaries.training_file",
        _read_training,
        is_valid=lambda content: isinstance(content, InputError) or content in held_texts(),
        help=t("boundaries.training.help"),
    )
    if upload is None:
        return None
    render_dropped(held_texts())
    text = held_texts().get(upload.content)
    if text is not None:
        st.caption(t("boundaries.training.read", name=plain(text.name), lines=text.n_lines))
    return text


def _read_training(files: Sequence[UploadedFile]) -> str:
    """Store the text of the file in the session; its id."""
    (file,) = files
    text = checked_text(with_line_feeds(read_text_file(file.getvalue(), state.visitor())), file.name)
    if text.n_bytes > _MAX_TRAINING_BYTES:
        raise InputError("training_text.long", limit=_MAX_TRAINING_BYTES)
    hold(text, held_texts())
    return text.id


def _read_gold(files: Sequence[UploadedFile]) -> GoldText:
    (file,) = files
    lines = split_lines(read_text_file(file.getvalue(), state.visitor(), is_gold=True))
    return gold_of(lines, limit=_MAX_SENTENCES)._replace(file=file.name)
