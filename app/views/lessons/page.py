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

from app.components.progress.widget import Progress, keep_progress
from app.lessons.own_question import OwnQuestion
from app.lessons.plan import Plan
from app.lessons.questions import Cuts, Question
from app.parts.layout import lone_picture
from app.parts.problem import reason
from app.parts.projector import PROJECTOR
from app.server.kept_plans import DEFAULT_PLAN, find_plan, plan_name, plan_title
from app.server.room.asked import Asked, asked, own_of, own_prompt
from app.server.store.store import Room
from app.session.url import UrlValue, one_of
from app.texts.catalogue import catalogue
from app.texts.i18n import language, page_address, t
from app.texts.lessons import LESSONS, PLANS, Lesson, asked_in
from app.texts.plain import plain
from app.views.lessons.class_view import (
    NARROW,
    answers_of,
    class_says,
    heat_rows,
    render_agreement,
    render_answers,
    render_own,
    render_so_far,
    render_waiting,
)
from app.views.lessons.counting import has_public, pays_model, render_bytes, render_pays, render_thunder
from app.views.lessons.counting import render_words as render_unknown
from app.views.lessons.cutting import render_boundaries, render_sentence, render_tokens
from app.views.lessons.link import LESSON, PLAN, step_name
from app.views.lessons.plan_editor import render_plan_editor, step_text
from app.views.lessons.question import Named, answer_text, answer_value, is_answered, render_question
from app.views.lessons.room import ROOM, current_room, is_news, lead, note_seen, reopen_button, reveal_button
from app.views.lessons.room_bar import beside_the_code, render_bar
from app.views.lessons.room_end import render_ending, render_rooms
from app.views.lessons.toys import (
    render_bpe,
    render_em,
    render_tokens_of,
    render_unigram,
    render_wordpiece,
    render_words,
)
from engine.errors import InputError

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


_NOTES = UrlValue("notes", "lessons.notes", one_of(("true",)), str, "")


def _stage_of(name: str) -> UrlValue[str]:
    return UrlValue("stage", f"lessons.stage.{language()}.{name}", one_of(STAGES), str, STAGES[0])


def _stage(lesson: Lesson) -> UrlValue[str]:
    return _stage_of(lesson.id)


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
    return page_address("lessons", plan=PLAN.value, lesson=LESSON.value, room=ROOM.value, notes="true", lang=language())


def _chosen_plan(room: Room | None) -> Plan:
    """The plan of the link, or of the room's other window; with a warning, the usual one if it cannot be opened."""
    PLAN.adopt()
    LESSON.adopt()
    if room is not None and is_news(room):
        _follow(room)
    try:
        return find_plan(PLAN.value)
    except InputError as error:
        st.warning(plain(reason(error)), icon=":material/link_off:")
        PLAN.set(DEFAULT_PLAN)
        return find_plan(DEFAULT_PLAN)


