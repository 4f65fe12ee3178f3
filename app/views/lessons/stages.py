"""Parts of a lesson's stages, alone and with a class: its question and live view, what to take away, the way on."""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.texts.i18n import t
from app.views.lessons.counting import render_bytes, render_pays, render_thunder
from app.views.lessons.counting import render_words as render_unknown
from app.views.lessons.cutting import render_boundaries, render_tokens
from app.views.lessons.lesson_now import STAGES, LessonNow
from app.views.lessons.link import LESSON, PLAN, PlanPlace
from app.views.lessons.room_end import render_rooms
from app.views.lessons.toys import (
    render_bpe,
    render_em,
    render_tokens_of,
    render_unigram,
    render_wordpiece,
    render_words,
)

# What a lesson shows with its question, and the live view that answers it.
_MATERIAL: dict[str, Callable[..., None]] = {
    "bpe": lambda lesson, question: render_words(lesson),
    "wordpiece": lambda lesson, question: render_words(lesson),
    "unigram": render_tokens_of,
    "em": lambda lesson, question: render_words(lesson),
}
_REVEALS: dict[str, Callable[..., None]] = {
    "tokens": render_tokens,
    "words": render_unknown,
    "bpe": render_bpe,
    "wordpiece": render_wordpiece,
    "unigram": render_unigram,
    "em": render_em,
    "bytes": render_bytes,
    "pays": render_pays,
    "thunder": render_thunder,
    "boundaries": render_boundaries,
}


def asks_row() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", key="lessons.asks")


def check_box() -> DeltaGenerator:
    return st.container(border=True, key="lessons.check")


def steps_row() -> DeltaGenerator:
    return st.container(horizontal=True, key="lessons.steps")


def render_asks(lesson: LessonNow, place: PlanPlace, may_open_room: bool) -> DeltaGenerator:
    """The question, and a container next to it, so that the next button is visible whatever the figure's height."""
    row = asks_row()
    is_asked = lesson.stage.value == STAGES[0]
    # Large while it is open; next to the figures it is only a reminder.
    (row.header if is_asked else row.subheader)(lesson.text("question"), anchor=False, width="stretch")
    if is_asked and may_open_room:  # later a figure fills the screen
        with row:
            render_rooms(PLAN.value, lesson.id)
    if is_asked:
        st.caption(f"{place.clock()} — {t('lessons.goal')}: {lesson.text('goal')}")
    return row


def stage_button(lesson: LessonNow, name: str, stage: str, icon: str, kind: Any = "secondary") -> None:
    st.button(
        t(f"lessons.{name}"), key=f"lessons.{name}", type=kind, icon=icon, on_click=lesson.stage.set, args=(stage,)
    )


def understand_button(lesson: LessonNow) -> None:
    stage_button(lesson, "understand", "understand", ":material/lightbulb:", "primary")


def back_to_reveal_button(lesson: LessonNow) -> None:
    stage_button(lesson, "back_to_reveal", "reveal", ":material/arrow_back:")


def next_button(place: PlanPlace) -> None:
    """To the next step of the plan; none at its end."""
    if place.following:
        st.button(
            t("lessons.next"),
            key="lessons.go_on",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=LESSON.set,
            args=(place.following,),
        )


def render_takeaways(lesson: LessonNow) -> None:
    """What surprised, what to remember, and where to read on."""
    for name in ("surprise", "take"):
        st.markdown(f"**{t(f'lessons.{name}')}**")
        st.markdown(lesson.text(name))
    st.markdown(f"**{t('lessons.deeper')}**")
    with st.container(horizontal=True, key="lessons.deeper"):
        for page in lesson.lesson.deeper:
            st.page_link(f"views/{page}/page.py", label=t(f"frame.page.{page}"))


def is_revealed(lesson: LessonNow) -> bool:
    """Whether the lesson has anything to reveal: the exit ticket has not."""
    return lesson.id in _REVEALS


def render_material(lesson: LessonNow) -> None:
    if lesson.id in _MATERIAL:
        _MATERIAL[lesson.id](lesson.lesson, lesson.question)


def render_reveal(lesson: LessonNow, answer: object) -> None:
    """The live view, next to an answer: the visitor's, or the class'. It is not computed before there is one."""
    _REVEALS[lesson.id](lesson.lesson, lesson.question, answer)
