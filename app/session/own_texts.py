"""Visitors' own texts named in the page's link: `own=` has the name, length and hash of each.

An id in the link, `text.<hash>`, has only the hash; whoever opens the link without the text learns which one is meant.
Where there are several processes, the library keeps these texts, too, for the visitor's next session: theirs may die.
"""

import re
import time
from contextlib import suppress
from typing import NamedTuple

import streamlit as st

from app.server.library import library
from app.server.limits import is_one_of_several
from app.server.memory import memory
from app.server.store.store import MAX_TEXT_BYTES, LibraryError
from app.server.stored_texts import HeldTexts, touch_texts
from app.session import state
from app.session.url import UrlValue
from app.texts.corpora import OWN_TEXTS


def held_texts() -> HeldTexts:
    """The session's own texts; those of its model and its last training are dropped last."""
    held = _session_texts(state.CORPORA)
    model = str(st.session_state.get(state.MODEL, "")).partition("~")[0]
    held.needed = {
        st.session_state.get(state.RECOGNIZED, {}).get(model, model),
        st.session_state.get(state.TRAINING, ""),
    }
    if held:
        touch_texts(held, memory())
    return held


def held_parallel() -> HeldTexts:
    """The session's own parallel texts: each is JSON, lines by language."""
    held = _session_texts(state.PARALLEL)
    if held:
        touch_texts(held, memory())
    return held


def _session_texts(key: str) -> HeldTexts:
    held: HeldTexts = st.session_state.setdefault(key, HeldTexts())
    return held


CHOSEN_TEXTS = "texts.chosen"  # the ids of the texts to measure, `texts` in the URL
# URL parameters whose values refer to texts by id.
_NAMING = (state.MODEL, "texts", "and", "draft", "files")
_ID = re.compile(rf"(?<![\w.]){OWN_TEXTS}\.([0-9a-f]{{24}})(?![0-9a-f])")
_LINE = re.compile(r"([0-9a-f]{24}) ([0-9]{0,9}) ?(.*)")
_MAX_NAME, _MAX_LINKED = 80, 12


class OwnText(NamedTuple):
    """A text as a link describes it.

    Attributes
    ----------
    digest : the first digits of its SHA-256 (hex), as in its id.
    n_lines : number of non-empty lines; None if the link does not have it.
    name : of its file; empty for a pasted text, or if the link does not have it.
    """

    digest: str
    n_lines: int | None = None
    name: str = ""

    @property
    def id(self) -> str:
        return f"{OWN_TEXTS}.{self.digest}"


def unpack_own(packed: str) -> list[OwnText]:
    lines = (state.unpack_text(packed) or "").replace("\ufffd", "").splitlines()[:_MAX_LINKED]
    found = [match for line in lines if (match := _LINE.fullmatch(line))]
    return [OwnText(one[1], int(one[2]) if one[2] else None, one[3][:_MAX_NAME]) for one in found]


def pack_own(texts: list[OwnText]) -> str | None:
    lines = (f"{one.digest} {'' if one.n_lines is None else one.n_lines} {one.name}" for one in texts)
    return state.pack_text("\n".join(lines))


_LINKED_TEXTS: UrlValue[list[OwnText]] = UrlValue("own", "session.own", unpack_own, pack_own, [])
_KNOWN = "session.own_known"  # everything links have said about texts in this session, by id
_SAVED_AT = "session.own_saved"  # when the library was last given a text of this session, by id
_SAVE_SECONDS = 600.0


def adopt_own_texts() -> None:
    known: dict[str, OwnText] = st.session_state.setdefault(_KNOWN, {})
    known.update((one.id, one) for one in _LINKED_TEXTS.adopt())


def publish_own_texts() -> None:
    texts = [own_text_of(id_) for id_ in _named()[:_MAX_LINKED]]
    _LINKED_TEXTS.publish(
        [one for one in texts if one.n_lines is not None]
    )  # nothing but the id is known of the others
    if is_one_of_several() and st.session_state.get(state.OWNER):
        _save(state.owner())


def _save(owner: str) -> None:
    """Give the texts that the link names to the library, or extend their time there. Longer ones are not kept."""
    held, saved_at, now = held_texts(), st.session_state.setdefault(_SAVED_AT, {}), time.monotonic()
    for id_ in _named()[:_MAX_LINKED]:
        is_due = now - saved_at.get(id_, -_SAVE_SECONDS) >= _SAVE_SECONDS
        if is_due and id_ in held and held[id_].n_bytes <= MAX_TEXT_BYTES:
            saved_at[id_] = now
            with suppress(LibraryError):
                library().texts.save_for_session(id_, held[id_].read(), owner)


def text_in_library(id_: str, owner: str) -> str | None:
    """What a session of the visitor's had under this id within the last hour."""
    with suppress(LibraryError):
        return library().texts.find_for_session(id_, owner)
    return None


def remove_text(id_: str) -> None:
    """Remove a text of the session, here, from the library, and where this run would miss it."""
    held_texts().pop(id_, None)
    if st.query_params.get("draft", "").partition("~")[0] == id_:
        del st.query_params["draft"]
    if id_ in (chosen := st.session_state.get(CHOSEN_TEXTS, [])):
        st.session_state[CHOSEN_TEXTS] = [one for one in chosen if one != id_]
        st.query_params["texts"] = ",".join(st.session_state[CHOSEN_TEXTS])
    if st.session_state.get(_SAVED_AT, {}).pop(id_, None) is not None:
        with suppress(LibraryError):
            library().texts.delete_for_session(id_, state.owner())


def own_text_of(id_: str) -> OwnText:
    """What is known of a visitor's own text: from the text itself, a link, or earlier in this session."""
    held = held_texts()
    digest = id_.partition(".")[2]
    if id_ in held:
        name = " ".join(held[id_].name.split())
        known = OwnText(digest, held[id_].n_lines, name[:_MAX_NAME])
        st.session_state.setdefault(_KNOWN, {})[id_] = known  # the text may be dropped later
    found: OwnText = st.session_state.get(_KNOWN, {}).get(id_, OwnText(digest))
    return found


def missing_texts() -> list[OwnText]:
    held = held_texts()
    return [own_text_of(id_) for id_ in _named() if id_ not in held]


def is_own_id(id_: str) -> bool:
    return bool(_ID.fullmatch(id_))


def _named() -> list[str]:
    values = [str(st.session_state.get(state.MODEL, "")), *(st.query_params.get(name, "") for name in _NAMING)]
    return list(dict.fromkeys(f"{OWN_TEXTS}.{digest}" for value in values for digest in _ID.findall(value)))
