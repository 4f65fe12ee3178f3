"""The teacher's view of the library: everybody's runs and rooms, to delete one by one or all at once."""

import pandas as pd
import streamlit as st

from app.classroom.room.live import LIVE
from app.classroom.store.rooms import rooms_of
from app.parts.choices import action_button
from app.parts.data_table import draw_table, headings
from app.parts.problem import attempt
from app.server.library import library
from app.server.store.store import Run
from app.server.teacher import door
from app.session import state
from app.texts.i18n import t
from app.views.train.run_table import TABLE_HEIGHT, as_times, forget_file, id_choice, render_run_choice, time_column

_CHOSEN_ROOM = "teacher.room"


_PASSWORD, _CHOSEN, _FAILED = "teacher.password", "teacher.run", "teacher.failed"


def render_teacher_view() -> None:
    """The password field, then the whole library. Draws nothing if the server has no teacher's password."""
    if not door().exists:
        return
    with st.expander(t("library.teacher.heading"), icon=":material/school:", expanded=_is_inside()):
        if _is_inside():
            _render_everything()
        else:
            _render_password()


def _is_inside() -> bool:
    return bool(st.session_state.get(state.TEACHER))


def _render_password() -> None:
    st.text_input(t("library.teacher.password"), type="password", key=_PASSWORD, autocomplete="off", max_chars=200)
    st.button(t("library.teacher.enter"), key="teacher.enter", on_click=_enter)
    if st.session_state.get(_FAILED):
        st.error(t("library.teacher.wrong"), icon=":material/error:")


def _enter() -> None:
    st.session_state[state.TEACHER] = door().opens(st.session_state[_PASSWORD], state.visitor())
    st.session_state[_FAILED] = not st.session_state[state.TEACHER]
    st.session_state[_PASSWORD] = ""


def _render_everything() -> None:
    runs = library().runs.all()
    st.caption(
        t("library.teacher.size", runs=len(runs), texts=library().texts.count(), megabytes=library().size() / 1e6)
    )
    if runs:
        run = render_run_choice(runs, "library.all", _CHOSEN)
    _render_all_rooms()
    with st.container(horizontal=True, gap="small", key="teacher.actions"):
        if runs:
            action_button(t("library.teacher.remove"), f"teacher.remove.{run.id}", ":material/delete:", _remove, run)
        with st.popover(t("library.teacher.remove_all"), icon=":material/delete_sweep:"):
            st.markdown(t("library.teacher.remove_all_note"))
            st.button(t("library.delete_sure"), key="teacher.remove_all", on_click=_remove_all)
        st.button(t("library.teacher.leave"), key="teacher.leave", on_click=_leave, icon=":material/logout:")


def _remove(run: Run) -> None:
    if _is_inside():
        attempt(lambda: library().runs.remove(run.id), t("library.deleted", name=run.name))
        forget_file(run.id)


def _remove_all() -> None:
    if _is_inside():
        ids = [run.id for run in library().runs.all()]
        attempt(library().remove_all, t("library.teacher.removed_all"))
        for run_id in ids:
            forget_file(run_id)


def _leave() -> None:
    st.session_state[state.TEACHER] = False


def _render_all_rooms() -> None:
    """All rooms, open or kept, and the button that deletes one."""
    rooms = {room.id: room for room in rooms_of(library()).all()}
    if not rooms:
        return
    names = {
        id_: room.code or t("library.teacher.kept_room", place=k)
        for k, (id_, room) in enumerate(rooms.items(), start=1)
    }
    table = pd.DataFrame(
        [(names[room.id], room.phones, room.answers, room.expires) for room in rooms.values()],
        columns=["room", "phones", "answers", "expires"],
    )
    table["expires"] = as_times(table["expires"])
    expires = time_column("YYYY-MM-DD HH:mm")
    columns = headings("library.teacher", room="", phones="localized", answers="localized", expires=expires)
    draw_table(table, columns, "library.all_rooms", TABLE_HEIGHT)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = id_choice(t("library.teacher.room"), names, _CHOSEN_ROOM)
        label, key = t("library.teacher.remove_room"), f"teacher.remove_room.{chosen}"
        action_button(label, key, ":material/delete:", _remove_room, chosen, names[chosen])


def _remove_room(room_id: str, name: str) -> None:
    attempt(lambda: rooms_of(library()).remove(room_id), t("library.teacher.removed_room", name=name))
    LIVE.forget(room_id)
