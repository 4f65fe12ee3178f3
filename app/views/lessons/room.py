"""A class in the room: the lecturer's room, its questions, and the control bar."""

import random
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd
import segno
import streamlit as st

from app.components.browser_key.widget import awaited_key
from app.lessons.own_question import KINDS, MAX_PROMPT, OwnQuestion
from app.lessons.questions import Cuts
from app.lessons.simulated import simulated_answer
from app.parts.data_table import NO_TEXT, download_csv
from app.parts.problem import reason
from app.server.library import library
from app.server.room.address import URL_VARIABLE, join_address
from app.server.room.asked import asked, own_of, own_step, step_of
from app.server.room.guesses import GUESSES
from app.server.room.joins import JoinPeriod, jumps, stretches
from app.server.room.live import LIVE
from app.server.store.room_state import RoomState
from app.server.store.sqlite.rooms import SqliteRooms
from app.server.store.store import LibraryError, Room
from app.server.teacher import room_door
from app.session import state
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.i18n import language, page_address, t
from app.texts.lessons import LESSONS
from app.texts.plain import plain
from engine.errors import InputError

SIMULATED = 20
_SECONDS = (30, 60, 90, 120, 180)
_SEEN, _WINDOW = "lessons.room.seen", "lessons.room.window"
# The room to be ended; what is to be removed from a room; the last second of joining that was acknowledged.
_ENDING, _REMOVING, _EXPECTED = "lessons.room.ending", "lessons.room.removing", "lessons.room.expected"
_JOINING, _ROAMING = "lessons.room.joining", "lessons.room.roam"
_PASSWORD, _MAY_OPEN = "lessons.room.password", "lessons.room.may_open"
_POLL_SECONDS = 1.0


def _room_id(text: str) -> str | None:
    return text if re.fullmatch(r"[\w-]{8,40}", text, re.ASCII) else None


ROOM = UrlValue("room", "lessons.room", _room_id, str, "")


def _rooms() -> SqliteRooms:
    return library().rooms


def current_room() -> Room | None:
    """The room of the link, if it is the visitor's own; otherwise the page says why not."""
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
    if room.is_kept:
        ROOM.set("")
        ROOM.publish("")
        st.info(t("room.is_kept", time=_clock(room.expires)), icon=":material/meeting_room:")
        return None
    if is_own:
        return room
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


def change(room: Room) -> Room:
    """Store the change and notify the phones."""
    changed = _rooms().change(room._replace(state=replace(room.state, window=_window())), state.owner())
    LIVE.changed(changed)
    st.session_state[_SEEN] = changed.version
    return changed


def note_seen(room: Room) -> None:
    """Record that this window shows the current state of the room."""
    st.session_state[_SEEN] = room.version


def reveal_button(room: Room) -> None:
    """The button that shows the answers to the current question and closes it."""
    st.button(
        t("room.reveal"),
        key="lessons.room.reveal",
        type="primary",
        icon=":material/visibility:",
        on_click=_reveal,
        args=(room,),
    )


def _reveal(room: Room) -> None:
    _attempt(lambda: change(_shown(room, True)))


def reopen_button(room: Room, go_back: Callable[[], None] | None = None) -> None:
    """The button that reopens a question, for changed answers too; `go_back` returns to where it is asked."""
    st.button(
        t("room.reopen"),
        key="lessons.room.reopen",
        icon=":material/lock_open:",
        help=t("room.reopen_help"),
        on_click=_reopen,
        args=(room, go_back),
    )


def _reopen(room: Room, go_back: Callable[[], None] | None) -> None:
    def reopen() -> None:
        wanted = _shown(room, False)
        if go_back is not None:
            go_back()
            wanted = wanted._replace(state=replace(wanted.state, stage="predict"))
        change(wanted)

    _attempt(reopen)


def _shown(room: Room, is_shown: bool) -> Room:
    """The room with the answers to its question shown or hidden: all fields in one change."""
    others = tuple(step for step in room.state.done if step != room.step)
    done = (*others, room.step) if is_shown else others
    return room._replace(is_open=not is_shown, ends=0, state=replace(room.state, done=done, revealed=is_shown))


# ---- opening, entering and ending a room


def render_rooms(plan: str, lesson: str) -> None:
    """Open a room, or enter one of the visitor's own, once the browser has sent its secret."""
    is_known = bool(awaited_key())
    with st.popover(t("room.title"), icon=":material/meeting_room:"):
        st.markdown(t("room.about"))
        with st.form("lessons.room.opening", border=False):
            if not _may_open():
                st.text_input(t("room.password"), type="password", key=_PASSWORD, autocomplete="off", max_chars=200)
            st.form_submit_button(
                t("room.open"),
                key="lessons.room.open",
                type="primary",
                icon=":material/add:",
                on_click=_open,
                args=(plan, lesson),
                disabled=not is_known,
            )
        try:
            owned = _rooms().owned(state.owner())
        except LibraryError:
            return
        for room in owned:
            with st.container(horizontal=True, vertical_alignment="center"):
                name = t("room.kept_until") if room.is_kept else f"**{room.code}**"
                st.markdown(f"{name} · {t('room.until', time=_clock(room.expires))}", width="stretch")
                if not room.is_kept:
                    st.button(t("room.enter"), key=f"lessons.room.enter.{room.id}", on_click=ROOM.set, args=(room.id,))
                _end_button(room, f"lessons.room.end.{room.id}")


