"""Rounds: what every pruning round removed, and why; a sentence and a token on their way through them."""

import streamlit as st

from app.components.choices import unit_choice
from app.components.rounds_history import render_history
from app.components.rounds_life import render_life
from app.components.rounds_twin import render_twin
from app.i18n import t
from app.models import active_model
from app.text import plain

st.title(t("rounds.title"))
st.markdown(t("rounds.intro"))
active = active_model()
st.caption(plain(active.name))
unit = unit_choice()
render_history(active, unit)
render_life(active, unit)
render_twin(active, unit)
