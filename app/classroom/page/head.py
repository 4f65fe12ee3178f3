"""The head of the page Class: the plan, its steps, the link to the handout, and the window with the notes."""

import streamlit as st

from app.classroom.lessons import LESSONS, PLANS
from app.classroom.page.class_view import render_so_far
from app.classroom.page.lesson_now import STAGES, LessonNow, stage_of
from app.classroom.page.link import LESSON, PLAN, PlanPlace, step_name
from app.classroom.page.plan_editor import step_text
from app.classroom.page.room import ROOM, is_news, note_seen
from app.classroom.plan import Plan
from app.classroom.store.records import Room
from app.classroom.stored_plans import DEFAULT_PLAN, find_plan, plan_name, plan_title
from app.parts.problem import reason
from app.parts.projector import is_projected
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, page_address, t
from app.texts.plain import plain
from engine.errors import InputError

NOTES = UrlValue("notes", "lessons.notes", one_of(("true",)), str, "")


def is_notes_window() -> bool:
    return bool(NOTES.value) and not is_projected()


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


def chosen_place(room: Room | None) -> PlanPlace:
    """The plan and step of the link, or of the room's other window; with a warning, the usual plan if none opens."""
    PLAN.adopt()
    LESSON.adopt()
    if room is not None and is_news(room):
        _follow(room)
    plan = _plan()
    names = list(plan.by_name)
    if LESSON.value not in names:
        LESSON.set(names[0])
    return PlanPlace(plan, LESSON.value)


def _follow(room: Room) -> None:
    name, lesson, stage = plan_name(room.state.plan), step_name(room.state.lesson), room.state.stage
    if name and lesson and stage in STAGES:
        PLAN.set(name)
        LESSON.set(lesson)
        stage_of(lesson).set(stage)
    note_seen(room)


def _plan() -> Plan:
    try:
        return find_plan(PLAN.value)
    except InputError as error:
        st.warning(plain(reason(error)), icon=":material/link_off:")
        PLAN.set(DEFAULT_PLAN)
        return find_plan(DEFAULT_PLAN)


def render_head(place: PlanPlace) -> None:
    """Plan and step, with buttons for previous and next."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lessons.head"):
        st.title(t("lessons.title"), anchor=False, width="content")
        titles = {name: plain(plan_title(one, language())) for name, one in {**PLANS, PLAN.value: place.plan}.items()}
        st.segmented_control(
            t("lessons.plan"),
            list(titles),
            format_func=titles.__getitem__,
            key=PLAN.key,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        _step_picker(place)
        _step_button("lessons.previous", place.near(-1), ":material/arrow_back:")
        _step_button("lessons.next", place.following, ":material/arrow_forward:")
        links = f"[{t('lessons.handout.link')}]({page_address('handout', plan=PLAN.value, lang=language())})"
        if not is_notes_window():
            links += f" &ensp; [{t('lessons.notes')}]({notes_address(place)})"
        st.markdown(links, width="content")
    PLAN.publish(PLAN.value)
    LESSON.publish(LESSON.value)


def _step_picker(place: PlanPlace) -> None:
    done = [name for name in place.names if name in LESSONS and stage_of(name).value == STAGES[-1]]
    entries = {
        name: t("lessons.entry", number=k, name=step_text(step, language())) + (" ✓" if name in done else "")
        for k, (name, step) in enumerate(place.plan.by_name.items(), start=1)
    }
    # A tick of the room's count may bring a value that the browser had before a button changed the lesson, or a label
    # from before its tick mark: Streamlit takes a label that it does not know for the first. Under a name of its own
    # for every lesson and all marks it changes nothing.
    picker = ".".join(("lessons.pick", place.name, *done))
    st.session_state[picker] = place.name
    st.selectbox(
        t("lessons.pick"),
        place.names,
        format_func=entries.__getitem__,
        key=picker,
        label_visibility="collapsed",
        on_change=_pick,
        args=(picker, place.name),
    )


def _pick(picker: str, drawn: str) -> None:
    if st.session_state[picker] != drawn:
        LESSON.set(st.session_state[picker])


def _step_button(key: str, to: str, icon: str) -> None:
    st.button("", icon=icon, key=key, help=t(key), disabled=not to, on_click=LESSON.set, args=(to,))
