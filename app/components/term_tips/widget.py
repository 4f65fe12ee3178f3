"""Says what a term means where it stands: with the pointer on it, by keyboard, or with a tap.

Terms are links to the glossary in any text of a page, so one component in the frame serves them all; the definitions
come from `app.server.http.terms` when the first is asked for.
"""

import streamlit as st

from app.components.shared.component import script
from app.texts.i18n import language, t

_component = st.components.v2.component("term_tips", js=script("dom", "term_tips"))


def offer_term_tips() -> None:
    """Explain the terms of the page."""
    _component(key="term_tips", data={"language": language(), "more": t("glossary.more")})
