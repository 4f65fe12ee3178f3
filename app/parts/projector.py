"""Projector mode: no sidebar, and letters legible from the last row."""

import streamlit as st

from app import ASSETS
from app.parts.choices import url_toggle
from app.texts.i18n import t

PROJECTOR = "projector"  # in the URL of every page


def render_projector_switch() -> None:
    """The switch, at the top of every page: it hides the sidebar, so it cannot be in it."""
    if url_toggle(PROJECTOR, t("frame.projector")):
        st.html(ASSETS / "styles" / "projector.css")
