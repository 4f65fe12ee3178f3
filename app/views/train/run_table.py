"""Tables and choices of what the library keeps, and what becomes of an action on it."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.parts.data_table import draw_table, headings
from app.server.store.store import Run
from app.server.work.jobs import registry
from app.session.reference import RUN
from app.texts.i18n import t
from engine.pictures.showable import showable

TABLE_HEIGHT = 320  # at most, in pixels


def render_run_choice(runs: Sequence[Run], table_key: str, key: str) -> Run:
    """The table of runs, and the choice of one by name; equal names are distinguished by position."""
    names = [showable(run.name) for run in runs]
    table = pd.DataFrame(
        {
            "name": names,
            "tokenizer": [str(run.settings.get("tokenizer", "")) for run in runs],
            "corpus": [showable(run.corpus_name) for run in runs],
            "has_text": [run.corpus_size > 0 for run in runs],
            "vocab_size": pd.array([run.settings.get("vocab_size") for run in runs], dtype="Int64"),
            "megabytes": [(run.size + run.corpus_size) / 1e6 for run in runs],
            "created": as_times([run.created for run in runs]),
        }
    )
    has_text, created = st.column_config.CheckboxColumn(), time_column("YYYY-MM-DD HH:mm")
    columns = headings("library.column", name="", tokenizer="", corpus="", has_text=has_text)
    columns |= headings("library.column", vocab_size="localized", megabytes="%.2f", created=created)
    draw_table(table, columns, table_key, TABLE_HEIGHT)
    times = Counter(names)
    numbered = [name + (f" ({len(runs) - i})" if times[name] > 1 else "") for i, name in enumerate(names)]
    chosen = id_choice(t("library.choose"), {run.id: name for run, name in zip(runs, numbered, strict=True)}, key)
    return next(run for run in runs if run.id == chosen)


def as_times(seconds: Sequence[int]) -> pd.DatetimeIndex:
    """Seconds since 1970 as timestamps; NaT for those of a wrong clock that pandas cannot represent."""
    return pd.to_datetime(list(seconds), unit="s", utc=True, errors="coerce")


def time_column(shape: str) -> ColumnConfig:
    """Times in the time zone of the browser."""
    return st.column_config.DatetimeColumn(format=shape, timezone=st.context.timezone or "UTC")


def id_choice(label: str, names: Mapping[str, str], key: str) -> str:
    if st.session_state.get(key) not in names:
        st.session_state[key] = next(iter(names))
    return str(st.selectbox(label, list(names), format_func=names.__getitem__, key=key))


def forget_file(run_id: str) -> None:
    registry().models.remove(f"{RUN}.{run_id}")
