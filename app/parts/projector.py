"""Projector mode: the menu is a strip of icons, and letters are legible from the last row.

The browser remembers it, and no link has it: an address with `projector=true` switches it on and loses the parameter.
"""

import streamlit as st

from app import ASSETS
from app.parts.figures.base import Plot
from app.parts.figures.projected import projected
from app.session.state import PROJECTOR
from app.texts.i18n import t

_PROJECTOR = "projector"  # in the address, and the key of the switch


def adopt_projector() -> None:
    """Take it from the address; before anything is drawn."""
    if _PROJECTOR in st.query_params:
        st.session_state[PROJECTOR] = st.query_params[_PROJECTOR] == "true"
        del st.query_params[_PROJECTOR]


def is_projected() -> bool:
    return bool(st.session_state.get(PROJECTOR))


def render_projector_switch() -> None:
    """The switch, at the top of every page."""
    st.session_state[_PROJECTOR] = is_projected()
    st.toggle(t("frame.projector"), key=_PROJECTOR, on_change=_switch)
    if is_projected():
        st.html(ASSETS / "styles" / "projector.css")


def _switch() -> None:
    st.session_state[PROJECTOR] = bool(st.session_state[_PROJECTOR])


def for_screen(figure: Plot) -> Plot:
    """The figure as this screen shows it."""
    return projected(figure) if is_projected() else figure
