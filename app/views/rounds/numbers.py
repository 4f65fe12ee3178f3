"""The figures of a round: metrics, and four curves over all rounds."""

from typing import Any

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data
from app.parts.figures.round_curve import CURVES, round_curve_figure
from app.parts.layout import render_figure
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.tokenizers.cached import cached_rounds
from app.session.models import ActiveModel
from app.texts.i18n import language, t


def render_numbers(active: ActiveModel, number: int, unit: str) -> None:
    """Metrics with their change from the round before, the curves, and their table."""
    st.header(t("rounds.numbers.heading", number=number))
    table = cached_rounds(active)
    _render_metrics(active, table, number, unit)
    for cell, column in zip(st.columns(len(CURVES)), CURVES, strict=True):
        figure = round_curve_figure(table, column, number, active.model.settings.score, unit, language())
        alt = t(f"rounds.curve.{column}", unit=t(f"figure.unit.{unit}"))
        render_figure(figure, f"rounds.curve.{column}", alt, cell, is_flat=True)
    render_data(f"rounds-{unit}", *rounds_columns(table, active.model.settings.score, unit), of=active)


def rounds_columns(table: pd.DataFrame, score: str, unit: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A `rounds_table` in the page's unit, and the headings of its columns."""
    scaled = table.assign(
        objective=table["objective"] * per_nat(unit), threshold=table["threshold"] * factor_of(score, unit)
    )
    name = t(f"figure.unit.{unit}")
    return scaled, {
        column: st.column_config.NumberColumn(t(f"rounds.column.{column}", unit=name)) for column in table.columns
    }


def _render_metrics(active: ActiveModel, table: pd.DataFrame, number: int, unit: str) -> None:
    now = table.iloc[number]
    before = table.iloc[number - 1] if number else None
    name = t(f"figure.unit.{unit}")
    kind = active.model.settings.score
    own_unit = unit_of(kind, unit)
    score_unit = f" {t(f'figure.unit.{own_unit}')}" if own_unit else ""
    shown_as: list[tuple[str, float, str, str]] = [
        ("vocab_size", 1.0, ",.0f", ""),
        ("objective", per_nat(unit), ",.2f", f" {name}"),
        ("n_tokens", 1.0, ",.0f", ""),
        ("fertility", 1.0, ".3f", ""),
        ("threshold", factor_of(kind, unit), ".3g", score_unit),
    ]
    with st.container(horizontal=True, gap="medium", key="rounds.metrics"):
        for column, factor, form, suffix in shown_as:
            value = now[column] * factor
            if pd.isna(value):
                st.metric(t(f"rounds.metric.{column}"), "–", help=t(f"rounds.metric.{column}_help"), width="content")
                continue
            delta: Any = None
            if before is not None and not pd.isna(before[column]):
                delta = f"{value - before[column] * factor:+{form}}"
            st.metric(
                t(f"rounds.metric.{column}"),
                f"{value:{form}}{suffix}",
                delta,
                delta_color="off",
                help=t(f"rounds.metric.{column}_help"),
                width="content",
            )
