"""Rooms of the lecturer: opened, entered, used again, ended, and resumed; and their answers as a table."""

import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import streamlit as st

from app.classroom.page.counting import warm_reveals
from app.classroom.page.room import ROOM, clock, room_button, rooms
from app.classroom.room.live import LIVE
from app.classroom.room.posed_question import asked_at
from app.classroom.store.records import Room, RoomState
from app.classroom.store.room_table import RESUME_SECONDS
from app.components.browser import awaited_key
from app.parts.data_table import NO_TEXT, download_csv
from app.parts.problem import attempted
from app.server.background import in_background
from app.server.limits import PREFIX
from app.server.store.store import LibraryError
from app.server.teacher import Door
from app.session import state
from app.texts.i18n import language, t

ROOM_PASSWORD_VARIABLE = f"{PREFIX}ROOM_PASSWORD"
# The room to be ended; the one that was ended, and when.
_ENDING, _ENDED = "lessons.room.ending", "lessons.room.ended"
_PASSWORD, _MAY_OPEN = "lessons.room.password", "lessons.room.may_open"


def render_rooms(plan: str, lesson: str) -> None:
    """Open a room, or enter one of the visitor's own, once the browser has sent its secret."""
    opening: dict[str, Any] = {
        "key": "lessons.room.open",
        "on_click": _open,
        "args": (plan, lesson),
        "disabled": not awaited_key(),
    }
    try:
        owned = rooms().owned(state.owner())
    except LibraryError:
        owned = []
    if _may_open() and not owned:
        st.button(t("room.open"), icon=":material/meeting_room:", **opening)
        return
    with st.popover(t("room.title"), icon=":material/meeting_room:", key=closed_by_ending("lessons.room.rooms")):
        st.markdown(t("room.about"))
        with st.form("lessons.room.opening", border=False):
            if not _may_open():
                st.text_input(t("room.password"), type="password", key=_PASSWORD, autocomplete="off", max_chars=200)
            st.form_submit_button(t("room.open"), type="primary", icon=":material/add:", **opening)
        for room in owned:
            with st.container(horizontal=True, vertical_alignment="center"):
                name = t("room.kept_until") if room.is_kept else f"**{room.code}**"
                st.markdown(f"{name} · {t('room.until', time=clock(room.expires))}", width="stretch")
                if not room.is_kept:
                    st.button(t("room.enter"), key=f"lessons.room.enter.{room.id}", on_click=ROOM.set, args=(room.id,))
                end_button(room, f"lessons.room.end.{room.id}")


def answers_table(room: Room) -> pd.DataFrame:
    """Every answer: the question, the student (a number), the answer as sent and in words, and its score, if any."""
    rows, known = [], {}
    for answer in rooms().answers(room.id):
        if answer.step not in known:
            known[answer.step] = asked_at(room, answer.step)
        found = known[answer.step]
        given = found.question.read(answer.content) if found else None
        said, score = "", None
        if found is not None and given is not None:
            said, score = found.in_words(given), found.question.score(given)
        prompt = found.prompt if found else ""
        at = answer.created
        rows.append((answer.step, prompt, answer.student, said, answer.content, score, answer.is_hidden, at))
    columns = ["step", "question", "student", "says", "answer", "score", "hidden", "unix_time"]
    return pd.DataFrame(rows, columns=columns)


@cache
def room_door() -> Door:
    """The door to opening rooms; without a password, anyone may open one."""
    return Door(os.environ.get(ROOM_PASSWORD_VARIABLE, ""))


def _may_open() -> bool:
    return not room_door().exists or bool(st.session_state.get(_MAY_OPEN))


