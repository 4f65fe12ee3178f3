"""Class: ten lessons, each first asked, then shown in a live view, then understood; one screen per step.

In the URL: `plan`, `lesson`, `guess` (the prediction), `stage` (one of STAGES), `reply` (to the check), and `room`: in
a room the class answers on its phones, and its answer takes the place of the visitor's prediction. `notes=true` is
the lecturer's second window, which is not projected; in a room the windows stay in sync.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.lessons.questions import Cuts, Question
from app.parts.layout import lone_picture
from app.parts.projector import PROJECTOR
from app.server.room.asked import Asked, asked
from app.server.store.store import Room
from app.session.url import UrlValue, one_of
from app.texts.catalogue import catalogue
from app.texts.i18n import language, page_address, t
from app.texts.lessons import LESSONS, PLANS, Lesson, asked_in
from app.views.lessons.class_view import (
    NARROW,
    answers_of,
    class_says,
    heat_rows,
    render_agreement,
    render_answers,
    render_own,
    render_waiting,
)
from app.views.lessons.counting import has_public, pays_model, render_bytes, render_pays, render_thunder
from app.views.lessons.counting import render_words as render_unknown
from app.views.lessons.cutting import render_boundaries, render_sentence, render_tokens
from app.views.lessons.question import Named, answer_text, answer_value, is_answered, render_question
from app.views.lessons.room import (
    ROOM,
    beside_the_code,
    current_room,
    is_news,
    lead,
    note_seen,
    render_bar,
    render_ending,
    render_rooms,
    reopen_button,
    reveal_button,
)
from app.views.lessons.toys import (
    render_bpe,
    render_em,
    render_tokens_of,
    render_unigram,
    render_wordpiece,
    render_words,
)

STAGES = ("predict", "reveal", "understand")

# What is shown with the question, and what answers it. The answer is not computed before there is a prediction.
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

_PLAN = UrlValue("plan", "lessons.plan", one_of(PLANS), str, "50")
_LESSON = UrlValue("lesson", "lessons.lesson", one_of(LESSONS), str, "tokens")
_NOTES = UrlValue("notes", "lessons.notes", one_of(("true",)), str, "")


def _stage(lesson: Lesson) -> UrlValue[str]:
    return UrlValue("stage", f"lessons.stage.{language()}.{lesson.id}", one_of(STAGES), str, STAGES[0])


def _guess(lesson: Lesson, question: Question[Any]) -> UrlValue[Any]:
    return answer_value("guess", f"lessons.guess.{language()}.{lesson.id}", question)


def _named(lesson: Lesson) -> Named:
    """Texts of the options without a label."""
    prefix = f"lesson.{lesson.id}.option."
    return {key.removeprefix(prefix): t(key) for key in catalogue() if key.startswith(prefix)}


def _said(lesson: Lesson, what: str) -> str:
    return t(f"lesson.{lesson.id}.{what}", model=pays_model())


def _is_notes_window() -> bool:
    """Whether this is the lecturer's notes window, which is never projected."""
    return bool(_NOTES.value) and not st.session_state.get(PROJECTOR)


def _notes_address() -> str:
    return page_address(
        "lessons", plan=_PLAN.value, lesson=_LESSON.value, room=ROOM.value, notes="true", lang=language()
    )


