"""Tables of the lattice page: headings with units, and the same number of decimals in every row."""

import pandas as pd
import streamlit as st

from app.texts.i18n import t

_FORMATS = {
    "log_prob": "%.4f",
    "posterior": "%.4f",
    "cumulative": "%.4f",
    "marginal": "%.5f",
    "be": "%.3f",
    "observed": "%.4f",
    "exact": "%.4f",
}


def show_table(table: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Draw a table whose columns have the texts `lattice.column.<name>`; returns it with these headings, for a file."""
    titles = {str(name): t(f"lattice.column.{name}", unit=t(f"figure.unit.{unit}")) for name in table.columns}
    number = st.column_config.NumberColumn
    columns = {
        name: number(title, format=_FORMATS[name]) if name in _FORMATS else title for name, title in titles.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)
    return table.rename(columns=titles)
