"""Who pays more? How many more tokens a language takes than English for the same content, model by model."""

import pandas as pd
import streamlit as st

from app.parts.data_table import ALL_ROWS, PINNED, draw_table, headings, render_data, say_bold
from app.parts.figures.bars import ranked_bars_figure
from app.parts.layout import heading, layout, render_figure
from app.session.titles import text_title
from app.texts.i18n import language, page_address, t
from app.views.cost.generations import generations_sentence, render_generations
from app.views.cost.money import render_context, render_money
from app.views.cost.own_sentence import render_own_sentence
from app.views.cost.premium import (
    chosen_language,
    premium_sentence,
    render_language_choice,
    render_others,
    render_premium,
)
from app.views.cost.stored import SENTENCES, equity_table, fingerprint, korean, n_sentences, ties


def render_korean() -> None:
    """Bars from the most tokens to the fewest, and what most of the gain is due to."""
    st.subheader(t("cost.korean.heading"), anchor=False)
    best = ties(SENTENCES, "korean")
    rows = [
        (text_title(reference, None), reference.startswith("shipped:"), *values, reference in best)
        for reference, values in korean(SENTENCES).items()
    ]
    table = pd.DataFrame(rows, columns=["title", "is_ours", "tokens", "value", "low", "high", "best"])
    table = table.sort_values("value", ascending=False)
    title = t("cost.korean.figure", n=n_sentences(SENTENCES))
    render_figure(ranked_bars_figure(table, title, t("cost.korean.axis"), language()), "cost.korean", title)
    say_bold(table[["best"]])
    st.caption(t("cost.korean.note"))
    names = ("title", "tokens", "value", "low", "high", "best")
    columns = {name: t(f"cost.korean.column.{name}") for name in names}
    render_data(
        "cost_korean", table, columns, of=fingerprint(SENTENCES, "ko"), bold=table[["best"]].set_axis(["value"], axis=1)
    )


def render_equity() -> None:
    """The measures of all tokenizers, and links to the other views of the entry."""
    st.subheader(t("fertility.equity.heading"), anchor=False)
    columns = headings("cost.column", title=PINNED) | headings("fertility.equity", max_min="%.2f", gini="%.3f", n="%d")
    draw_table(equity_table(SENTENCES), columns, "cost.equity", ALL_ROWS)
    st.caption(t("fertility.equity.note"))
    links = [f"[{t(f'cost.more.{view}')}]({page_address('fertility', view=view)})" for view in ("languages", "texts")]
    st.markdown(" · ".join(links))


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
