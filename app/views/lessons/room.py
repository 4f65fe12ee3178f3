"""A class in the room: the lecturer's room, what its phones are asked, and the bar that steers it."""

import random
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pandas as pd
import segno
import streamlit as st

from app.components.browser_key.widget import awaited_key
from app.parts.data_table import download_csv
from app.parts.problem import reason
from app.server.library import library
from app.server.room.address import URL_VARIABLE, join_address
from app.server.room.asked import asked, own_of, own_step, step_of
from app.server.room.live import LIVE
from app.session import state
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.errors import InputError
from engine.lessons.own_question import KINDS, MAX_PROMPT, OwnQuestion
from engine.lessons.questions import Cuts
from engine.lessons.simulated import simulated_answer
from engine.store.store import LibraryError, Room, Rooms

SIMULATED = 20
_SECONDS = (30, 60, 90, 120, 180)
_SEEN, _WINDOW = "lessons.room.seen", "lessons.room.window"
_LOOK_SECONDS = 1.0
# What a room knows besides what is asked: the steps whose answers were shown; the number of the lecturer's own question
# that is asked, 0 for none, and all of these. And, once something has changed, which window of the lecturer's did it.
_EMPTY: dict[str, Any] = {"done": [], "own": 0, "owns": [], "roam": False}


def _room_id(text: str) -> str | None:
    return text if re.fullmatch(r"[\w-]{8,40}", text, re.ASCII) else None


ROOM = UrlValue("room", "lessons.room", _room_id, str, "")


def _rooms() -> Rooms:
    return library().rooms


def current_room() -> Room | None:
    """The room of the link, if it is the visitor's own; what else there is to say of it is said."""
    room_id = ROOM.adopt()
    ROOM.publish(room_id)
    if not room_id:
        return None
    awaited_key()
    try:
        room = _rooms().find(room_id)
        is_own = _rooms().owns(room_id, state.owner())
    except LibraryError as error:
        ROOM.set("")
        ROOM.publish("")
        st.warning(plain(reason(error)), icon=":material/meeting_room:")
        return None
    if is_own:
        return room
    st.info(t("room.not_yours", code=room.code), icon=":material/meeting_room:")
    return None


def is_news(room: Room) -> bool:
    """Whether another window of the lecturer's has changed the room: then this one follows it."""
    return bool(st.session_state.get(_SEEN) != room.version) and room.state.get("window") != _window()


def _window() -> str:
    """The name of this window. What it has written itself is no news, even where a click ended the run right behind."""
    return str(st.session_state.setdefault(_WINDOW, secrets.token_urlsafe(8)))


def lead(room: Room, plan: str, lesson: str, stage: str) -> Room:
    """Ask the phones what this page shows; what is revealed here is revealed there."""
    is_check = stage == "understand"
    step = own_step(room.state["own"]) if room.state.get("own") else step_of(lesson, language(), is_check)
    done = list(room.state.get("done", []))
    if stage == "reveal" and not room.state.get("own") and step not in done:
        done.append(step)
    place = {"plan": plan, "lesson": lesson, "stage": stage, "done": done, "revealed": step in done}
    wanted = room._replace(language=language(), step=step, is_open=step not in done, state=room.state | place)
    if step != room.step:
        wanted = wanted._replace(ends=0)
    return room if wanted == room else change(wanted)


def change(room: Room) -> Room:
    """Write it, and let the phones know."""
    changed = _rooms().change(room._replace(state=room.state | {"window": _window()}), state.owner())
    LIVE.changed(changed)
    st.session_state[_SEEN] = changed.version
    return changed


def note_seen(room: Room) -> None:
    """This window shows the room as it is."""
    st.session_state[_SEEN] = room.version


def reveal_button(room: Room) -> None:
    """Shows what the class answered to what is asked now; no more answers are taken then."""
    st.button(t("room.reveal"), key="lessons.room.reveal", type="primary", icon=":material/visibility:",
              on_click=_reveal, args=(room,))  # fmt: skip


def _reveal(room: Room) -> None:
    _attempt(lambda: change(room._replace(state=room.state | {"done": [*room.state.get("done", []), room.step]})))


# ---- the door: opening, entering and ending a room


