"""Morphology: which tokenizer preserves morphemes, how consistently it cuts verb forms, and the effect of jamo."""

import streamlit as st

from app.parts.choices import url_choice
from app.parts.layout import layout
from app.parts.tokenizers.tokenizer_set import render_ready_made
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.texts.i18n import t
from app.views.morphology.gold import render_scores
from app.views.morphology.grid import render_grid
from app.views.morphology.jamo import render_jamo

_SECTIONS = {"scores": render_scores, "grid": render_grid}
_JAMO = "jamo"  # trains two models of its own

st.title(t("morphology.title"))
section = url_choice(
    "view", t("morphology.view.label"), {name: t(f"morphology.view.{name}") for name in (*_SECTIONS, _JAMO)}, "scores"
)
st.markdown(t(f"morphology.intro.{section}"))
if section == _JAMO:
    render_jamo()
    st.stop()
view = layout()
shown = render_ready_made(view, "shipped", "public", FIRST_SHIPPED, FIRST_PUBLIC)
if shown:
    _SECTIONS[section](shown)
else:
    st.info(t("morphology.choose"), icon=":material/library_books:")
