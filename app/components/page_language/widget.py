"""Sets the document language in the browser, for screen readers and hyphenation.

It also gives the texts that Streamlit has in English only: on the button of an upload, which assets/styles/app.css
displays, and the name of the arrow that opens a list.
"""

import streamlit as st

from app.texts.i18n import t

_component = st.components.v2.component(
    "page_language",
    js="""
    let opens
    const nameArrows = () => {
        for (const arrow of document.querySelectorAll("button[aria-haspopup=listbox]")) {
            if (arrow.ariaLabel !== opens) arrow.ariaLabel = opens
        }
    }
    export default function ({ data }) {
        document.documentElement.lang = data.language
        document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload))
        if (!opens) new MutationObserver(nameArrows).observe(document.body, { childList: true, subtree: true })
        opens = data.opens
        nameArrows()
    }""",
)


def render_page_language(language: str) -> None:
    _component(key="page_language", data={"language": language, "upload": t("frame.upload"), "opens": t("frame.opens")})
