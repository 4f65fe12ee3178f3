"""Who pays more? How many more tokens a language takes than English for the same content, model by model."""

import streamlit as st

from app.texts.i18n import t
from app.views.cost.korean import render_korean
from app.views.cost.money import render_money
from app.views.cost.premium import chosen_language, render_language_choice, render_others, render_premium

st.title(t("cost.title"))
code = chosen_language()
render_premium(code)
render_language_choice()
render_others(code)
render_money(code)
render_korean()
