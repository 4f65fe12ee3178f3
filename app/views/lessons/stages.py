"""Parts of a lesson's stages that are the same alone and with a class: the question, the way on, what to take away."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.texts.i18n import t
from app.views.lessons.lesson_now import STAGES, LessonNow
from app.views.lessons.link import LESSON, PLAN
from app.views.lessons.place import Place
from app.views.lessons.room_end import render_rooms


def render_asks(lesson: LessonNow, place: Place, may_open_room: bool) -> DeltaGenerator:
    """The question, and a container next to it, so that the next button is visible whatever the figure's height."""
    row = st.container(horizontal=True, vertical_alignment="center", key="lessons.asks")
    is_asked = lesson.stage.value == STAGES[0]
    # Large while it is open; next to the figures it is only a reminder.
    (row.header if is_asked else row.subheader)(lesson.said("question"), anchor=False, width="stretch")
    if is_asked and may_open_room:  # later a figure fills the screen
        with row:
            render_rooms(PLAN.value, lesson.id)
    if is_asked:
        st.caption(f"{place.clock()} — {t('lessons.goal')}: {lesson.said('goal')}")
    return row


def stage_button(lesson: LessonNow, name: str, stage: str, icon: str, kind: Any = "secondary") -> None:
    """A button that leads to another stage."""
    st.button(
        t(f"lessons.{name}"), key=f"lessons.{name}", type=kind, icon=icon, on_click=lesson.stage.set, args=(stage,)
    )


def understand_button(lesson: LessonNow) -> None:
    """From the reveal to what it means."""
    stage_button(lesson, "understand", "understand", ":material/lightbulb:", "primary")


def back_to_reveal_button(lesson: LessonNow) -> None:
    """And back."""
    stage_button(lesson, "back_to_reveal", "reveal", ":material/arrow_back:")


def next_button(place: Place) -> None:
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
        st.markdown(lesson.said(name))
    st.markdown(f"**{t('lessons.deeper')}**")
    with st.container(horizontal=True, key="lessons.deeper"):
        for page in lesson.lesson.deeper:
            st.page_link(f"views/{page}/page.py", label=t(f"frame.page.{page}"))
