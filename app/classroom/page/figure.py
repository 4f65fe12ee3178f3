"""One question of a class alone, for a course page: `/lessons?lesson=bpe&figure=question&embed=true`."""

import streamlit as st

from app.classroom.lessons import LESSONS
from app.classroom.page.class_view import render_given
from app.classroom.page.link import LESSON, PLAN
from app.classroom.page.question import answer_text, answer_value, is_answered, render_question
from app.classroom.questions.cuts import Cuts
from app.classroom.room.posed_question import PosedQuestion, asked_own, posed_question, step_of
from app.classroom.store.records import Room, RoomState
from app.classroom.stored_plans import find_plan
from app.session.figure import refuse
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.errors import InputError

_ANSWERED = UrlValue("answered", "lessons.alone.answered", one_of(("true",)), str, "")


def render_question_figure() -> None:
    """The question of the link with its control and, once it is answered and asked for, the right answer."""
    found = _question_of(PLAN.adopt(), LESSON.adopt())
    if found is None:
        refuse()
    _ANSWERED.adopt()
    question = found.question
    guess = answer_value("guess", "lessons.alone.guess", question)
    guess.adopt()
    st.subheader(plain(found.prompt), anchor=False)
    render_given(found)
    render_question(question, guess, found.prompt, found.named)
    guess.publish(guess.value)
    if not is_answered(question, guess):
        st.caption(t("lessons.answer_first"))
        return
    right = found.gold if isinstance(question, Cuts) else question.solution
    if right is None:
        return
    if not _ANSWERED.value:
        icon = ":material/visibility:"
        st.button(t("lessons.reveal"), key="lessons.alone.reveal", icon=icon, on_click=_ANSWERED.set, args=("true",))
        return
    said = (("you", guess.value), ("right", right))
    parts = (f"**{t(f'lessons.{name}')}**: {answer_text(question, answer, found.named)}" for name, answer in said)
    st.markdown(" &ensp;·&ensp; ".join(parts))


def _question_of(plan: str, name: str) -> PosedQuestion | None:
    if name in LESSONS:
        return posed_question(Room("", "", language(), step_of(name, language()), True, 0, RoomState(), 0, 0))
    try:
        step = find_plan(plan).by_name.get(name)
    except InputError:
        return None
    return None if step is None or step.own is None else asked_own(step.own, language())
