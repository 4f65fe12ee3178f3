"""Morphology: which tokenizer keeps morphemes, and how alike it cuts the forms of verbs."""

import streamlit as st

from app.parts.choices import url_choice
from app.parts.tokenizer_set import render_ready_made
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.texts.i18n import t
from app.views.morphology.gold import render_scores
from app.views.morphology.grid import render_grid

_SECTIONS = {"scores": render_scores, "grid": render_grid}

st.title(t("morphology.title"))
section = url_choice(
    "view", t("morphology.view.label"), {name: t(f"morphology.view.{name}") for name in _SECTIONS}, "scores"
)
st.markdown(t(f"morphology.intro.{section}"))
shown = render_ready_made("shipped", "public", FIRST_SHIPPED, FIRST_PUBLIC)
if shown:
    _SECTIONS[section](shown)
else:
    st.info(t("morphology.choose"), icon=":material/library_books:")
