"""The lecturer's bar in a room: the code and the address, the number of answers, and the controls for the phones."""

import ipaddress
import os
import random
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

import segno
import streamlit as st
from streamlit import config

from app.classroom.own_question import KINDS, MAX_PROMPT, MERGE, OwnQuestion
from app.classroom.page.room import ROOM, ask_again, begin_own, can_undo, change, has_seen, room_button, rooms, undo
from app.classroom.page.room_end import answers_table, closed_by_ending, end_button
from app.classroom.phone.guesses import GUESSES
from app.classroom.questions.cuts import Cuts
from app.classroom.room.live import LIVE, JoinPeriod, jumps, stretches
from app.classroom.room.posed_question import posed_question
from app.classroom.store.records import Joined, Room, RoomState
from app.parts.data_table import NO_TEXT, download_csv
from app.parts.problem import attempted
from app.server.http.origins import URL_VARIABLE
from app.server.limits import is_one_of_several
from app.server.request import base_path
from app.server.store.store import LibraryError
from app.session import state
from app.session.page_run import fragment
from app.texts.i18n import language, page_address, t
from app.texts.plain import plain

SIMULATED = 20
_SECONDS = (30, 60, 90, 120, 180)
# What is to be removed from a room; the last second of joining that was acknowledged.
_REMOVING, _EXPECTED = "lessons.room.removing", "lessons.room.expected"
_JOINING = "lessons.room.joining"
_POLL_SECONDS = 1.0
_LARGE = 440  # px: what a projector has below the question
# Parts of the room's state that are switched on and off.
_TOGGLES = ("paused", "roam", "attendance")


def render_bar(room: Room) -> None:
    """The code, the number of answers, and the controls for the phones."""
    GUESSES.know(state.visitor().address, room.code)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="lessons.room.bar"):
        st.markdown(f"**{t('room.code')}** &ensp; :blue[**{room.code}**]", width="content")
        popover = st.popover(t("room.join"), icon=":material/qr_code_2:", key="lessons.room.join", on_change="rerun")
        with popover:
            _render_join(room)
            if popover.open:
                _render_phones(room)
        _render_count(room.id, room.step, room.version)
        # A popover with a key stays open when a run moves it on the page: nobody loses a half-written question.
        with st.popover(t("room.own.title"), icon=":material/quiz:", key="lessons.room.own.form"):
            _render_own_form(room)
        with st.popover(t("room.steer"), icon=":material/tune:", key=closed_by_ending("lessons.room.steering")):
            _render_steering(room)


def _render_join(room: Room) -> None:
    address = join_address(st.context.url or "")
    link = f"{address.url}/join?room={room.id}"
    if address.found == "none":  # nobody should scan a code that leads nowhere
        st.warning(t("room.address.none", variable=URL_VARIABLE), icon=":material/wifi_off:")
        st.code(link, language=None, wrap_lines=True)
        return
    st.image(_qr_code(link), width=240)
    st.markdown(t("room.join_how", code=room.code, url=plain(f"{address.url}/join")))
    st.code(link, language=None, wrap_lines=True)
    st.caption(t(f"room.address.{address.found}", variable=URL_VARIABLE))
    st.caption(t("room.address_help"))


def _qr_code(link: str) -> str:
    return segno.make(link, error="m").svg_data_uri(scale=8, border=2, light="white")


@contextmanager
def beside_the_code(room: Room) -> Iterator[None]:
    """A container for the question, with the QR code to its right: large until the class begins to answer."""
    address = join_address(st.context.url or "")
    if address.found == "none":
        place = st.container(key="lessons.room.asked")
    else:
        has_begun = room.state.done or rooms().n_answers(room.id, room.step)
        left, right = st.columns([3, 1] if has_begun else [1, 1], gap="large")
        with right:
            st.image(_qr_code(f"{address.url}/join?room={room.id}"), width="stretch" if has_begun else _LARGE)
            st.caption(f"{plain(address.url.partition('://')[2])}/join")
        place = left.container(key="lessons.room.asked")
    with place:
        yield


