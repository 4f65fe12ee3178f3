"""Tells the browser which language the page is in, so that screen readers speak it and hyphenation follows it.

It also hands over the texts that Streamlit has in English only; assets/styles/app.css puts them in place.
"""

import streamlit as st

from app.texts.i18n import t

_component = st.components.v2.component(
    "page_language",
    js="""export default function ({ data }) {
        document.documentElement.lang = data.language
        document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload))
    }""",
)


def render_page_language(language: str) -> None:
    """Set the language of the document, `ko` say."""
    _component(key="page_language", data={"language": language, "upload": t("frame.upload")})
