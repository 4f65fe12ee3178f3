"""Tells the browser which language the page is in, so that screen readers speak it and hyphenation follows it."""

import streamlit as st

_component = st.components.v2.component(
    "page_language",
    js="export default function ({ data }) { document.documentElement.lang = data.language }",
)


def render_page_language(language: str) -> None:
    """Set the language of the document: `ko` or `en`."""
    _component(key="page_language", data={"language": language})
