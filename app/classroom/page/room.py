"""What the lecturer's page does to its room: every change, the questions it asks, and undo."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.classroom.lessons import LESSONS
from app.classroom.own_question import OwnQuestion
from app.classroom.room.live import LIVE
from app.classroom.room.posed_question import own_of, own_step, step_of
from app.classroom.store.records import Room
from app.classroom.store.rooms import Rooms, rooms_of
from app.components.browser import awaited_key
from app.parts.choices import action_button
from app.parts.problem import attempted, reason
from app.server.library import library
from app.server.store.store import LibraryError
from app.session import state
from app.session.url import UrlValue
from app.texts.catalogue import catalogue
from app.texts.i18n import language, t
from app.texts.plain import plain

_SEEN, _WINDOW, _UNDO = "lessons.room.seen", "lessons.room.window", "lessons.room.before"
UNDO_SECONDS = 10


class _Undo(NamedTuple):
    """What may be undone for a few seconds: the room before the last change, and after it."""

    before: Room
    after: Room
    until: float  # by the monotonic clock
    is_cleared: bool  # whether the change cleared the answers


def _room_id(text: str) -> str | None:
    return text if re.fullmatch(r"[\w-]{8,40}", text, re.ASCII) else None


ROOM = UrlValue("room", "lessons.room", _room_id, str, "")


def rooms() -> Rooms:
    return rooms_of(library())


def clock(seconds: int) -> str:
    return time.strftime("%m-%d %H:%M", time.localtime(seconds))


def current_room() -> Room | None:
    """The room of the link, if it is the visitor's own; otherwise the page says why not."""
    room_id = ROOM.adopt()
    ROOM.publish(room_id)
    if not room_id:
        return None
    is_known = bool(awaited_key())
    try:
        room = rooms().find(room_id)
        is_own = rooms().owns(room_id, state.owner())
    except LibraryError as error:
        ROOM.set("")
        ROOM.publish("")
        st.warning(plain(reason(error)), icon=":material/meeting_room:")
        return None
    if room.is_kept:
        ROOM.set("")
        ROOM.publish("")
        st.info(t("room.is_kept", time=clock(room.expires)), icon=":material/meeting_room:")
        return None
    if is_own:
        return room
    if is_known:  # else the browser has not said yet whose it is
        st.info(t("room.not_yours", code=room.code), icon=":material/meeting_room:")
    return None


def is_news(room: Room) -> bool:
    """Whether another window of the lecturer has changed the room, so that this one must follow."""
    return bool(st.session_state.get(_SEEN) != room.version) and room.state.window != _window()


def _window() -> str:
    """The name of this window. Its own changes are not news, even if a click ended the run right after them."""
    return str(st.session_state.setdefault(_WINDOW, secrets.token_urlsafe(8)))


def lead(room: Room, plan: str, lesson: str, stage: str, planned: OwnQuestion | None) -> Room:
    """Ask the phones this page's question, or the plan's own one; answers revealed here are revealed there."""
    is_check = stage == "understand"
    own, owns, done = room.state.own, room.state.owns, room.state.done
    if planned is not None and (not own or lesson != room.state.lesson):
        owns = owns if planned in owns else (*owns, planned)
        own = owns.index(planned) + 1
    elif planned is None and room.state.lesson not in (*LESSONS, ""):  # the plan has moved on from its own question
        own = 0
    step = own_step(own) if own else step_of(lesson, language(), is_check)
    if stage == "reveal" and not own and step not in done:
        done = (*done, step)
    is_shown = step in done
    shows = replace(room.state, own=own, owns=owns, plan=plan, lesson=lesson, stage=stage, done=done, revealed=is_shown)
    wanted = room._replace(language=language(), step=step, is_open=not is_shown, state=shows)
    if step != room.step:
        wanted = wanted._replace(ends=0)
    return room if wanted == room else change(wanted)


def change(room: Room, clears: bool = False) -> Room:
    """Store the change, which `undo` takes back for ten seconds, and notify the phones.

    Parameters
    ----------
    clears : whether the answers to its question are cleared.
    """
    before = rooms().find(room.id)
    # Where answers are cleared, this window's page has to go back to the question, as all others do.
    wanted = room._replace(state=replace(room.state, window="" if clears else _window()))
    changed = (rooms().ask_again if clears else rooms().change)(wanted, state.owner())
    if before.step and (clears or (before.step, before.is_open) != (changed.step, changed.is_open)):
        st.session_state[_UNDO] = _Undo(before, changed, time.monotonic() + UNDO_SECONDS, clears)
    LIVE.changed(changed)
    if not clears:
        st.session_state[_SEEN] = changed.version
    return changed