def _head(room: Room | None) -> Lesson:
    """Plan and lesson, with buttons for previous and next; follows the room to its lesson."""
    _PLAN.adopt()
    _LESSON.adopt()
    if room is not None and is_news(room):
        _follow(room)
    plan = PLANS[_PLAN.value]
    if _LESSON.value not in plan:
        _LESSON.set(plan[0])
    place = plan.index(_LESSON.value)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lessons.head"):
        st.title(t("lessons.title"), anchor=False)
        minutes = {name: t("lessons.plan_option", minutes=name) for name in PLANS}
        st.segmented_control(
            t("lessons.plan"),
            list(PLANS),
            format_func=minutes.__getitem__,
            key=_PLAN.key,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        entries = {
            id_: t("lessons.entry", number=k, name=t(f"lesson.{id_}.name")) for k, id_ in enumerate(plan, start=1)
        }
        st.selectbox(
            t("lessons.pick"),
            plan,
            format_func=entries.__getitem__,
            key=_LESSON.key,
            label_visibility="collapsed",
            persist_state="session",
        )
        _step_button("previous", place - 1, ":material/arrow_back:")
        _step_button("next", place + 1, ":material/arrow_forward:")
        address = page_address("handout", plan=_PLAN.value, lang=language())
        links = f"[{t('lessons.handout.link')}]({address})"
        if not _is_notes_window():
            links += f" &ensp; [{t('lessons.notes')}]({_notes_address()})"
        st.markdown(links, width="content")
    _PLAN.publish(_PLAN.value)
    _LESSON.publish(_LESSON.value)
    return LESSONS[_LESSON.value]


def _follow(room: Room) -> None:
    """Show what the lecturer's other window shows."""
    plan, lesson, stage = room.state.plan, room.state.lesson, room.state.stage
    if plan in PLANS and lesson in PLANS[plan] and stage in STAGES:
        _PLAN.set(plan)
        _LESSON.set(lesson)
        _stage(LESSONS[lesson]).set(stage)
    note_seen(room)


def _step_button(name: str, place: int, icon: str) -> None:
    plan = PLANS[_PLAN.value]
    is_there = 0 <= place < len(plan)
    st.button(
        "",
        icon=icon,
        key=f"lessons.{name}",
        help=t(f"lessons.{name}"),
        disabled=not is_there,
        on_click=_LESSON.set,
        args=(plan[place] if is_there else "",),
    )


def _clock(lesson: Lesson) -> str:
    """The lesson's time within the class."""
    plan = PLANS[_PLAN.value]
    place = plan.index(lesson.id)
    begin = sum(LESSONS[id_].minutes for id_ in plan[:place])
    return t(
        "lessons.minutes_left",
        number=place + 1,
        total=len(plan),
        minutes=lesson.minutes,
        begin=begin,
        end=begin + lesson.minutes,
    )


def _verdict(question: Question[Any], answer: Any) -> str:
    score = question.score(answer)
    if score is None:
        return ""
    return t(f"lessons.verdict.{'right' if score == 1 else 'partly' if score > 0 else 'wrong'}")


def _right(question: Question[Any], named: Named) -> str:
    """The right answer, if there is one."""
    return "" if question.solution is None else answer_text(question, question.solution, named)


def _render_prediction(question: Question[Any], answer: Any, named: Named) -> None:
    """The prediction next to the computed answer."""
    parts = [f"**{t('lessons.you')}**: {answer_text(question, answer, named)}"]
    if right := _right(question, named):
        parts += [f"**{t('lessons.right')}**: {right}", _verdict(question, answer)]
    st.markdown(" &ensp;·&ensp; ".join(parts))


def _asks(lesson: Lesson, stage: str, may_open_room: bool) -> DeltaGenerator:
    """The question, and a container next to it, so that the next button is visible whatever the figure's height."""
    row = st.container(horizontal=True, vertical_alignment="center", key="lessons.asks")
    # Large while it is open; next to the figures it is only a reminder.
    (row.header if stage == "predict" else row.subheader)(_said(lesson, "question"), anchor=False, width="stretch")
    if may_open_room and stage == "predict":  # later a figure fills the screen
        with row:
            render_rooms(_PLAN.value, lesson.id)
    return row


def _predict(lesson: Lesson, question: Question[Any], guess: UrlValue[Any]) -> None:
    if lesson.id in _MATERIAL:
        _MATERIAL[lesson.id](lesson, question)
    render_question(question, guess, _said(lesson, "question"), _named(lesson))
    guess.publish(guess.value)
    if lesson.id not in _REVEALS:
        _summary()
        return
    is_ready = is_answered(question, guess)
    st.button(
        t("lessons.reveal"),
        key="lessons.reveal",
        type="primary",
        icon=":material/visibility:",
        disabled=not is_ready,
        on_click=_stage(lesson).set,
        args=("reveal",),
    )
    if not is_ready:
        st.caption(t("lessons.answer_first"))


def _reveal(lesson: Lesson, question: Question[Any], guess: UrlValue[Any], row: DeltaGenerator) -> None:
    guess.publish(guess.value)
    with row:
        _stage_button(lesson, "back_to_predict", "predict", ":material/replay:")
        _stage_button(lesson, "understand", "understand", ":material/lightbulb:", "primary")
    _render_prediction(question, guess.value, _named(lesson))
    _REVEALS[lesson.id](lesson, question, guess.value)


def _stage_button(lesson: Lesson, name: str, stage: str, icon: str, kind: Any = "secondary") -> None:
    st.button(
        t(f"lessons.{name}"), key=f"lessons.{name}", type=kind, icon=icon, on_click=_stage(lesson).set, args=(stage,)
    )


def _understand(lesson: Lesson, check: Question[Any], guess: UrlValue[Any]) -> None:
    guess.publish(guess.value)
    left, right = st.columns(2, gap="large")
    with left:
        _takeaways(lesson)
    with right, st.container(border=True, key="lessons.check"):
        _check(lesson, check)
    with st.container(horizontal=True, key="lessons.steps"):
        _stage_button(lesson, "back_to_reveal", "reveal", ":material/arrow_back:")
        _next_button(lesson)


def _takeaways(lesson: Lesson) -> None:
    st.markdown(f"**{t('lessons.surprise')}**")
    st.markdown(_said(lesson, "surprise"))
    st.markdown(f"**{t('lessons.take')}**")
    st.markdown(_said(lesson, "take"))
    st.markdown(f"**{t('lessons.deeper')}**")
    with st.container(horizontal=True, key="lessons.deeper"):
        for page in lesson.deeper:
            st.page_link(f"views/{page}/page.py", label=t(f"frame.page.{page}"))


def _next_button(lesson: Lesson) -> None:
    plan = PLANS[_PLAN.value]
    place = plan.index(lesson.id) + 1
    if place < len(plan):
        st.button(
            t("lessons.next"),
            key="lessons.go_on",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=_LESSON.set,
            args=(plan[place],),
        )


def _check(lesson: Lesson, check: Question[Any]) -> None:
    reply = answer_value("reply", f"lessons.reply.{language()}.{lesson.id}", check)
    reply.adopt()
    st.markdown(f"**{t('lessons.check')}**")
    st.markdown(_said(lesson, "check"))
    render_question(check, reply, _said(lesson, "check"), _named(lesson))
    reply.publish(reply.value)
    if is_answered(check, reply):
        st.markdown(f"**{_verdict(check, reply.value)}** {_said(lesson, 'why')}")


def _summary() -> None:
    """The predictions made in the class."""
    rows = []
    for id_ in PLANS[_PLAN.value]:
        lesson = LESSONS[id_]
        question, _ = asked_in(lesson, language(), has_public())
        guess = _guess(lesson, question)
        if id_ in _REVEALS and is_answered(question, guess) and _stage(lesson).value != STAGES[0]:
            named = _named(lesson)
            rows.append((t(f"lesson.{id_}.name"), answer_text(question, guess.value, named), _right(question, named)))
    st.markdown(f"**{t('lessons.summary')}**")
    if not rows:
        st.caption(t("lessons.summary_none"))
        return
    names = (t("lessons.summary_lesson"), t("lessons.you"), t("lessons.right"))
    st.table(pd.DataFrame(rows, columns=list(names)).set_index(names[0]))


def _alone(
    lesson: Lesson, question: Question[Any], check: Question[Any] | None, guess: UrlValue[Any], row: DeltaGenerator
) -> None:
    if _stage(lesson).value == "predict" or check is None:
        _predict(lesson, question, guess)
    elif _stage(lesson).value == "reveal":
        _reveal(lesson, question, guess, row)
    else:
        _understand(lesson, check, guess)


def _with_class(room: Room, lesson: Lesson, asked: Asked, row: DeltaGenerator) -> None:
    """The same three stages, answered on phones."""
    stage, show_answers = _stage(lesson).value, _is_notes_window()
    answers = answers_of(room)
    if stage == "predict":
        _ask_class(room, lesson, asked, show_answers, row)
    elif stage == "reveal":
        with row:
            _stage_button(lesson, "understand", "understand", ":material/lightbulb:", "primary")
            reopen_button(room, lambda: _stage(lesson).set("predict"))
        said = class_says(asked, answers)
        if lesson.id == "tokens" and isinstance(asked.question, Cuts):  # one board for all cuts
            render_sentence(asked.question, said, asked.gold, heat_rows(asked, answers))
            left = st.container()
        else:
            left, right = _class_and_figure(lesson)
            with left:
                render_answers(room, asked, answers, NARROW)
            with right:
                _REVEALS[lesson.id](lesson, asked.question, said)
        with left:
            render_agreement(room, asked, answers)
    else:
        left, right = st.columns(2, gap="large")
        with left:
            _takeaways(lesson)
        with right, st.container(border=True, key="lessons.check"):
            st.markdown(f"**{t('lessons.check')}**")
            st.markdown(_said(lesson, "check"))
            if room.is_open:
                render_waiting(room, asked, show_answers)
                reveal_button(room)
            else:
                render_answers(room, asked, answers)
                st.markdown(_said(lesson, "why"))
        with st.container(horizontal=True, key="lessons.steps"):
            _stage_button(lesson, "back_to_reveal", "reveal", ":material/arrow_back:")
            if not room.is_open:
                reopen_button(room)
            _next_button(lesson)


def _class_and_figure(lesson: Lesson) -> Sequence[DeltaGenerator]:
    """Containers for the class' answers and for the figure: side by side, unless both are as wide as a sentence."""
    return (st.container(), st.container()) if lesson.id == "boundaries" else st.columns([1, 3], gap="medium")


def _ask_class(room: Room, lesson: Lesson, asked: Asked, show_answers: bool, row: DeltaGenerator) -> None:
    if not room.is_open and lesson.id not in _REVEALS:
        with row:
            reopen_button(room)
        render_answers(room, asked, answers_of(room))
        return
    with beside_the_code(room):
        if lesson.id in _MATERIAL:
            _MATERIAL[lesson.id](lesson, asked.question)
        if lesson.id in _REVEALS:
            _stage_button(lesson, "reveal", "reveal", ":material/visibility:", "primary")
        else:
            reveal_button(room)
        render_waiting(room, asked, show_answers)


_NOTES.publish(_NOTES.adopt())
room = current_room()
lesson = _head(room)
question, check = asked_in(lesson, language(), has_public())
guess, stage = _guess(lesson, question), _stage(lesson)
guess.adopt()
stage.adopt()
if lesson.id not in _REVEALS or (room is None and not is_answered(question, guess)):
    stage.set(STAGES[0])
if room is not None:
    room = lead(room, _PLAN.value, lesson.id, stage.value)
    render_bar(room)
render_ending()
if _is_notes_window():
    with st.container(border=True, key="lessons.notes_box"):
        st.markdown(f"**{t('lessons.notes_head')}**")
        st.markdown(_said(lesson, "notes"))
now = None if room is None else asked(room)
with lone_picture():
    if room is not None and now is not None and room.state.own:
        render_own(room, now, _is_notes_window())
    else:
        row = _asks(lesson, stage.value, room is None)
        if stage.value == "predict":
            st.caption(f"{_clock(lesson)} — {t('lessons.goal')}: {_said(lesson, 'goal')}")
        if room is not None and now is not None:
            _with_class(room, lesson, now, row)
        else:
            _alone(lesson, question, check, guess, row)
stage.publish(stage.value)
