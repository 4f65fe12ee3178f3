"""Column headings of token tables, and their values in the session's language."""

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.parts.tables.tokens import FATES, LOW_SCORE, RARE
from app.parts.tables.units import factor_of, is_entropy
from app.parts.tokens.token_class_filter import kind_names
from app.texts.i18n import t
from engine.pruning_scores import ENTROPY, NO_UNIT, PRUNING_SCORES, TOKENS
from engine.unigram.model.levels import LEVELS

_UNIT_FORMATS = {NO_UNIT: "%.3g", ENTROPY: "%.4g", TOKENS: "localized"}
_FORMATS = {name: _UNIT_FORMATS[score.unit] for name, score in PRUNING_SCORES.items()}
_FORMATS |= {"be": "%.3f", "rank": "localized"}


def token_columns(columns: list[str], unit: str) -> dict[str, ColumnConfig]:
    """Streamlit's configuration of the columns of a table of tokens, in the order given."""
    name = t(f"figure.unit.{unit}")
    made: dict[str, ColumnConfig] = {}
    for column in columns:
        label = t(f"figure.column.{column}", unit=name)
        if column in _FORMATS:
            made[column] = st.column_config.NumberColumn(label, format=_FORMATS[column])
        else:
            made[column] = st.column_config.TextColumn(label)
    return made


def shown_tokens(table: pd.DataFrame, columns: list[str], unit: str) -> pd.DataFrame:
    """These columns of `round_tokens` with entropies in the unit and codes in the session's language."""
    words = {
        "level": {level: t(f"figure.level.{level}") for level in LEVELS},
        "fate": {fate: t(f"scores.fate.{fate}") for fate in FATES},
        "kind": kind_names() if "kind" in columns else {},
        "reason": {code: t(f"figure.reason.{code}") for code in (RARE, LOW_SCORE)} | {"": ""},
    }
    made = {}
    for column in columns:
        values = table[column]
        if column in words:
            values = values.astype(object).map(words[column])
        elif column in PRUNING_SCORES:
            values = values * factor_of(column, unit)
        elif column == "rank":
            values = values.astype("Int64").where(values > 0)  # a byte has no rank
        made[column] = values
    return pd.DataFrame(made)


def token_file(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The same columns for a file: codes instead of words, entropies in nats and named so."""
    return table[columns].rename(
        columns={name: f"{name}_nats" for name in columns if name in PRUNING_SCORES and is_entropy(name)}
    )
