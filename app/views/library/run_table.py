"""Runs of the library in a table."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from app.components.shared.component import showable
from app.server.store.store import Run
from app.texts.i18n import t
from app.views.library.tables import runs_table


def render_run_table(runs: Sequence[Run], key: str) -> None:
    """The table; times are those of the browser."""
    table = runs_table(runs)
    for name in ("name", "corpus"):
        table[name] = table[name].map(showable)
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * max(1, len(table)), 320),
        key=key,
        column_config={
            "name": column.TextColumn(t("library.column.name")),
            "tokenizer": column.TextColumn(t("library.column.tokenizer")),
            "corpus": column.TextColumn(t("library.column.corpus")),
            "has_text": column.CheckboxColumn(t("library.column.has_text")),
            "vocab_size": column.NumberColumn(t("library.column.vocab_size"), format="localized"),
            "megabytes": column.NumberColumn(t("library.column.megabytes"), format="%.2f"),
            "created": column.DatetimeColumn(
                t("library.column.created"), format="YYYY-MM-DD HH:mm", timezone=st.context.timezone or "UTC"
            ),
        },
    )


def run_choice(runs: Sequence[Run], key: str) -> Run:
    """One of the runs, chosen by name; equal names are told apart by their place in the list."""
    by_id = {run.id: run for run in runs}
    times = Counter(run.name for run in runs)
    names = {
        run.id: showable(run.name) + (f" ({len(runs) - i})" if times[run.name] > 1 else "")
        for i, run in enumerate(runs)
    }
    if st.session_state.get(key) not in by_id:
        st.session_state[key] = runs[0].id
    return by_id[str(st.selectbox(t("library.choose"), list(by_id), format_func=names.__getitem__, key=key))]
