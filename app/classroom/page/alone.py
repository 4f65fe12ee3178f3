"""A step of the plan for who works alone, and their progress, which the browser keeps; or one question in a page.

For a course page: `/lessons?lesson=bpe&figure=question&embed=true`.
"""

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.classroom.lessons import LESSONS
from app.classroom.own_question import OwnQuestion
from app.classroom.page.class_view import render_given
from app.classroom.page.lesson_now import STAGES, LessonNow, lesson_now, stage_of
from app.classroom.page.link import LESSON, PLAN, PlanPlace
from app.classroom.page.question import answer_text, answer_value, is_answered, render_question
from app.classroom.page.room import asks_row
from app.classroom.page.room_end import render_rooms
from app.classroom.page.stages import (
    back_to_reveal_button,
    check_box,
    is_revealed,
    next_button,
    render_material,
    render_reveal,
    render_takeaways,
    stage_button,
    steps_row,
    understand_button,
)
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.question import Named, Question
from app.classroom.room.posed_question import PosedQuestion, asked_own, posed_question, step_of
from app.classroom.store.records import Room, RoomState
from app.classroom.stored_plans import find_plan
from app.components.browser import Progress, keep_progress
from app.parts.choices import action_button
from app.session.figure import refuse
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, t
from app.texts.plain import plain, unmarked
from engine.errors import InputError


def render_alone(lesson: LessonNow, place: PlanPlace, row: DeltaGenerator) -> None:
    """The lesson's stage; `row` is next to its question."""
    if lesson.stage.value == "predict" or lesson.check is None:
        _predict(lesson, place, row)
    elif lesson.stage.value == "reveal":
        _reveal(lesson, row)
    else:
        _understand(lesson, place)


def _predict(lesson: LessonNow, place: PlanPlace, row: DeltaGenerator) -> None:
    render_material(lesson)
    guess = lesson.guess
    render_question(lesson.question, guess, unmarked(lesson.text("question")), lesson.named)
    guess.publish(guess.value)
    if not is_revealed(lesson):
        _summary(place)
        return
    with row:
        _reveal_button(lesson.stage, lesson.is_answered)
    if not lesson.is_answered:
        st.caption(t("lessons.answer_first"))


def _reveal_button(stage: UrlValue[str], is_answered: bool) -> None:
    icon = ":material/visibility:"
    action_button(t("lessons.reveal"), "lessons.reveal", icon, stage.set, "reveal", is_main=True, is_on=is_answered)


def _reveal(lesson: LessonNow, row: DeltaGenerator) -> None:
    guess = lesson.guess
    guess.publish(guess.value)
    with row:
        stage_button(lesson, "back_to_predict", "predict", ":material/replay:")
        understand_button(lesson)
    _render_prediction(lesson.question, guess.value, lesson.named)
    render_reveal(lesson, guess.value)


def _understand(lesson: LessonNow, place: PlanPlace) -> None:
    lesson.guess.publish(lesson.guess.value)
    left, right = st.columns(2, gap="large")
    with left:
        render_takeaways(lesson)
    with right, check_box():
        _check(lesson)
    with steps_row():
        back_to_reveal_button(lesson)
        next_button(place)


def _check(lesson: LessonNow) -> None:
    check, reply = lesson.check, lesson.reply
    assert check is not None and reply is not None
    reply.adopt()
    st.markdown(f"**{t('lessons.check')}**")
    st.markdown(lesson.text("check"))
    render_question(check, reply, unmarked(lesson.text("check")), lesson.named)
    reply.publish(reply.value)
    if is_answered(check, reply):
        st.markdown(f"**{_verdict(check, reply.value)}** {lesson.text('why')}")


def _verdict(question: Question[Any], answer: Any) -> str:
    score = question.score(answer)
    if score is None:
        return ""
    return t(f"lessons.verdict.{'right' if score == 1 else 'partly' if score > 0 else 'wrong'}")


def _right(question: Question[Any], named: Named) -> str:
    return "" if question.solution is None else answer_text(question, question.solution, named)


def _render_prediction(question: Question[Any], answer: Any, named: Named) -> None:
    parts = [f"**{t('lessons.you')}**: {answer_text(question, answer, named)}"]
    if right := _right(question, named):
        parts += [f"**{t('lessons.right')}**: {right}", _verdict(question, answer)]
    st.markdown(" &ensp;·&ensp; ".join(parts))


def _summary(place: PlanPlace) -> None:
    rows = []
    for lesson in (lesson_now(name) for name in place.names if name in LESSONS):
        if is_revealed(lesson) and lesson.is_answered and lesson.stage.value != STAGES[0]:
            said = answer_text(lesson.question, lesson.guess.value, lesson.named)
            rows.append((t(f"lesson.{lesson.id}.name"), said, _right(lesson.question, lesson.named)))
    st.markdown(f"**{t('lessons.summary')}**")
    if not rows:
        st.caption(t("lessons.summary_none"))
        return
    names = (t("lessons.summary_lesson"), t("lessons.you"), t("lessons.right"))
    st.table(pd.DataFrame(rows, columns=list(names)).set_index(names[0]))


def render_own_alone(own: OwnQuestion, place: PlanPlace) -> None:
    """The plan's own question without a class: asked, then its right answer."""
    asked = asked_own(own, language())
    question = asked.question
    guess = answer_value("guess", f"lessons.guess.{PLAN.value}.{place.name}", question)
    guess.adopt()
    row = asks_row()
    row.header(plain(asked.prompt), anchor=False, width="stretch")
    with row:
        render_rooms(PLAN.value, place.name)
    st.caption(place.clock())
    render_given(asked)
    render_question(question, guess, asked.prompt, {})
    guess.publish(guess.value)
    stage = stage_of(place.name)
    is_given = is_answered(question, guess)
    if stage.value == STAGES[0] or not is_given:
        with row:
            _reveal_button(stage, is_given)
    else:
        _render_prediction(question, guess.value, {})
        next_button(place)


# ---- progress


def keep_alone(lesson: LessonNow) -> None:
    """Keep what a student who works alone has answered, in the browser; the last visit's answers come back."""
    answers = {name: value.encode(value.value) for name, value in _values(lesson).items() if value.value is not None}
    kept = {name: text for name, text in answers.items() if text} if lesson.guess.value is not None else {}
    with st.sidebar:  # it draws nothing, and takes no place there
        keep_progress(f"{language()}.{lesson.id}", kept, _take_progress)


def _values(lesson: LessonNow) -> dict[str, UrlValue[Any]]:
    values = {"guess": lesson.guess, "stage": lesson.stage}
    return values if lesson.reply is None else values | {"reply": lesson.reply}


def _take_progress(kept: Progress) -> None:
    for name, answers in kept.items():
        of, _, id_ = name.partition(".")
        if of != language() or id_ not in LESSONS:
            continue
        values = _values(lesson_now(id_))
        if values["guess"].value is not None:  # a link, or this visit, says something else
            continue
        for part, value in values.items():
            found = value.decode(answers.get(part, ""))
            if found is not None:
                value.set(found)


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
