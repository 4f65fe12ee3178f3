"""The lecturer's second window, which is never projected: notes, what comes next, the time, and the answers so far."""

import streamlit as st

from app.classroom.page.class_view import render_so_far
from app.classroom.page.lesson_now import LessonNow
from app.classroom.page.link import PLAN, PlanPlace
from app.classroom.page.plan_editor import step_text
from app.classroom.page.room import ROOM
from app.classroom.store.records import Room
from app.parts.projector import PROJECTOR
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, page_address, t
from app.texts.plain import plain

NOTES = UrlValue("notes", "lessons.notes", one_of(("true",)), str, "")


def is_notes_window() -> bool:
    return bool(NOTES.value) and not st.session_state.get(PROJECTOR)


def notes_address(place: PlanPlace) -> str:
    """The address of that window, for this step."""
    return page_address("lessons", plan=PLAN.value, lesson=place.name, room=ROOM.value, notes="true", lang=language())


def render_notes(place: PlanPlace, lesson: LessonNow | None, room: Room | None) -> None:
    """The notes, what comes next, and in a room the time and the answers so far."""
    with st.container(border=True, key="lessons.notes_box"):
        st.markdown(f"**{t('lessons.notes_head')}**")
        if place.step.notes:
            st.markdown(plain(place.step.notes))
        if lesson is not None:
            st.markdown(lesson.text("notes"))
        if place.following:
            following = place.plan.by_name[place.following]
            st.markdown(t("lessons.then", name=step_text(following, language()), minutes=following.minutes))
        if room is not None:
            render_so_far(room, place.clock())
