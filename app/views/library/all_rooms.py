"""Everybody's rooms, for the teacher."""

import pandas as pd
import streamlit as st

from app.parts.data_table import Columns
from app.server.library import library
from app.server.room.live import LIVE
from app.texts.i18n import t
from app.views.library.own_runs import attempt
from app.views.library.run_table import id_choice, render_table, time_column

_CHOSEN = "teacher.room"


def render_all_rooms() -> None:
    """All rooms, open or kept, and the button that deletes one."""
    rooms = {room.id: room for room in library().rooms.all()}
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
    table["expires"] = pd.to_datetime(table["expires"], unit="s", utc=True)
    number = st.column_config.NumberColumn
    columns: Columns = {
        "room": t("library.teacher.room"),
        "phones": number(t("library.teacher.phones"), format="localized"),
        "answers": number(t("library.teacher.answers"), format="localized"),
        "expires": time_column(t("library.teacher.expires"), "YYYY-MM-DD HH:mm"),
    }
    render_table(table, "library.all_rooms", columns)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = id_choice(t("library.teacher.room"), names, _CHOSEN)
        st.button(
            t("library.teacher.remove_room"),
            key="teacher.remove_room",
            icon=":material/delete:",
            on_click=_remove,
            args=(chosen, names[chosen]),
        )


def _remove(room_id: str, name: str) -> None:
    attempt(lambda: library().rooms.remove(room_id), t("library.teacher.removed_room", name=name))
    LIVE.forget(room_id)