@fragment(run_every=_POLL_SECONDS)
def _render_count(room_id: str, step: str, version: int) -> None:
    """The number of answers; the page reruns when another window has changed the room."""
    try:
        room = rooms().find(room_id)
        n_answers = rooms().n_answers(room_id, step)
    except LibraryError:
        st.rerun()
    if room.version != version and not has_seen(room):
        st.rerun()
    left = ""
    if room.ends and room.is_open:
        seconds = max(0, room.ends - int(time.time()))
        left = f" &ensp; ⏱ **{seconds // 60}:{seconds % 60:02d}**"
    joined = rooms().joined(room_id)
    n_sudden = sum(jump.phones for jump in _sudden(joined))
    sudden = f" &ensp; :orange-badge[:material/warning: {t('room.sudden', n=n_sudden)}]" if n_sudden else ""
    paused = f" &ensp; :orange-badge[:material/pause: {t('room.is_paused')}]" if room.state.paused else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Phones of other processes are known by having joined only.
        n_present = sum(one.phones for one in joined) if is_one_of_several() else LIVE.n_present(room_id)
        count = t("room.count", n=n_answers, present=max(n_answers, n_present))
        st.markdown(count + left + sudden + paused, width="content")
        if can_undo(room):
            room_button("undo", ":material/undo:", undo, room_id)


def _sudden(joined: Sequence[Joined]) -> list[JoinPeriod]:
    """Seconds in which suspiciously many phones joined and which the lecturer has not confirmed."""
    return [jump for jump in jumps(joined) if jump.last > st.session_state.get(_EXPECTED, 0)]


def _render_phones(room: Room) -> None:
    """When phones joined, with controls to stop joining and to remove phones."""
    st.session_state[_JOINING] = room.takes_phones
    st.toggle(
        t("room.takes_phones"), key=_JOINING, help=t("room.takes_phones_help"), on_change=_let_join, args=(room.id,)
    )
    joined = rooms().joined(room.id)
    for jump in _sudden(joined):
        with st.container(horizontal=True, vertical_alignment="center"):
            seconds = jump.last - jump.first + 1
            said = t("room.jump", n=jump.phones, seconds=seconds, time=_time_of_day(jump.first))
            st.markdown(said, width="stretch")
            _remove_button(room, jump, "jump")
            st.button(
                t("room.expected"), key=f"lessons.room.expected.{jump.first}", on_click=_expect, args=(jump.last,)
            )
    if periods := stretches(joined):
        with st.expander(t("room.joined")):
            for period in periods:
                with st.container(horizontal=True, vertical_alignment="center"):
                    said = t("room.joined_at", time=_time_of_day(period.first), n=period.phones, m=period.answering)
                    st.markdown(said, width="stretch")
                    _remove_button(room, period, "stretch")


