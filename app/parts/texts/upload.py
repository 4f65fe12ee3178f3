"""A file from the visitor: read once, named while it is in use, and forgotten once it is removed or replaced.

A visit to another page empties Streamlit's field without a change: what was read remains, with its name.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.server.limits import limits, variable
from app.server.stored_texts import HeldTexts, session_mb
from app.texts.corpora import joined_name
from app.texts.i18n import t
from app.texts.plain import plain
from engine.errors import InputError


def render_dropped(held: HeldTexts) -> None:
    """Which texts are no longer stored and what to do, until they are uploaded again or the visitor dismisses it."""
    if not held.dropped:
        return
    with st.container(border=True, key="dropped_texts"):
        names = ", ".join(
            t("own_text.size", name=one.name or t("model.own_text"), megabytes=one.n_bytes / 1e6)
            for one in held.dropped.values()
        )
        st.warning(t("own_text.dropped", names=plain(names)), icon=":material/delete_sweep:")
        st.caption(
            t(
                "own_text.dropped_why",
                session=session_mb(),
                server=limits().memory_mb,
                variables=f"{variable('corpus_mb')}, {variable('memory_mb')}",
            )
        )
        st.button(t("own_text.read"), on_click=held.dropped.clear, key="dropped_texts.read", icon=":material/check:")


_Content = TypeVar("_Content")


class Upload(NamedTuple, Generic[_Content]):
    """What was read from files, and their name."""

    name: str
    content: _Content


def upload_key(key: str) -> str:
    """Where the session stores the `Upload` of the field with this key."""
    return f"{key}.upload"


def render_file_field(
    label: str,
    key: str,
    read: Callable[[list[UploadedFile]], _Content],
    *,
    is_valid: Callable[[_Content | InputError], bool] = lambda _: True,
    help: str | None = None,
    type: Sequence[str] | None = None,
    max_upload_size: int | None = None,
    accept_multiple_files: bool = False,
) -> Upload[_Content] | None:
    """The field, and what `read` returns for its files; None without files.

    Parameters
    ----------
    is_valid : whether what was read, or the refusal, still holds; otherwise files in the field are read again.
    help, type, max_upload_size, accept_multiple_files : as of `st.file_uploader`.

    Raises
    ------
    InputError : `read` refused the files that are in the field.
    """
    stored = upload_key(key)
    field = st.file_uploader(
        label,
        type=type,
        key=key,
        help=help,
        on_change=_forget,
        args=(stored,),
        max_upload_size=max_upload_size,
        accept_multiple_files=accept_multiple_files,
    )
    files = field if isinstance(field, list) else [field] if field else []
    upload: Upload[_Content | InputError] | None = st.session_state.get(stored)
    if files and (upload is None or not is_valid(upload.content)):
        upload = Upload(joined_name(sorted(file.name for file in files)), _read(read, files))
        st.session_state[stored] = upload
    if upload is None:
        return None
    if isinstance(upload.content, InputError):
        if files:
            raise upload.content.again()
        return None
    if not files:
        st.caption(t("own_text.in_use", name=plain(upload.name)))
        label = t("own_text.remove")
        st.button(label, on_click=_forget, args=(stored,), key=f"{key}.remove", icon=":material/close:")
    return Upload(upload.name, upload.content)


def _read(read: Callable[[list[UploadedFile]], _Content], files: list[UploadedFile]) -> _Content | InputError:
    try:
        return read(files)
    except InputError as error:
        return error.again()


def _forget(stored: str) -> None:
    st.session_state.pop(stored, None)