@attempted
def _open(plan: str, lesson: str) -> None:
    if not _may_open():
        st.session_state[_MAY_OPEN] = room_door().opens(str(st.session_state.get(_PASSWORD, "")), state.visitor())
        st.session_state[_PASSWORD] = ""
    if not _may_open():
        st.session_state[state.NOTICE] = t("room.wrong_password")
        return
    begun = RoomState(plan=plan, lesson=lesson, stage="predict")
    has_password = room_door().exists or bool(st.session_state.get(state.TEACHER))
    ROOM.set(rooms().open(state.owner(), language(), begun, state.visitor().address, has_password).id)
    in_background("lessons.reveals", None, warm_reveals)


def end_button(room: Room, key: str) -> None:
    label = t("room.delete_kept") if room.is_kept else t("room.end")
    st.button(label, key=key, icon=":material/delete:", on_click=_ask_to_end, args=(room.id,))


def closed_by_ending(key: str) -> str:
    """The key of a popover with an `end_button`: another one, and so closed, where the ending is to be confirmed."""
    return f"{key}.ending" if st.session_state.get(_ENDING) else key


def _ask_to_end(room_id: str) -> None:
    st.session_state[_ENDING] = room_id


def render_ending() -> None:
    """Ask what to do with the answers of the room to be ended, or offer to resume one; draws nothing without."""
    _render_resume()
    room_id = str(st.session_state.get(_ENDING, ""))
    try:
        if not room_id or not rooms().owns(room_id, state.owner()):
            return
        room, answers = rooms().find(room_id), rooms().answers(room_id)
    except LibraryError:
        return
    with st.container(border=True, key="lessons.room.ending_box"):
        asks = (
            t("room.ending_kept", n=len(answers)) if room.is_kept else t("room.ending", code=room.code, n=len(answers))
        )
        st.markdown(asks)
        with st.container(horizontal=True):
            if answers:
                download_csv(f"answers-{room.id}", lambda: answers_table(room), t("room.csv"), of=NO_TEXT)
            if answers and not room.is_kept:
                room_button("keep", ":material/inventory_2:", _keep, room_id)
            if not room.is_kept:
                room_button("use_again", ":material/restart_alt:", _use_again, room)
            sure = t("room.delete_kept") if room.is_kept else t("room.end_sure")
            st.button(sure, key="lessons.room.end_sure", icon=":material/delete:", on_click=_end, args=(room_id,))
            st.button(t("room.end_not"), key="lessons.room.end_not", on_click=_ask_to_end, args=("",))


def _render_resume() -> None:
    """For a minute after the end."""
    room_id, ended = st.session_state.get(_ENDED, ("", 0.0))
    if room_id and time.monotonic() < ended + RESUME_SECONDS:
        with st.container(horizontal=True, vertical_alignment="center", key="lessons.room.resume_box"):
            st.markdown(t("room.has_ended"), width="content")
            room_button("resume", ":material/undo:", _resume, room_id)


@attempted
def _resume(room_id: str) -> None:
    st.session_state.pop(_ENDED, None)
    room = rooms().resume(room_id, state.owner())
    LIVE.forget(room_id)
    LIVE.changed(room)
    if not room.is_kept:
        ROOM.set(room_id)


@attempted
def _use_again(room: Room) -> None:
    begun = RoomState(plan=room.state.plan, lesson=room.state.lesson, owns=room.state.owns, stage="predict")
    rooms().empty(room.id, state.owner(), begun)
    LIVE.forget(room.id)
    st.session_state.pop(_ENDING, None)
    st.session_state[state.NOTICE] = t("room.is_empty", code=room.code)


@attempted
def _end(room_id: str) -> None:
    _close(room_id, rooms().end)


@attempted
def _keep(room_id: str) -> None:
    _close(room_id, rooms().keep)
    st.session_state[state.NOTICE] = t("room.kept")


def _close(room_id: str, how: Callable[[str, str], None]) -> None:
    how(room_id, state.owner())
    LIVE.forget(room_id)
    st.session_state.pop(_ENDING, None)
    st.session_state[_ENDED] = (room_id, time.monotonic())
    if ROOM.value == room_id:
        ROOM.set("")
