"""Who pays more? How many more tokens a language takes than English for the same content, model by model."""

from app.parts.layout import heading, layout
from app.views.cost.equity import render_equity
from app.views.cost.korean import render_korean
from app.views.cost.money import render_context, render_money
from app.views.cost.own_sentence import render_own_sentence
from app.views.cost.premium import (
    chosen_language,
    premium_sentence,
    render_language_choice,
    render_others,
    render_premium,
)

code = chosen_language()
heading("cost", sentence=f"### {premium_sentence(code)}")
view = layout()
with view.picture:
    render_premium(code)
with view.scrubber:
    render_language_choice()
with view.sections:
    render_others(code)
    render_money(code)
    render_context(code)
    render_own_sentence()
    render_korean()
    render_equity()
