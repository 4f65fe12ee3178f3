"""Sets the document language in the browser, for screen readers and hyphenation.

It also passes on the texts that Streamlit has in English only; assets/styles/app.css displays them.
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
    """Set the language of the document, e.g. `ko`."""
    _component(key="page_language", data={"language": language, "upload": t("frame.upload")})