def _head() -> None:
    """Plan and step, with buttons for previous and next."""
    names = list(plan.by_name)
    if LESSON.value not in names:
        LESSON.set(names[0])
    place = names.index(LESSON.value)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lessons.head"):
        st.title(t("lessons.title"), anchor=False)
        titles = {name: plain(plan_title(known, language())) for name, known in {**PLANS, PLAN.value: plan}.items()}
        st.segmented_control(
            t("lessons.plan"),
            list(titles),
            format_func=titles.__getitem__,
            key=PLAN.key,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        entries = {
            name: t("lessons.entry", number=k, name=step_text(step, language())) + (" ✓" if _is_done(name) else "")
            for k, (name, step) in enumerate(plan.by_name.items(), start=1)
        }
        # A tick of the room's count may bring a value that the browser had before a button changed the lesson. Under a
        # name of its own for every lesson it changes nothing.
        picker = f"lessons.pick.{LESSON.value}"
        st.session_state[picker] = LESSON.value
        st.selectbox(
            t("lessons.pick"),
            names,
            format_func=entries.__getitem__,
            key=picker,
            label_visibility="collapsed",
            on_change=_pick,
            args=(picker, LESSON.value),
        )
        _step_button("previous", place - 1, ":material/arrow_back:")
        _step_button("next", place + 1, ":material/arrow_forward:")
        address = page_address("handout", plan=PLAN.value, lang=language())
        links = f"[{t('lessons.handout.link')}]({address})"
        if not _is_notes_window():
            links += f" &ensp; [{t('lessons.notes')}]({_notes_address()})"
        st.markdown(links, width="content")
    PLAN.publish(PLAN.value)
    LESSON.publish(LESSON.value)


def _is_done(name: str) -> bool:
    """Whether a student has come to the end of a lesson."""
    return name in LESSONS and _stage(LESSONS[name]).value == STAGES[-1]


def _pick(picker: str, drawn: str) -> None:
    if st.session_state[picker] != drawn:
        LESSON.set(st.session_state[picker])


def _follow(room: Room) -> None:
    """Show what the lecturer's other window shows."""
    name, lesson, stage = plan_name(room.state.plan), step_name(room.state.lesson), room.state.stage
    if name and lesson and stage in STAGES:
        PLAN.set(name)
        LESSON.set(lesson)
        _stage_of(lesson).set(stage)
    note_seen(room)


def _step_button(name: str, place: int, icon: str) -> None:
    names = list(plan.by_name)
    is_there = 0 <= place < len(names)
    st.button(
        "",
        icon=icon,
        key=f"lessons.{name}",
        help=t(f"lessons.{name}"),
        disabled=not is_there,
        on_click=LESSON.set,
        args=(names[place] if is_there else "",),
    )


def _clock() -> str:
    """The step's time within the class."""
    place = list(plan.by_name).index(LESSON.value)
    begin = sum(earlier.minutes for earlier in plan.steps[:place])
    return t(
        "lessons.minutes_left",
        number=place + 1,
        total=len(plan.steps),
        minutes=step.minutes,
        begin=begin,
        end=begin + step.minutes,
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
            render_rooms(PLAN.value, lesson.id)
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
    names = list(plan.by_name)
    place = names.index(lesson.id) + 1
    if place < len(names):
        st.button(
            t("lessons.next"),
            key="lessons.go_on",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=LESSON.set,
            args=(names[place],),
        )


def _check(lesson: Lesson, check: Question[Any]) -> None:
    reply = _reply(lesson, check)
    reply.adopt()
    st.markdown(f"**{t('lessons.check')}**")
    st.markdown(_said(lesson, "check"))
    render_question(check, reply, _said(lesson, "check"), _named(lesson))
    reply.publish(reply.value)
    if is_answered(check, reply):
        st.markdown(f"**{_verdict(check, reply.value)}** {_said(lesson, 'why')}")


def _reply(lesson: Lesson, check: Question[Any]) -> UrlValue[Any]:
    return answer_value("reply", f"lessons.reply.{language()}.{lesson.id}", check)


def _values(lesson: Lesson) -> dict[str, UrlValue[Any]]:
    """What a student's progress in a lesson consists of."""
    question, check = asked_in(lesson, language(), has_public())
    values = {"guess": _guess(lesson, question), "stage": _stage(lesson)}
    return values if check is None else values | {"reply": _reply(lesson, check)}


def _keep_progress() -> None:
    """Keep what a student who works alone has answered, in the browser; the last visit's answers come back."""
    answers = {name: value.encode(value.value) for name, value in _values(lesson).items() if value.value is not None}
    kept = {name: text for name, text in answers.items() if text} if guess.value is not None else {}
    with st.sidebar:  # it draws nothing, and takes no place there
        keep_progress(f"{language()}.{lesson.id}", kept, _take_progress)


def _take_progress(kept: Progress) -> None:
    for name, answers in kept.items():
        of, _, id_ = name.partition(".")
        if of != language() or id_ not in LESSONS:
            continue
        values = _values(LESSONS[id_])
        if values["guess"].value is not None:  # a link, or this visit, says something else
            continue
        for part, value in values.items():
            found = value.decode(answers.get(part, ""))
            if found is not None:
                value.set(found)


def _summary() -> None:
    """The predictions made in the class."""
    rows = []
    for id_ in plan.by_name:
        if id_ not in LESSONS:
            continue
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
    stage = _stage(lesson).value
    answers = answers_of(room)
    if stage == "predict":
        _ask_class(room, lesson, asked, row)
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
            render_agreement(asked, answers, _is_scored())
    else:
        left, right = st.columns(2, gap="large")
        with left:
            _takeaways(lesson)
        with right, st.container(border=True, key="lessons.check"):
            st.markdown(f"**{t('lessons.check')}**")
            st.markdown(_said(lesson, "check"))
            if room.is_open:
                render_waiting(asked)
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


def _ask_class(room: Room, lesson: Lesson, asked: Asked, row: DeltaGenerator) -> None:
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
        render_waiting(asked)


def _own_alone(own: OwnQuestion) -> None:
    """The plan's own question without a class: asked, then its right answer."""
    question = own.question
    guess = answer_value("guess", f"lessons.guess.{PLAN.value}.{LESSON.value}", question)
    guess.adopt()
    prompt = own_prompt(own, language())
    row = st.container(horizontal=True, vertical_alignment="center", key="lessons.asks")
    row.header(plain(prompt), anchor=False, width="stretch")
    with row:
        render_rooms(PLAN.value, LESSON.value)
    st.caption(_clock())
    render_question(question, guess, prompt, {})
    guess.publish(guess.value)
    stage = _stage_of(LESSON.value)
    if not is_answered(question, guess):
        st.caption(t("lessons.answer_first"))
    elif stage.value == STAGES[0]:
        icon = ":material/visibility:"
        st.button(t("lessons.reveal"), key="lessons.reveal", icon=icon, on_click=stage.set, args=("reveal",))
    else:
        _render_prediction(question, guess.value, {})


def _lesson_picture(room: Room | None, now: Asked | None) -> None:
    """The lesson's stage, alone or with the class."""
    row = _asks(lesson, stage.value, room is None)
    if stage.value == "predict":
        st.caption(f"{_clock()} — {t('lessons.goal')}: {_said(lesson, 'goal')}")
    if room is not None and now is not None:
        _with_class(room, lesson, now, row)
    else:
        _alone(lesson, question, check, guess, row)


def _is_scored() -> bool:
    """From the fourth step of a plan on, a class is shown scores such as F1, each briefly explained."""
    return list(plan.by_name).index(LESSON.value) >= 3


def _render_notes() -> None:
    """What must not be projected: the notes, what comes next, and in a room the time and the answers so far."""
    with st.container(border=True, key="lessons.notes_box"):
        st.markdown(f"**{t('lessons.notes_head')}**")
        if step.notes:
            st.markdown(plain(step.notes))
        if step.lesson:
            st.markdown(_said(lesson, "notes"))
        following = plan.steps[list(plan.by_name).index(LESSON.value) + 1 :]
        if following:
            said = step_text(following[0], language())
            st.markdown(t("lessons.then", name=said, minutes=following[0].minutes))
        if room is not None:
            render_so_far(room, _clock())


_NOTES.publish(_NOTES.adopt())
room = current_room()
plan = _chosen_plan(room)
_head()
step = plan.by_name[LESSON.value]
stage = _stage_of(LESSON.value)
stage.adopt()
if step.lesson:
    lesson = LESSONS[step.lesson]
    question, check = asked_in(lesson, language(), has_public())
    guess = _guess(lesson, question)
    guess.adopt()
    if lesson.id not in _REVEALS or (room is None and not is_answered(question, guess)):
        stage.set(STAGES[0])
if room is not None:
    shown = stage.value if step.lesson else STAGES[0]
    room = lead(room, PLAN.value, LESSON.value, shown, step.own)
    render_bar(room)
render_ending()
if _is_notes_window():
    _render_notes()
now = None if room is None else asked(room)
with lone_picture():
    if room is not None and now is not None and room.state.own:
        render_own(room, now, own_of(room) == step.own, _is_scored())
    elif step.own is not None:
        _own_alone(step.own)
    else:
        _lesson_picture(room, now)
stage.publish(stage.value)
if room is None and step.lesson:
    _keep_progress()
# A plan is edited before it begins; the other screens of a class have no room for it.
if room is None and step == plan.steps[0] and stage.value == STAGES[0] and not st.session_state.get(PROJECTOR):
    render_plan_editor(plan, PLAN)
