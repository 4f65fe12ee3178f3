"""A lesson's stages with a class, which answers on its phones."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.classroom.page.class_view import (
    answers_of,
    class_says,
    heat_rows,
    medians_text,
    render_agreement,
    render_answers,
    render_waiting,
)
from app.classroom.page.cutting import render_sentence
from app.classroom.page.lesson_now import LessonNow
from app.classroom.page.link import PlanPlace
from app.classroom.page.room import reopen_button, reveal_button
from app.classroom.page.room_bar import beside_the_code
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
from app.classroom.questions.numbers import Numbers
from app.classroom.room.posed_question import PosedQuestion
from app.classroom.store.records import Room
from app.texts.i18n import t

# A figure that is more than twice as wide as what the class says: two boards side by side.
_WIDE = {"wordpiece": 5}


def render_with_class(
    room: Room, lesson: LessonNow, asked: PosedQuestion, place: PlanPlace, row: DeltaGenerator
) -> None:
    """The lesson's stage; `row` is next to its question."""
    if lesson.stage.value == "predict":
        _ask(room, lesson, asked, row)
    elif lesson.stage.value == "reveal":
        _reveal(room, lesson, asked, place, row)
    else:
        _understand(room, lesson, asked, place, row)


def _ask(room: Room, lesson: LessonNow, asked: PosedQuestion, row: DeltaGenerator) -> None:
    if not room.is_open and not is_revealed(lesson):
        with row:
            reopen_button(room)
        render_answers(room, asked, answers_of(room))
        return
    with row:
        if is_revealed(lesson):
            stage_button(lesson, "reveal", "reveal", ":material/visibility:", "primary")
        else:
            reveal_button(room)
    with beside_the_code(room):
        render_material(lesson)
        render_waiting(asked)


def _reveal(room: Room, lesson: LessonNow, asked: PosedQuestion, place: PlanPlace, row: DeltaGenerator) -> None:
    """What the class said, and beside it, twice as wide, one figure; a sentence takes all of the width."""
    answers = answers_of(room)
    said = class_says(asked, answers)
    with row:
        understand_button(lesson)
        reopen_button(room, lambda: lesson.stage.set("predict"))
    if lesson.id == "tokens" and isinstance(asked.question, Cuts):  # one board for all cuts
        render_sentence(asked.question, said, asked.gold, heat_rows(asked, answers))
        render_agreement(asked, answers, place.is_scored)
    elif isinstance(asked.question, Numbers) and len(asked.question.labels) > 1:
        st.markdown(medians_text(asked.question, answers))
        render_reveal(lesson, said)
    else:
        left, right = st.columns([1, _WIDE.get(lesson.id, 2)], gap="medium")
        with left:
            render_answers(room, asked, answers)
            render_agreement(asked, answers, place.is_scored)
        with right:
            render_reveal(lesson, said)


def _understand(room: Room, lesson: LessonNow, asked: PosedQuestion, place: PlanPlace, row: DeltaGenerator) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        render_takeaways(lesson)
    with right, check_box():
        st.markdown(f"**{t('lessons.check')}**")
        st.markdown(lesson.text("check"))
        if room.is_open:
            with row:
                reveal_button(room)
            render_waiting(asked)
        else:
            render_answers(room, asked, answers_of(room))
            st.markdown(lesson.text("why"))
    with steps_row():
        back_to_reveal_button(lesson)
        if not room.is_open:
            reopen_button(room)
        next_button(place)