def _time_of_day(seconds: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def _remove_button(room: Room, period: JoinPeriod, name: str) -> None:
    """Needs two clicks, because the phones' answers are deleted with them."""
    asked = (room.id, period.first, period.last)
    label = t("room.remove_sure", n=period.phones) if st.session_state.get(_REMOVING) == asked else t("room.remove")
    st.button(label, key=f"lessons.room.remove.{name}.{period.first}", on_click=_remove, args=asked)


@attempted
def _remove(room_id: str, first: int, last: int) -> None:
    if st.session_state.get(_REMOVING) != (room_id, first, last):
        st.session_state[_REMOVING] = (room_id, first, last)
        return
    del st.session_state[_REMOVING]
    changed = rooms().remove_phones(room_id, state.owner(), first, last)
    LIVE.forget(room_id)
    LIVE.changed(changed)


# A browser may still send the value of a toggle that is gone, and Streamlit calls that a change: so a callback takes
# the toggle's value, never the opposite of what was there when it was drawn.


@attempted
def _let_join(room_id: str) -> None:
    rooms().let_join(room_id, state.owner(), bool(st.session_state[_JOINING]))


def _expect(second: int) -> None:
    st.session_state[_EXPECTED] = second


def _render_steering(room: Room) -> None:
    seconds = {number: t("room.timer_option", seconds=number) for number in _SECONDS}
    st.pills(
        t("room.timer"),
        list(seconds),
        format_func=seconds.__getitem__,
        key="lessons.room.timer",
        on_change=_start_timer,
        args=(room,),
        disabled=not room.is_open,
    )
    for name in _TOGGLES:
        key = f"lessons.room.{name}"
        st.session_state[key] = getattr(room.state, name)
        st.toggle(t(f"room.{name}"), key=key, help=t(f"room.{name}_help"), on_change=_set, args=(room.id, name))
    has_answers = rooms().n_answers(room.id, room.step) > 0
    room_button("ask_again", ":material/refresh:", ask_again, room, is_on=has_answers)
    room_button("simulate", ":material/groups:", _simulate, room, is_on=room.is_open, n=SIMULATED)
    download_csv("answers", lambda: answers_table(room), t("room.csv"), of=NO_TEXT)
    of = {"lang": language(), "room": room.id, "key": rooms().lecturer_key(room.id)}
    report, sheet = page_address("report", **of), page_address("handout", plan=room.state.plan, **of)
    links = f"[{t('room.report')}]({report}) &ensp; [{t('room.handout')}]({sheet})"
    st.markdown(links, help=t("room.handout_help"))
    with st.container(horizontal=True):
        st.button(t("room.leave"), key="lessons.room.leave", on_click=ROOM.set, args=("",))
        end_button(room, "lessons.room.end")


@attempted
def _start_timer(room: Room) -> None:
    seconds = st.session_state.get("lessons.room.timer")
    if seconds in _SECONDS:
        change(rooms().find(room.id)._replace(ends=int(time.time()) + seconds))


@attempted
def _set(room_id: str, name: str) -> None:
    room, is_on = rooms().find(room_id), bool(st.session_state[f"lessons.room.{name}"])
    change(room._replace(state=RoomState(**vars(room.state) | {name: is_on})))


@attempted
def _simulate(room: Room) -> None:
    """Simulated students, whose answers take the same path as those of phones."""
    found = posed_question(room)
    if found is None:
        return
    dice = random.Random(f"{room.code}{room.step}")
    question = found.question
    if isinstance(question, Cuts):
        question = replace(question, right=found.gold)
    for number in range(SIMULATED):
        given = question.simulated(room.language, dice)
        rooms().answer(room.id, room.step, f"simulated-{number}", question.write(given))


def _render_own_form(room: Room) -> None:
    kinds = {kind: t(f"room.own.kind.{kind}") for kind in KINDS}
    kind = st.selectbox(t("room.own.kind_label"), KINDS, format_func=kinds.__getitem__, key="lessons.room.own.kind")
    st.text_input(
        t("room.own.prompt_label"),
        key="lessons.room.own.prompt",
        max_chars=MAX_PROMPT,
        placeholder=t(f"room.own.prompt.{kind}"),
    )
    if kind not in ("numbers", "word"):
        st.text_area(t(f"room.own.content.{kind}"), key="lessons.room.own.content", height=100, max_chars=600)
    if kind != MERGE:  # which pair BPE merges is counted
        st.text_area(t(f"lessons.edit.right.{kind}"), key="lessons.room.own.right", height=68, max_chars=600)
    st.button(t("room.own.ask"), key="lessons.room.own.ask", type="primary", on_click=_ask_own, args=(room,))


@attempted
def _ask_own(room: Room) -> None:
    kind, prompt, content, right = (
        str(st.session_state.get(f"lessons.room.own.{name}") or "") for name in ("kind", "prompt", "content", "right")
    )
    own = OwnQuestion(kind, prompt, content, right=right)
    _ = own.question  # says what is wrong with it
    begin_own(rooms().find(room.id), own)


class JoinAddress(NamedTuple):
    """An address, and where it comes from: `set`, `browser`, `network`; `none` if phones cannot reach it."""

    url: str
    found: str


def join_address(browser_url: str, environment: Mapping[str, str] = os.environ) -> JoinAddress:
    """The address for the QR code, up to and including the base path.

    In order: the address set by PUBLIC_URL; the one in the lecturer's browser, unless it is the local machine; this
    machine's address in its network.

    Parameters
    ----------
    browser_url : of the lecturer's page.
    """
    public = environment.get(URL_VARIABLE, "").strip().rstrip("/")
    if public.startswith(("http://", "https://")):
        return JoinAddress(public, "set")
    parts = urlsplit(browser_url)
    if parts.hostname and not _is_this_machine(parts.hostname):
        return JoinAddress(f"{parts.scheme}://{parts.netloc}{base_path()}", "browser")
    bound = str(config.get_option("server.address") or "")
    own = network_address()
    if not own or (bound and _is_this_machine(bound)):
        return JoinAddress(f"http://localhost:{_port()}{base_path()}", "none")
    return JoinAddress(f"http://{own}:{_port()}{base_path()}", "network")


def network_address() -> str:
    """This machine's IPv4 address in its network; empty if it has none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: this only looks up the route
            found = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if _is_this_machine(found) else found


def _port() -> int:
    return int(config.get_option("server.port") or 8501)


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback
