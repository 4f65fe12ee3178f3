"""Size and data: the effect of a larger vocabulary, another training language, another mixture or one more language."""

import streamlit as st

from app.parts.choices import url_choice
from app.texts.i18n import t
from app.views.growth.curves import render_curves
from app.views.growth.languages import render_languages
from app.views.growth.matrix import render_matrix
from app.views.growth.mixture import render_mixture

_SECTIONS = {"curves": render_curves, "matrix": render_matrix, "mixture": render_mixture, "languages": render_languages}

st.title(t("growth.title"))
section = url_choice("view", t("growth.view.label"), {name: t(f"growth.view.{name}") for name in _SECTIONS}, "curves")
st.markdown(t(f"growth.intro.{section}"))
_SECTIONS[section]()