def _may_open() -> bool:
    return not room_door().exists or bool(st.session_state.get(_MAY_OPEN))


def _clock(seconds: int) -> str:
    return time.strftime("%m-%d %H:%M", time.localtime(seconds))


def _open(plan: str, lesson: str) -> None:
    def begin() -> None:
        begun = RoomState(plan=plan, lesson=lesson, stage="predict")
        ROOM.set(_rooms().open(state.owner(), language(), begun, state.visitor().address).id)
        st.session_state.pop(_SEEN, None)

    if not _may_open():
        st.session_state[_MAY_OPEN] = room_door().opens(str(st.session_state.get(_PASSWORD, "")), state.visitor())
        st.session_state[_PASSWORD] = ""
    if _may_open():
        _attempt(begin)
    else:
        st.session_state[state.NOTICE] = t("room.wrong_password")


def _end_button(room: Room, key: str) -> None:
    label = t("room.delete_kept") if room.is_kept else t("room.end")
    st.button(label, key=key, icon=":material/delete:", on_click=_ask_to_end, args=(room.id,))


def _ask_to_end(room_id: str) -> None:
    st.session_state[_ENDING] = room_id


def render_ending() -> None:
    """Ask what to do with the answers of the room to be ended; draws nothing if there is none."""
    room_id = str(st.session_state.get(_ENDING, ""))
    try:
        if not room_id or not _rooms().owns(room_id, state.owner()):
            return
        room, answers = _rooms().find(room_id), _rooms().answers(room_id)
    except LibraryError:
        return
    with st.container(border=True, key="lessons.room.ending_box"):
        asks = (
            t("room.ending_kept", n=len(answers)) if room.is_kept else t("room.ending", code=room.code, n=len(answers))
        )
        st.markdown(asks)
        with st.container(horizontal=True):
            if answers:
                download_csv(f"answers-{room.id}", lambda: _answers_table(room), t("room.csv"), of=NO_TEXT)
            if answers and not room.is_kept:
                st.button(
                    t("room.keep"),
                    key="lessons.room.keep",
                    icon=":material/inventory_2:",
                    help=t("room.keep_help"),
                    on_click=_keep,
                    args=(room_id,),
                )
            sure = t("room.delete_kept") if room.is_kept else t("room.end_sure")
            st.button(sure, key="lessons.room.end_sure", icon=":material/delete:", on_click=_end, args=(room_id,))
            st.button(t("room.end_not"), key="lessons.room.end_not", on_click=_ask_to_end, args=("",))


def _end(room_id: str) -> None:
    _attempt(lambda: _close(room_id, _rooms().delete))


def _keep(room_id: str) -> None:
    def keep() -> None:
        _close(room_id, _rooms().keep)
        st.session_state[state.NOTICE] = t("room.kept")

    _attempt(keep)


def _close(room_id: str, how: Callable[[str, str], None]) -> None:
    how(room_id, state.owner())
    LIVE.forget(room_id)
    st.session_state.pop(_ENDING, None)
    if ROOM.value == room_id:
        ROOM.set("")


def _attempt(action: Callable[[], object]) -> None:
    """Run the action, or show its error at the top of the next run."""
    try:
        action()
    except InputError as error:
        st.session_state[state.NOTICE] = plain(reason(error))


# ---- the bar


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
        with st.popover(t("room.steer"), icon=":material/tune:", key="lessons.room.steering"):
            _render_steering(room)


def _render_join(room: Room) -> None:
    address = join_address(st.context.url or "")
    link = f"{address.url}/join?room={room.id}"
    if address.found == "none":  # nobody should scan a code that leads nowhere
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
    """A container for the question, with the QR code to its right for latecomers."""
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


@fragment(run_every=_POLL_SECONDS)
def _render_count(room_id: str, step: str, version: int) -> None:
    """The number of answers; the page reruns when another window has changed the room."""
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
    n_sudden = sum(jump.phones for jump in _sudden(room_id))
    sudden = f" &ensp; :orange-badge[:material/warning: {t('room.sudden', n=n_sudden)}]" if n_sudden else ""
    st.markdown(t("room.count", n=n_answers, present=max(n_answers, LIVE.n_present(room_id))) + left + sudden)


def _sudden(room_id: str) -> list[JoinPeriod]:
    """Seconds in which suspiciously many phones joined and which the lecturer has not confirmed."""
    return [jump for jump in jumps(_rooms().joined(room_id)) if jump.last > st.session_state.get(_EXPECTED, 0)]