def can_undo(room: Room) -> bool:
    """Whether the last change of the room is recent, and this window's."""
    undo: _Undo | None = st.session_state.get(_UNDO)
    return undo is not None and _is_last(undo, room) and time.monotonic() < undo.until


def _is_last(undo: _Undo, room: Room) -> bool:
    """Whether only phones have changed the room since."""
    after = undo.after
    return (after.id, after.step, after.is_open, after.state) == (room.id, room.step, room.is_open, room.state)


@attempted
def undo(room_id: str) -> None:
    """Take the last change back; all windows follow. For callbacks."""
    last: _Undo | None = st.session_state.pop(_UNDO, None)
    if last is None or not _is_last(last, rooms().find(room_id)):
        return
    before = last.before._replace(state=replace(last.before.state, window=""))
    restore = rooms().undo_ask_again if last.is_cleared else rooms().change
    LIVE.changed(restore(before, state.owner()))
    st.session_state.pop(_SEEN, None)


def has_seen(room: Room) -> bool:
    return bool(st.session_state.get(_SEEN) == room.version)


def note_seen(room: Room) -> None:
    st.session_state[_SEEN] = room.version


@attempted
def _attempt_change(room: Room, how: Callable[[Room], Room], clears: bool = False) -> None:
    """Change the room as it is by now, unless it asks something else than when the button was drawn."""
    now = rooms().find(room.id)
    if now.step == room.step:
        change(how(now), clears)


# ---- the question: revealed, reopened, asked again


def room_button(
    name: str, icon: str, act: Callable[..., None], *given: object, is_on: bool = True, **values: object
) -> None:
    """An `action_button` with the text `room.<name>`, of these values, and the help `room.<name>_help`, if any."""
    help_text = t(f"room.{name}_help") if f"room.{name}_help" in catalogue() else None
    label, key = t(f"room.{name}", **values), f"lessons.room.{name}"
    action_button(label, key, icon, act, *given, is_on=is_on, help_text=help_text)


def asks_row() -> DeltaGenerator:
    """The place of a question and, in every lesson, of the button that shows the result."""
    return st.container(horizontal=True, vertical_alignment="center", key="lessons.asks")


def reveal_button(room: Room) -> None:
    """The button that shows the answers to the current question and closes it."""
    label, icon = t("lessons.reveal"), ":material/visibility:"
    action_button(label, "lessons.room.reveal", icon, _reveal, room, is_main=True)


def _reveal(room: Room) -> None:
    _attempt_change(room, lambda now: _with_answers(now, True))


def reopen_button(room: Room, go_back: Callable[[], None] | None = None) -> None:
    """The button that reopens a question, for changed answers too; `go_back` returns to where it is asked."""
    room_button("reopen", ":material/lock_open:", _reopen, room, go_back)


def _reopen(room: Room, go_back: Callable[[], None] | None) -> None:
    def reopen(now: Room) -> Room:
        hidden = _with_answers(now, False)
        if go_back is None:
            return hidden
        go_back()
        return hidden._replace(state=replace(hidden.state, stage="predict"))

    _attempt_change(room, reopen)


def ask_again(room: Room) -> None:
    """Clear the answers to the current question and ask it again; the page follows. For callbacks."""

    def again(now: Room) -> Room:
        hidden = _with_answers(now, False)
        is_reveal = hidden.state.stage == "reveal" and not hidden.state.own
        return hidden._replace(state=replace(hidden.state, stage="predict")) if is_reveal else hidden

    _attempt_change(room, again, clears=True)


def _with_answers(room: Room, is_shown: bool) -> Room:
    """The room with the answers to its question shown or hidden: all fields in one change."""
    others = tuple(step for step in room.state.done if step != room.step)
    done = (*others, room.step) if is_shown else others
    return room._replace(is_open=not is_shown, ends=0, state=replace(room.state, done=done, revealed=is_shown))


# ---- the lecturer's own questions


def begin_own(room: Room, own: OwnQuestion) -> None:
    owns = (*room.state.owns, own)
    change(room._replace(state=replace(room.state, own=len(owns), owns=owns)))


@attempted
def vote_on(room: Room, merge: str) -> None:
    """Merge the pair that the class chose, and ask for the next one. For callbacks."""
    own = own_of(room)
    if own is not None:
        begin_own(rooms().find(room.id), own._replace(merges=(*own.merges, merge)))


def back_to_plan(room: Room) -> None:
    _attempt_change(room, lambda now: now._replace(state=replace(now.state, own=0)))
