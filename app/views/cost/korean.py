"""The Korean sentences alone, under all tokenizers: those made for Korean have no place in a ratio to English."""

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data, say_bold
from app.parts.figures.bars import ranked_bars_figure
from app.parts.layout import render_figure
from app.session.titles import text_title
from app.texts.i18n import language, t
from app.views.cost.stored import SENTENCES, fingerprint, korean, n_sentences, ties


def render_korean() -> None:
    """Bars from the most tokens to the fewest, and what most of the gain is due to."""
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