def render_rooms(plan: str, lesson: str) -> None:
    """Open a room, or enter one of one's own, as soon as the browser has said whose it is."""
    is_known = bool(awaited_key())
    with st.popover(t("room.title"), icon=":material/meeting_room:"):
        st.markdown(t("room.about"))
        st.button(t("room.open"), key="lessons.room.open", type="primary", icon=":material/add:", on_click=_open,
                  args=(plan, lesson), disabled=not is_known)  # fmt: skip
        try:
            owned = _rooms().owned(state.owner())
        except LibraryError:
            return
        for room in owned:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{room.code}** · {t('room.until', time=_clock(room.expires))}", width="stretch")
                st.button(t("room.enter"), key=f"lessons.room.enter.{room.code}", on_click=ROOM.set, args=(room.id,))
                st.button(t("room.end"), key=f"lessons.room.end.{room.code}", on_click=_end, args=(room.id,))


def _clock(seconds: int) -> str:
    return time.strftime("%m-%d %H:%M", time.localtime(seconds))


def _open(plan: str, lesson: str) -> None:
    def begin() -> None:
        begun = _EMPTY | {"plan": plan, "lesson": lesson, "stage": "predict"}
        ROOM.set(_rooms().open(state.owner(), language(), begun).id)
        st.session_state.pop(_SEEN, None)

    _attempt(begin)


def _end(room_id: str) -> None:
    def end() -> None:
        _rooms().delete(room_id, state.owner())
        LIVE.forget(room_id)
        if ROOM.value == room_id:
            ROOM.set("")

    _attempt(end)


def _attempt(action: Any) -> None:
    """Do it, or say why not at the top of the next run."""
    try:
        action()
    except InputError as error:
        st.session_state[state.NOTICE] = plain(reason(error))


# ---- the bar


