"""What the Learn pages share: guessing the next step before it is shown, content on request, links to exercises."""

import streamlit as st

from app.parts.choices import url_toggle
from app.parts.layout import Layout
from app.parts.tokens.token_field import FROM
from app.texts.exercises import EXERCISES
from app.texts.i18n import t


def hides_answers() -> bool:
    """The switch; `hide` in the URL, the same on every page."""
    return url_toggle("hide", t("frame.hide_answers"), t("frame.hide_answers_help"))


def are_answers_asked_for(view: Layout) -> bool:
    """Whether a page may show its counts: if answers are hidden, only on request, in place of the picture."""
    with view.scrubber:
        is_hidden = hides_answers()
    with view.pending:
        return not is_hidden or url_toggle("counted", t("frame.show_counts"))


def render_exercises(page: str) -> None:
    """Links to the exercises on a page, which end it; call it right after `layout`."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="exercises"):
        st.markdown(t("exercises.here"), width="content")
        for exercise in EXERCISES.values():
            if exercise.page == page:
                label, query = t(f"exercises.{exercise.id}.name"), {"question": exercise.id, FROM: page}
                st.page_link("views/exercises/page.py", label=label, icon=":material/quiz:", query_params=query)
