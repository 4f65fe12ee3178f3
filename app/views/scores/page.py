"""Scores: branching entropy, probability and their product, token by token, and what the vocabulary consists of."""

import streamlit as st

from app.parts.choices import round_slider, unit_choice, url_choice, url_choices
from app.parts.tokenizers.active_model import active_model
from app.parts.tokens.token_class_filter import render_kinds
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.scores.composition import render_composition
from app.views.scores.distributions import render_distributions
from app.views.scores.scatter import render_scatter
from engine.unigram.model.levels import LEVELS

st.title(t("scores.title"))
st.markdown(t("scores.intro"))
active = active_model()
st.caption(plain(active.name))
with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="scores.controls"):
    views = {name: t(f"scores.view.{name}") for name in ("scatter", "distributions", "composition")}
    view = url_choice("view", t("scores.view.label"), views, "scatter")
    unit = unit_choice()
if view == "scatter":
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    with left:
        number = round_slider(active.model.kept_rounds)
    with right:
        names = {level: t(f"figure.level.{level}") for level in LEVELS}
        levels = url_choices("levels", t("scores.levels"), names)
    render_scatter(active, number, levels, unit, render_kinds(active))
else:
    number = round_slider(active.model.kept_rounds)
    if view == "distributions":
        render_distributions(active, number, unit)
    else:
        render_composition(active, number)
