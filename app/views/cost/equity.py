"""How differently each tokenizer treats the languages, and where other tokenizers and texts are compared."""

import streamlit as st

from app.texts.i18n import page_address, t
from app.views.cost.stored import SENTENCES, equity_table


def render_equity() -> None:
    """The measures of all tokenizers, and links to the other views of the entry."""
    st.subheader(t("fertility.equity.heading"), anchor=False)
    column = st.column_config
    table = equity_table(SENTENCES)
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "title": column.TextColumn(t("cost.column.title"), pinned=True),
            "max_min": column.NumberColumn(t("fertility.equity.max_min"), format="%.2f"),
            "gini": column.NumberColumn(t("fertility.equity.gini"), format="%.3f"),
            "n": column.NumberColumn(t("fertility.equity.n"), format="%d"),
        },
        key="cost.equity",
        height=38 + 35 * len(table),
    )
    st.caption(t("fertility.equity.note"))
    links = [f"[{t(f'cost.more.{view}')}]({page_address('fertility', view=view)})" for view in ("languages", "texts")]
    st.markdown(" · ".join(links))
