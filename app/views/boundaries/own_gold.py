"""A visitor's own gold, with a training text that replaces most of its lines in training; gold corrected by hand."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.components.boards import cuts_board
from app.parts.choices import action_button
from app.parts.layout import Layout
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
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


# The key of the Sentence section's text.
SENTENCE = "boundaries.text"

# The corrected sentences, one per line, words separated by spaces.
_CORRECTED = url_text("corrected", "boundaries.corrected", "")


def use_sentence(sentence: str) -> None:
    st.session_state[SENTENCE] = sentence


def current_sentence() -> str:
    return "".join(joined_surrogates(st.session_state.get(SENTENCE) or "").split())


def corrected_gold(gold: GoldText) -> GoldText:
    text = _CORRECTED.adopt()
    _CORRECTED.publish(text)
    return gold.corrected(text.split("\n")) if text else gold


def render_correction(read: GoldText, gold: GoldText, lang: str) -> None:
    """A field to correct the words of the sentence shown, if it is in the gold.

    Parameters
    ----------
    read, gold : the gold as in the file, and as corrected.
    """
    text = current_sentence()
    words = next((own for own in gold.words if "".join(own) == text), None)
    if words is None or len(text) < 2:
        return
    is_changed = words not in read.words
    with st.expander(t("boundaries.correct.heading"), icon=":material/edit:", expanded=is_changed):
        st.markdown(t("boundaries.correct.text"))
        cuts = list(accumulate(map(len, words[:-1])))
        labels = {"title": t("boundaries.correct.title")}

        def keep(places: tuple[int, ...]) -> None:
            _keep(text, " ".join(text[a:b] for a, b in pairwise((0, *places, len(text)))))

        cuts_board("boundaries.correct", text, cuts, keep, labels=labels, lang=lang)
        if is_changed:
            st.caption(t("boundaries.correct.changed"))
            label, key = t("boundaries.correct.reset"), "boundaries.correct.reset"
            action_button(label, key, ":material/undo:", _keep, text, "")


def _keep(text: str, corrected: str) -> None:
    """Store a correction of the sentence; an empty one restores the gold."""
    others = [line for line in _CORRECTED.value.split("\n") if "".join(line.split()) not in ("", text)]
    _CORRECTED.set("\n".join([*others, corrected] if corrected else others))
