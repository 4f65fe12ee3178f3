"""Rounds: what every pruning round removed, and why; a sentence and a token on their way through them."""

import streamlit as st

from app.parts.active_model import active_model
from app.parts.choices import unit_choice
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.rounds.history import render_history
from app.views.rounds.life import render_life
from app.views.rounds.twin import render_twin

st.title(t("rounds.title"))
st.markdown(t("rounds.intro"))
active = active_model()
st.caption(plain(active.name))
unit = unit_choice()
render_history(active, unit)
render_life(active, unit)
render_twin(active, unit)
