"""A note about the visitor's own texts that were dropped."""

import streamlit as st

from app.server.limits import limits, variable
from app.server.stored_texts import HeldTexts, session_mb
from app.texts.i18n import t
from app.texts.plain import plain


def render_dropped(held: HeldTexts) -> None:
    """Which texts are no longer stored and what to do, until they are uploaded again or the visitor dismisses it."""
    if not held.dropped:
        return
    with st.container(border=True, key="dropped_texts"):
        names = ", ".join(
            t("own_text.size", name=one.name or t("model.own_text"), megabytes=one.n_bytes / 1e6)
            for one in held.dropped.values()
        )
        st.warning(t("own_text.dropped", names=plain(names)), icon=":material/delete_sweep:")
        st.caption(
            t(
                "own_text.dropped_why",
                session=session_mb(),
                server=limits().memory_mb,
                variables=f"{variable('corpus_mb')}, {variable('memory_mb')}",
            )
        )
        st.button(t("own_text.read"), on_click=held.dropped.clear, key="dropped_texts.read", icon=":material/check:")
