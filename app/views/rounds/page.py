"""Pruning rounds: what every round removed, and why; a sentence and a token through all of them."""

import streamlit as st

from app.parts.choices import unit_choice
from app.parts.tokenizers.active_model import active_model
from app.parts.tokens.morpheme_layer import LayerOptions, analyser_choice, row_switch
from app.parts.tokens.token_class_filter import kinds_of, kinds_switch
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.rounds.history import render_history
from app.views.rounds.life import render_life
from app.views.rounds.survival import render_survival
from app.views.rounds.twin import render_twin

st.title(t("rounds.title"))
st.markdown(t("rounds.intro"))
active = active_model()
st.caption(plain(active.name))
unit = unit_choice()
with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="rounds.morphemes"):
    has_row, has_kinds = row_switch(), kinds_switch()
    analyser = analyser_choice() if has_row or has_kinds else None
kinds = kinds_of(active, analyser) if analyser and has_kinds else None
render_history(active, unit, LayerOptions(analyser) if analyser and has_row else None, kinds)
render_survival(active, kinds, has_kinds)
render_life(active, unit)
render_twin(active, unit)