def _render_phones(room: Room) -> None:
    """When phones joined, with controls to stop joining and to remove phones."""
    st.session_state[_JOINING] = room.takes_phones
    st.toggle(
        t("room.takes_phones"), key=_JOINING, help=t("room.takes_phones_help"), on_change=_let_join, args=(room.id,)
    )
    for jump in _sudden(room.id):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_jump_text(jump), width="stretch")
            _remove_button(room, jump, "jump")
            st.button(
                t("room.expected"), key=f"lessons.room.expected.{jump.first}", on_click=_expect, args=(jump.last,)
            )
    joined = stretches(_rooms().joined(room.id))
    if joined:
        with st.expander(t("room.joined")):
            for period in joined:
                with st.container(horizontal=True, vertical_alignment="center"):
                    said = t("room.joined_at", time=_time_of_day(period.first), n=period.phones, m=period.answering)
                    st.markdown(said, width="stretch")
                    _remove_button(room, period, "stretch")


def _jump_text(jump: JoinPeriod) -> str:
    return t("room.jump", n=jump.phones, seconds=jump.last - jump.first + 1, time=_time_of_day(jump.first))


def _time_of_day(seconds: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def _remove_button(room: Room, period: JoinPeriod, name: str) -> None:
    """Needs two clicks, because the phones' answers are deleted with them."""
    asked = (room.id, period.first, period.last)
    label = t("room.remove_sure", n=period.phones) if st.session_state.get(_REMOVING) == asked else t("room.remove")
    st.button(label, key=f"lessons.room.remove.{name}.{period.first}", on_click=_remove, args=asked)


def _remove(room_id: str, first: int, last: int) -> None:
    if st.session_state.get(_REMOVING) != (room_id, first, last):
        st.session_state[_REMOVING] = (room_id, first, last)
        return

    def remove() -> None:
        del st.session_state[_REMOVING]
        changed = _rooms().remove_phones(room_id, state.owner(), first, last)
        LIVE.forget(room_id)
        LIVE.changed(changed)

    _attempt(remove)


# A browser may still send the value of a toggle that is gone, and Streamlit calls that a change: so a callback takes
# the toggle's value, never the opposite of what was there when it was drawn.


def _let_join(room_id: str) -> None:
    _attempt(lambda: _rooms().let_join(room_id, state.owner(), bool(st.session_state[_JOINING])))


def _expect(second: int) -> None:
    """Confirm that these phones are the class."""
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
    st.session_state[_ROAMING] = room.state.roam
    st.toggle(t("room.roam"), key=_ROAMING, help=t("room.roam_help"), on_change=_roam, args=(room.id,))
    st.button(
        t("room.simulate", n=SIMULATED),
        key="lessons.room.simulate",
        icon=":material/groups:",
        help=t("room.simulate_help"),
        disabled=not room.is_open,
        on_click=_simulate,
        args=(room,),
    )
    download_csv("answers", lambda: _answers_table(room), t("room.csv"), of=NO_TEXT)
    sheet = page_address(
        "handout", plan=room.state.plan, lang=language(), room=room.id, key=_rooms().lecturer_key(room.id)
    )
    st.markdown(f"[{t('room.handout')}]({sheet})", help=t("room.handout_help"))
    with st.container(horizontal=True):
        st.button(t("room.leave"), key="lessons.room.leave", on_click=ROOM.set, args=("",))
        _end_button(room, "lessons.room.end")


def _start_timer(room: Room) -> None:
    seconds = st.session_state.get("lessons.room.timer")
    if seconds in _SECONDS:
        _attempt(lambda: change(room._replace(ends=int(time.time()) + seconds)))


def _roam(room_id: str) -> None:
    def roam() -> None:
        room = _rooms().find(room_id)
        change(room._replace(state=replace(room.state, roam=bool(st.session_state[_ROAMING]))))

    _attempt(roam)


def _simulate(room: Room) -> None:
    """Simulated students, whose answers take the same path as those of phones."""
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
    """Every answer: the question, the student (a number), the answer, and its score where there is one."""
    rows, known = [], {}
    for answer in _rooms().answers(room.id):
        if answer.step not in known:
            known[answer.step] = asked(room._replace(step=answer.step))
        found = known[answer.step]
        given = found.question.read(answer.content) if found else None
        score = found.question.score(given) if found and given is not None else None
        prompt = found.prompt if found else ""
        rows.append((answer.step, prompt, answer.student, answer.content, score, answer.is_hidden, answer.created))
    return pd.DataFrame(rows, columns=["step", "question", "student", "answer", "score", "hidden", "unix_time"])


# ---- the lecturer's own questions


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
    owns = (*room.state.owns, own)
    change(room._replace(state=replace(room.state, own=len(owns), owns=owns)))


def vote_on(room: Room, merge: str) -> None:
    """Merge the pair that the class chose, and ask for the next one. For callbacks."""
    own = own_of(room)
    if own is not None:
        _attempt(lambda: _begin_own(room, own._replace(merges=(*own.merges, merge))))


def back_to_plan(room: Room) -> None:
    """Return from the lecturer's own question to the plan. For callbacks."""
    _attempt(lambda: change(room._replace(state=replace(room.state, own=0))))