def render_bar(room: Room) -> None:
    """The code, how many have answered, and what steers the phones."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="lessons.room.bar"):
        st.markdown(f"**{t('room.code')}** &ensp; :blue[**{room.code}**]", width="content")
        with st.popover(t("room.join"), icon=":material/qr_code_2:"):
            _render_join(room)
        _render_count(room.id, room.step, room.version)
        with st.popover(t("room.own.title"), icon=":material/quiz:"):
            _render_own_form(room)
        with st.popover(t("room.steer"), icon=":material/tune:"):
            _render_steering(room)


def _render_join(room: Room) -> None:
    address = join_address(st.context.url or "")
    link = f"{address.url}/join?room={room.id}"
    if address.found == "none":  # a code that leads nowhere would only be scanned
        st.warning(t("room.address.none", variable=URL_VARIABLE), icon=":material/wifi_off:")
        st.code(link, language=None, wrap_lines=True)
        return
    st.image(_qr_code(link), width=240)
    st.markdown(t("room.join_how", code=room.code, url=f"{address.url}/join"))
    st.code(link, language=None, wrap_lines=True)
    st.caption(t(f"room.address.{address.found}", variable=URL_VARIABLE))
    st.caption(t("room.address_help"))


def _qr_code(link: str) -> str:
    return segno.make(link, error="m").svg_data_uri(scale=8, border=2, light="white")


@contextmanager
def beside_the_code(room: Room) -> Iterator[None]:
    """Space for what is asked, with the QR code to its right: whoever comes late joins without a word."""
    address = join_address(st.context.url or "")
    if address.found == "none":
        place = st.container(key="lessons.room.asked")
    else:
        left, right = st.columns([3, 1], gap="large")
        with right:
            st.image(_qr_code(f"{address.url}/join?room={room.id}"))
            st.caption(f"{plain(address.url.partition('://')[2])}/join")
        place = left.container(key="lessons.room.asked")
    with place:
        yield


@fragment(run_every=_LOOK_SECONDS)
def _render_count(room_id: str, step: str, version: int) -> None:
    """How many have answered; where another window has changed the room the page follows."""
    try:
        room = _rooms().find(room_id)
        n_answers = _rooms().n_answers(room_id, step)
    except LibraryError:
        st.rerun()
    if room.version not in (version, st.session_state.get(_SEEN)):
        st.rerun()
    left = ""
    if room.ends and room.is_open:
        seconds = max(0, room.ends - int(time.time()))
        left = f" &ensp; ⏱ **{seconds // 60}:{seconds % 60:02d}**"
    st.markdown(t("room.count", n=n_answers, present=max(n_answers, LIVE.n_present(room_id))) + left)


def _render_steering(room: Room) -> None:
    seconds = {number: t("room.timer_option", seconds=number) for number in _SECONDS}
    st.pills(t("room.timer"), list(seconds), format_func=seconds.__getitem__, key="lessons.room.timer",
             on_change=_start_timer, args=(room,), disabled=not room.is_open)  # fmt: skip
    st.toggle(t("room.roam"), value=bool(room.state.get("roam")), key=f"lessons.room.roam.{room.version}",
              help=t("room.roam_help"), on_change=_roam, args=(room,))  # fmt: skip
    st.button(t("room.simulate", n=SIMULATED), key="lessons.room.simulate", icon=":material/groups:",
              help=t("room.simulate_help"), disabled=not room.is_open, on_click=_simulate, args=(room,))  # fmt: skip
    download_csv("answers", lambda: _answers_table(room), t("room.csv"))
    with st.container(horizontal=True):
        st.button(t("room.keep"), key="lessons.room.keep", help=t("room.keep_help"), on_click=_keep, args=(room,))
        st.button(t("room.leave"), key="lessons.room.leave", on_click=ROOM.set, args=("",))
        st.button(t("room.end"), key="lessons.room.end", icon=":material/delete:", help=t("room.end_help"),
                  on_click=_end, args=(room.id,))  # fmt: skip


def _start_timer(room: Room) -> None:
    seconds = st.session_state.get("lessons.room.timer")
    if seconds in _SECONDS:
        _attempt(lambda: change(room._replace(ends=int(time.time()) + seconds)))


def _roam(room: Room) -> None:
    _attempt(lambda: change(room._replace(state=room.state | {"roam": not room.state.get("roam")})))


def _keep(room: Room) -> None:
    def keep() -> None:
        _rooms().keep(room.id, state.owner())
        st.session_state[state.NOTICE] = t("room.kept")

    _attempt(keep)


def _simulate(room: Room) -> None:
    """Answers of students who are not there, by the same way as those of phones."""
    found = asked(room)
    if found is None:
        return
    dice = random.Random(f"{room.code}{room.step}")
    question = found.question
    if isinstance(question, Cuts):
        question = replace(question, right=found.gold)

    def answer() -> None:
        for number in range(SIMULATED):
            given = simulated_answer(question, room.language, dice)
            _rooms().answer(room.id, room.step, f"simulated-{number}", question.write(given))

    _attempt(answer)


def _answers_table(room: Room) -> pd.DataFrame:
    """Every answer: what was asked, by whom (a number), what, and how right it is where something is."""
    rows = []
    for answer in _rooms().answers(room.id):
        found = asked(room._replace(step=answer.step))
        given = found.question.read(answer.content) if found else None
        score = found.question.score(given) if found and given is not None else None
        prompt = found.prompt if found else ""
        rows.append((answer.step, prompt, answer.student, answer.content, score, answer.is_hidden, answer.created))
    return pd.DataFrame(rows, columns=["step", "question", "student", "answer", "score", "hidden", "unix_time"])


# ---- questions of the lecturer's own


def _render_own_form(room: Room) -> None:
    kinds = {kind: t(f"room.own.kind.{kind}") for kind in KINDS}
    kind = st.selectbox(t("room.own.kind_label"), KINDS, format_func=kinds.__getitem__, key="lessons.room.own.kind")
    st.text_input(t("room.own.prompt_label"), key="lessons.room.own.prompt", max_chars=MAX_PROMPT,
                  placeholder=t(f"room.own.prompt.{kind}"))  # fmt: skip
    if kind not in ("numbers", "word"):
        st.text_area(t(f"room.own.content.{kind}"), key="lessons.room.own.content", height=100, max_chars=600)
    st.button(t("room.own.ask"), key="lessons.room.own.ask", type="primary", on_click=_ask_own, args=(room,))


def _ask_own(room: Room) -> None:
    kind, prompt, content = (
        str(st.session_state.get(f"lessons.room.own.{name}") or "") for name in ("kind", "prompt", "content")
    )
    own = OwnQuestion(kind, prompt, content)

    def ask() -> None:
        _ = own.question  # says what is wrong with it
        _begin_own(room, own)

    _attempt(ask)


def _begin_own(room: Room, own: OwnQuestion) -> None:
    owns = [*room.state.get("owns", []), own._asdict()]
    change(room._replace(state=room.state | {"own": len(owns), "owns": owns}))


def vote_on(room: Room, merge: str) -> None:
    """Merge what the class has chosen, and ask for the next one. For callbacks."""
    own = own_of(room)
    if own is not None:
        _attempt(lambda: _begin_own(room, own._replace(merges=(*own.merges, merge))))


def back_to_plan(room: Room) -> None:
    """From the lecturer's own question to where the plan was. For callbacks."""
    _attempt(lambda: change(room._replace(state=room.state | {"own": 0})))
