"""Texts of one's own that the page's link names: `own=` says what each is called, how long it is, and its hash.

An id in the link, `text.<hash>`, is the hash alone; whoever opens the link without the text learns which one is meant.
"""

import re
from typing import NamedTuple

import streamlit as st

from app.session import state
from app.session.stored_texts import held_texts
from app.session.url import UrlValue
from app.texts.corpora import HELD

# Parameters of the URL whose values name texts by their ids.
_NAMING = (state.MODEL, "texts", "and", "draft")
_ID = re.compile(rf"(?<![\w.]){HELD}\.([0-9a-f]{{24}})(?![0-9a-f])")
_LINE = re.compile(r"([0-9a-f]{24}) ([0-9]{0,9}) ?(.*)")
_MAX_NAME, _MAX_LINKED = 80, 12


class OwnText(NamedTuple):
    """A text as a link describes it.

    Attributes
    ----------
    digest : the beginning of its SHA-256 (hex), as in its id.
    n_lines : lines that are not empty; None where the link does not say.
    name : of its file; empty for a pasted text, or where the link does not say.
    """

    digest: str
    n_lines: int | None = None
    name: str = ""

    @property
    def id(self) -> str:
        """As `app.texts.corpora.Text.id`."""
        return f"{HELD}.{self.digest}"


def unpack_own(packed: str) -> list[OwnText]:
    """The texts that `pack_own` wrote."""
    lines = (state.unpack_text(packed) or "").replace("\ufffd", "").splitlines()[:_MAX_LINKED]
    found = [match for line in lines if (match := _LINE.fullmatch(line))]
    return [OwnText(one[1], int(one[2]) if one[2] else None, one[3][:_MAX_NAME]) for one in found]


def pack_own(texts: list[OwnText]) -> str | None:
    """Texts as a parameter of the URL says them."""
    lines = (f"{one.digest} {'' if one.n_lines is None else one.n_lines} {one.name}" for one in texts)
    return state.pack_text("\n".join(lines))


_OWN: UrlValue[list[OwnText]] = UrlValue("own", "session.own", unpack_own, pack_own, [])
_KNOWN = "session.own_known"  # all that links have said of texts in this session, by id


def adopt_own_texts() -> None:
    """Take over what the link says of texts."""
    known: dict[str, OwnText] = st.session_state.setdefault(_KNOWN, {})
    known.update((one.id, one) for one in _OWN.adopt())


def publish_own_texts() -> None:
    """Say in the URL which texts it names; after every parameter that may name others."""
    texts = [own_text_of(id_) for id_ in _named()[:_MAX_LINKED]]
    _OWN.publish([one for one in texts if one.n_lines is not None])  # of others their ids say all that is known


def own_text_of(id_: str) -> OwnText:
    """What is known of a text of somebody's own: by the text itself, or as a link or this session has said."""
    held = held_texts()
    digest = id_.partition(".")[2]
    if id_ in held:
        name = " ".join(held[id_].name.split())
        known = OwnText(digest, held[id_].n_lines, name[:_MAX_NAME])
        st.session_state.setdefault(_KNOWN, {})[id_] = known  # it may have to go
    found: OwnText = st.session_state.get(_KNOWN, {}).get(id_, OwnText(digest))
    return found


def missing_texts() -> list[OwnText]:
    """The texts that the URL names and the session does not have."""
    held = held_texts()
    return [own_text_of(id_) for id_ in _named() if id_ not in held]


def is_own_id(id_: str) -> bool:
    """Whether it is the id of a text of somebody's own."""
    return bool(_ID.fullmatch(id_))


def _named() -> list[str]:
    """Ids of texts of somebody's own in the URL."""
    values = [str(st.session_state.get(state.MODEL, "")), *(st.query_params.get(name, "") for name in _NAMING)]
    return list(dict.fromkeys(f"{HELD}.{digest}" for value in values for digest in _ID.findall(value)))
