"""Who pays more? How many more tokens a language takes than English for the same content, model by model."""

from dataclasses import fields

import streamlit as st

from app.parts.choices import url_choice
from app.parts.layout import Layout, heading, layout, open_lines
from app.session.models import current_reference
from app.texts.i18n import t
from app.views.cost.fairness import render_fairness
from app.views.cost.money import render_context, render_money
from app.views.cost.own_sentence import render_own_sentence
from app.views.cost.parallel import render_parallel
from app.views.cost.parity import render_parity
from app.views.cost.premium import (
    chosen_language,
    premium_sentence,
    render_all_languages,
    render_korean,
    render_language_choice,
    render_others,
    render_premium,
)
from app.views.cost.texts import render_texts

_VIEWS = ("premium", "languages", "sentence")


def _render_more(code: str, names: tuple[str, ...]) -> None:
    places = open_lines("cost", {name: t(f"cost.more.{name}") for name in names})
    if "korean" in places:
        with places["korean"]:
            render_korean()
    if "parity" in places:
        with places["parity"]:
            render_parity()
    if "money" in places:
        with places["money"]:
            render_money(code)
            render_context(code)
    if "fairness" in places:
        with places["fairness"]:
            _render_measured()
            render_fairness(code)


def _render_measured() -> None:
    """Texts or parallel sentences under tokenizers to choose, with places of their own."""
    kinds = {"texts": render_texts, "languages": render_parallel}
    names = {name: t(f"cost.measured.{name}") for name in kinds}
    # A corpus of one language says little about others, so what is trained on it is not compared by language first.
    first = "languages" if current_reference().is_shipped else "texts"
    kind = url_choice("measured", t("cost.measured.label"), names, first)
    kinds[kind](Layout(*(st.container(gap="small") for _ in fields(Layout))))


if st.query_params.get("view") == "generations":  # of earlier links: who gained and who paid is below the picture
    del st.query_params["view"]
    st.query_params["more"] = "fairness"
code = chosen_language()
current = heading("cost", _VIEWS, lambda _: f"### {premium_sentence(code)}")
view = layout()
if current == "sentence":
    render_own_sentence(view)
else:
    with view.picture:
        if current == "premium":
            render_premium(code)
        else:
            render_all_languages(code)
    with view.scrubber:
        render_language_choice()
    with view.sections:
        render_others(code)
with view.sections:
    # A sentence of one's own has the fields for tokenizers itself.
    last = () if current == "sentence" else ("fairness",)
    korean = ("korean",) if current == "premium" and code == "ko" else ()
    _render_more(code, (*korean, "parity", "money", *last))
