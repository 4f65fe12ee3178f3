"""Tables and choices of library entries."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.parts.data_table import draw_table, headings
from app.server.store.store import Run, SavedText
from app.texts.i18n import t
from engine.pictures.showable import showable

TABLE_HEIGHT = 320  # at most, in pixels


def runs_table(runs: Sequence[Run]) -> pd.DataFrame:
    """One row per run: name, tokenizer, corpus, has_text, vocab_size, megabytes, created (UTC)."""
    table = pd.DataFrame(
        {
            "name": [run.name for run in runs],
            "tokenizer": [str(run.settings.get("tokenizer", "")) for run in runs],
            "corpus": [run.corpus_name for run in runs],
            "has_text": [run.corpus_size > 0 for run in runs],
            "vocab_size": [run.settings.get("vocab_size") for run in runs],
            "megabytes": [(run.size + run.corpus_size) / 1e6 for run in runs],
            "created": _times([run.created for run in runs]),
        }
    )
    return table.astype({"vocab_size": "Int64"})


def texts_table(texts: Sequence[SavedText]) -> pd.DataFrame:
    """One row per text: beginning, kilobytes (compressed), created, expires (UTC)."""
    return pd.DataFrame(
        {
            "beginning": [text.beginning for text in texts],
            "kilobytes": [text.size / 1e3 for text in texts],
            "created": _times([text.created for text in texts]),
            "expires": _times([text.expires for text in texts]),
        }
    )


def _times(seconds: Sequence[int]) -> pd.DatetimeIndex:
    """Seconds since 1970 as timestamps; NaT for those of a wrong clock that pandas cannot represent."""
    return pd.to_datetime(list(seconds), unit="s", utc=True, errors="coerce")


def render_run_table(runs: Sequence[Run], key: str) -> None:
    """The table of runs; times are in the browser's time zone."""
    table = runs_table(runs)
    for name in ("name", "corpus"):
        table[name] = table[name].map(showable)
    texts, has_text = {"name": "", "tokenizer": "", "corpus": ""}, st.column_config.CheckboxColumn()
    columns = headings("library.column", **texts, has_text=has_text, vocab_size="localized", megabytes="%.2f")
    columns |= headings("library.column", created=time_column("YYYY-MM-DD HH:mm"))
    draw_table(table, columns, key, TABLE_HEIGHT)


def time_column(shape: str) -> ColumnConfig:
    return st.column_config.DatetimeColumn(format=shape, timezone=st.context.timezone or "UTC")


def run_choice(runs: Sequence[Run], key: str) -> Run:
    """The choice of a run by name; equal names are distinguished by position."""
    times = Counter(run.name for run in runs)
    names = {
        run.id: showable(run.name) + (f" ({len(runs) - i})" if times[run.name] > 1 else "")
        for i, run in enumerate(runs)
    }
    chosen = id_choice(t("library.choose"), names, key)
    return next(run for run in runs if run.id == chosen)


def id_choice(label: str, names: Mapping[str, str], key: str) -> str:
    if st.session_state.get(key) not in names:
        st.session_state[key] = next(iter(names))
    return str(st.selectbox(label, list(names), format_func=names.__getitem__, key=key))
