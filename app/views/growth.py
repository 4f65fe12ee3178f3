"""Size and data: what a larger vocabulary, another training language, or another mixture changes."""

import streamlit as st

from app.components.choices import url_choice
from app.components.growth_curves import render_curves
from app.components.growth_matrix import render_matrix
from app.components.growth_mixture import render_mixture
from app.i18n import t

_SECTIONS = {"curves": render_curves, "matrix": render_matrix, "mixture": render_mixture}

st.title(t("growth.title"))
section = url_choice("view", t("growth.view.label"), {name: t(f"growth.view.{name}") for name in _SECTIONS}, "curves")
st.markdown(t(f"growth.intro.{section}"))
_SECTIONS[section]()
