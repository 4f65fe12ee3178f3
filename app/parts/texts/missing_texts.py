"""Visitors' own texts that a link refers to and that are missing here: a list, and fields to supply them."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.components.browser import awaited_key
from app.parts.problem import reason
from app.parts.texts.corpus_choice import read_files
from app.server.limits import is_one_of_several, limits
from app.server.stored_texts import checked_text, hold
from app.session.models import ask_for, current_reference
from app.session.own_texts import OwnText, held_texts, missing_texts, text_in_library
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.joined import Reading
from engine.errors import InputError

_FILES, _PASTED, _READ = "missing_texts.files", "missing_texts.pasted", "missing_texts.read"
_LOOKED_UP = "missing_texts.looked_up"
_MAX_FILES, _MAX_PASTED = 20, 1_000_000


def render_missing_texts() -> None:
    """List missing texts by name, lines and hash; once the same texts are supplied, the view is as in the link.

    Those that the visitor had at a process that has died are back at once.
    """
    missing = missing_texts()
    if not missing:
        return
    if is_one_of_several() and _take(_from_library(missing), {one.id: one for one in missing}):
        st.rerun()
    with st.container(border=True, key="missing_texts"):
        st.warning(t("own_text.missing", count=len(missing)), icon=":material/link_off:")
        st.markdown("\n".join(f"- {_described(one)}" for one in missing))
        with st.popover(t("own_text.give"), icon=":material/upload_file:", key="missing_texts.give"):
            try:
                given = _give()
            except InputError as error:
                st.error(plain(reason(error)), icon=":material/error:")
                return
        if _take(given, {one.id: one for one in missing}):
            st.rerun()
        if given:
            others = "\n".join(f"- {_described(OwnText(one.digest, one.n_lines, one.name))}" for one in given)
            st.error(f"{t('own_text.other')}\n{others}", icon=":material/difference:")


def _from_library(missing: Sequence[OwnText]) -> list[Text]:
    """Those of the missing texts that the library has from another session of the visitor's; each is looked up once."""
    owner, looked_up = awaited_key(), st.session_state.setdefault(_LOOKED_UP, set())
    new = [one.id for one in missing if owner and one.id not in looked_up]
    looked_up.update(new)
    return [checked_text(text) for text in (text_in_library(id_, owner) for id_ in new) if text is not None]


def _give() -> list[Text]:
    files = st.file_uploader(
        t("own_text.give"),
        key=_FILES,
        accept_multiple_files=True,
        max_upload_size=limits().upload_mb,
        help=t("own_text.give_help"),
    )
    with st.expander(t("own_text.paste"), icon=":material/edit:"):
        pasted = st.text_area(t("own_text.paste"), key=_PASTED, max_chars=_MAX_PASTED, height=140)
        st.button(t("own_text.check"), key="missing_texts.check", disabled=not pasted)
    st.caption(t("corpus.private"))
    return [*_read(files[:_MAX_FILES]), *([checked_text(pasted)] if pasted else [])]


def _described(text: OwnText) -> str:
    name = f"**{plain(text.name or t('model.own_text'))}**"
    if text.n_lines is None:
        return t("own_text.about_hash", name=name, digest=text.digest)
    return t("own_text.about", name=name, lines=text.n_lines, digest=text.digest)


def _take(given: Sequence[Text], missing: dict[str, OwnText]) -> bool:
    """Store the texts that are missing; whether there was one. Supplying a model's text also requests the model."""
    found = [one for one in given if one.id in missing]
    for one in found:
        hold(checked_text(one.read(), missing[one.id].name or one.name, one.parts), held_texts())
        if current_reference().source_id == one.id:
            ask_for([current_reference()])
    return bool(found)


def _read(files: Sequence[UploadedFile]) -> list[Text]:
    """The text of every file, and all of them joined in order of name; read once, not in every run."""
    files = sorted(files, key=lambda file: str(file.name))
    key = tuple(file.file_id for file in files)
    read: tuple[tuple[str, ...], list[Text] | InputError] | None = st.session_state.get(_READ)
    if read is None or read[0] != key:
        try:
            found: list[Text] | InputError = _given(files)
        except InputError as error:
            found = error.again()
        read = (key, found)
        st.session_state[_READ] = read
    if isinstance(read[1], InputError):
        raise read[1].again()
    return read[1]


def _given(files: Sequence[UploadedFile]) -> list[Text]:
    content = [(file.name, file.getvalue()) for file in files]
    several = [content] if len(content) > 1 else []
    found: dict[str, Text] = {}
    for some in [*([one] for one in content), *several]:
        text, joined = read_files(some, Reading())
        found[text.id] = text
        if joined.tables:  # as a text is that was read in the order of the rows
            text, _ = read_files(some, Reading(split=False))
            found[text.id] = text
    return list(found.values())
