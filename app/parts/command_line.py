"""The same on the command line: what is in view as commands to copy."""

from collections.abc import Sequence

import streamlit as st

from app.texts.i18n import t


def render_commands(commands: Sequence[str]) -> None:
    """The commands, folded."""
    with st.expander(t("command.heading"), icon=":material/terminal:"):
        st.code("\n".join(commands), language="bash", wrap_lines=True)
        st.caption(t("command.note"))
