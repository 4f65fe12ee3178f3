"""The numbers behind a figure: a table that unfolds, and the file of it."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.texts.i18n import t
from engine.spreadsheet import csv_bytes, tsv_bytes

_MAX_ROWS = 1000


def render_data(
    name: str, table: pd.DataFrame, columns: Mapping[str, Any], file: Callable[[], pd.DataFrame] | None = None
) -> None:
    """A folded table with a download.

    Parameters
    ----------
    name : of the file, and part of the keys.
    table : what is shown; of a long one the first rows, which is said.
    columns : Streamlit's column configuration by column; other columns are not shown.
    file : makes the table of the file, when it is asked for; by default what is shown.
    """
    with st.expander(t("figure.data"), icon=":material/table_rows:"):
        shown = table.head(_MAX_ROWS)
        st.dataframe(shown, hide_index=True, column_order=list(columns), column_config=dict(columns), placeholder="–")
        if len(shown) < len(table):
            st.caption(t("figure.data_first", shown=len(shown), count=len(table)))
        download_csv(name, file or (lambda: table))


def download_csv(name: str, make: Callable[[], pd.DataFrame], label: str = "") -> None:
    """A button that makes a CSV file when it is clicked."""
    st.download_button(
        label or t("figure.csv"),
        lambda: csv_bytes(make()),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"csv.{name}",
        icon=":material/download:",
        on_click="ignore",
    )


def download_tsv(name: str, make: Callable[[], pd.DataFrame], label: str, help_text: str | None = None) -> None:
    """A button that makes a TSV file when it is clicked. Tabs and line ends in texts must have been replaced."""
    st.download_button(
        label,
        lambda: tsv_bytes(make()),
        file_name=f"{name}.tsv",
        mime="text/tab-separated-values",
        key=f"tsv.{name}",
        icon=":material/download:",
        help=help_text,
        on_click="ignore",
    )
