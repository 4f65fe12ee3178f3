"""Who pays more? How many more tokens a language takes than English for the same content, model by model."""

from app.parts.layout import heading, layout
from app.views.cost.equity import render_equity
from app.views.cost.generations import generations_sentence, render_generations
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

_VIEWS = ("premium", "generations")


def _render_premium() -> None:
    code = chosen_language()
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


def _sentence(view: str) -> str:
    said = generations_sentence() if view == "generations" else premium_sentence(chosen_language())
    return f"### {said}"


current = heading("cost", _VIEWS, _sentence)
view = layout()
if current == "generations":
    render_generations(view)
else:
    _render_premium()
