"""Questions that the sources ask their readers, one at a time; answers are computed here, on request."""

import pandas as pd
import streamlit as st

from app.parts.choices import action_button, url_field, url_toggle
from app.parts.data_table import draw_table, headings
from app.parts.layout import heading, layout
from app.parts.side_by_side import cut_text, render_strips
from app.parts.tokenizers.tokenizer_set import ready_references
from app.parts.tokens.token_field import follow_link
from app.session import state
from app.session.reference import ModelReference
from app.session.url import UrlValue, one_of, short_text
from app.texts.exercises import EXERCISES, Exercise
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.exercises.tables import cut_by, merges_table, segmentations_table
from engine.public.catalogue import PUBLIC

_MODELS = tuple(ModelReference(PUBLIC + name) for name in ("gpt2", "cl100k_base", "o200k_base"))
_MAX_ROWS, _MAX_OWN = 8, 200
_QUESTION = UrlValue("question", "exercises.question", one_of(EXERCISES), str, next(iter(EXERCISES)))


def _hide() -> None:
    st.session_state["answered"] = False


def _go(question: str) -> None:
    _QUESTION.set(question)
    _hide()


def _choose() -> Exercise:
    """The choice of the question, with buttons for previous and next."""
    _QUESTION.adopt()
    ids = list(EXERCISES)
    titles = {
        one.id: f"{number}. {t(f'exercises.source.{one.source}')} · {t(f'exercises.{one.id}.name')}"
        for number, one in enumerate(EXERCISES.values(), start=1)
    }
    with st.container(horizontal=True, vertical_alignment="bottom", key="exercises.head"):
        st.selectbox(
            t("exercises.choose"),
            ids,
            format_func=titles.__getitem__,
            key=_QUESTION.key,
            persist_state="session",
            on_change=_hide,
        )
        place = ids.index(_QUESTION.value)
        for name, step, icon in (("previous", -1, "arrow_back"), ("next", 1, "arrow_forward")):
            is_there = 0 <= place + step < len(ids)
            to, label = ids[place + step] if is_there else "", t(f"exercises.{name}")
            action_button("", f"exercises.{name}", f":material/{icon}:", _go, to, is_on=is_there, help_text=label)
    _QUESTION.publish(_QUESTION.value)
    return EXERCISES[_QUESTION.value]


def _draw(table: pd.DataFrame, key: str) -> None:
    formats = {"score": "%.4g", "probability": "%.3g", "share": "percent"}
    draw_table(table, headings("exercises.column", **{name: formats.get(name, "") for name in table}), key)


def _render_traces(exercise: Exercise) -> None:
    for number, trace in enumerate(exercise.traces):
        name = t("train.algorithm.bpe" if trace.algorithm == "bpe" else "train.algorithm.wordpiece")
        st.markdown(f"**{name}** · `{trace.words}`")
        table = merges_table(trace)
        _draw(table, f"exercises.merges.{number}")
        if trace.word:
            st.markdown(t("exercises.cut", word=trace.word, pieces=f"`{cut_by(trace)}`"))


def _render_segmentations(words: str, word: str) -> None:
    table = segmentations_table(words, word)
    st.markdown(t("exercises.segmentations", word=word, count=len(table), words=f"`{words}`"))
    _draw(table.head(_MAX_ROWS), "exercises.segmentations")


def _render_answer(exercise: Exercise) -> None:
    """The computed answer, then what it means."""
    _render_traces(exercise)
    if exercise.unigram:
        _render_segmentations(*exercise.unigram)
    if exercise.texts:
        shown = ready_references(_MODELS)
        for number, text in enumerate(exercise.texts):
            render_strips(f"exercises.{number}", cut_text(f"exercises.{number}", shown, text), show_help=False)
    st.markdown(t(f"exercises.{exercise.id}.answer"))
    st.page_link(
        f"views/{exercise.page}/page.py", label=t(f"frame.page.{exercise.page}"), icon=":material/arrow_forward:"
    )


if follow_link("question"):  # on a page of Learn
    _hide()
heading("exercises", sentence=t("exercises.intro", count=len(EXERCISES)))
view = layout()
with view.topic:
    exercise = _choose()
with view.picture:
    st.subheader(t(f"exercises.{exercise.id}.ask"), anchor=False)
    for text in exercise.texts:
        st.code(text, language=None)
    own = UrlValue("mine", f"exercises.mine.{exercise.id}", short_text(_MAX_OWN), state.pack_text, "")
    typed = url_field(own, t("exercises.mine"), _MAX_OWN)
    is_answered = url_toggle("answered", t("exercises.show"))
with view.sections:
    if is_answered:
        if typed.strip():
            st.markdown(t("exercises.yours", text=plain(typed)))
        _render_answer(exercise)
