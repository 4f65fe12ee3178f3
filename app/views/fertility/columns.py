"""Headings and number formats of the cost tables."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.texts.i18n import t


def cost_columns(names: Sequence[str]) -> dict[str, Any]:
    columns: dict[str, Any] = {name: t(f"fertility.column.{name}") for name in names}
    columns["above_floor"] = st.column_config.NumberColumn(columns["above_floor"], format="percent")
    return columns
