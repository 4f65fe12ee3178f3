"""How differently tokenizers treat languages, and which languages gained from a maker's first tokenizer to its last."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.parts.data_table import ALL_ROWS, PINNED, draw_table, headings
from app.parts.texts.text_set import language_name
from app.texts.i18n import t
from app.views.cost.stored import BASE, SENTENCES, costs_by_language, family_table
from engine.measure.parallel import gini, max_min_ratio


def render_fairness(code: str) -> None:
    """The equity of the public tokenizers, and who gained from a maker's first to its last."""
    st.subheader(t("fertility.equity.heading"), anchor=False)
    render_equity(costs_by_language(SENTENCES), "cost.equity")
    _render_families(code)


def render_equity(costs: Mapping[str, pd.Series], key: str) -> None:
    """How unequal the tokens of the same content are between languages.

    Parameters
    ----------
    costs : by tokenizer, tokens in each language.
    """
    rows = [(title, max_min_ratio(values), gini(values), len(values)) for title, values in costs.items()]
    table = pd.DataFrame(rows, columns=["title", "max_min", "gini", "n"])
    columns = headings("cost.column", title=PINNED) | headings("fertility.equity", max_min="%.2f", gini="%.3f", n="%d")
    draw_table(table, columns, key, ALL_ROWS)
    st.caption(t("fertility.equity.note"))


def _render_families(code: str) -> None:
    st.subheader(t("cost.families.heading"), anchor=False)
    table, name = family_table(SENTENCES, code), language_name(code)
    worse, better = int((table["base_low"] > 0).sum()), int((table["high"] < 0).sum())
    st.markdown(t("cost.families.who_paid", n=len(table), worse=worse, better=better, name=name))
    changes = pd.DataFrame(
        {
            "families": table["first"] + " → " + table["last"],
            "change": [_change(*row) for row in table[["value", "low", "high"]].to_numpy()],
            "base": [_change(*row) for row in table[["base", "base_low", "base_high"]].to_numpy()],
            "dearest": [
                f"{language_name(other)} {value:+.1f}%"
                for other, value in table[["dearest", "dearest_value"]].to_numpy()
            ],
        }
    )
    columns = headings("cost.families", {"name": name}, families=PINNED, change="")
    columns |= headings("cost.families", {"name": language_name(BASE)}, base="", dearest="")
    draw_table(changes, columns, "cost.families", ALL_ROWS)


def _change(value: float, low: float, high: float) -> str:
    return f"{value:+.1f}% ({low:+.1f} ~ {high:+.1f})"
