"""The figures of a round: metrics, and four curves over all rounds; and the columns of their table."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.figures.rounds import CURVES, curve_mark, life_mark, round_curve_figure
from app.parts.layout import render_figure
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.tokenizers.cached import cached_rounds
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.i18n import language, t
from app.views.rounds.sentence import current_round

NUMBERS = "rounds.numbers"


@fragment(key=NUMBERS)
def render_numbers(active: ActiveModel, unit: str) -> None:
    """Metrics with their change from the round before; and the mark of the round in figures over all rounds."""
    number, table = current_round(), cached_rounds(active)
    st.header(t("rounds.numbers.heading", number=number))
    _render_metrics(active, table, number, unit)


def render_curves(active: ActiveModel, unit: str) -> None:
    """The curves, which `render_numbers` marks."""
    for cell, column in zip(st.columns(len(CURVES)), CURVES, strict=True):
        figure = round_curve_figure(cached_rounds(active), column, active.model.settings.score, unit, language())
        alt = t(f"rounds.curve.{column}", unit=t(f"figure.unit.{unit}"))
        render_figure(figure, _curve(column), alt, cell, is_flat=True)


def _curve(column: str) -> str:
    return f"rounds.curve.{column}"


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
    now, before = table.iloc[number], table.iloc[max(0, number - 1)]
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
            value, change = now[column] * factor, (now[column] - before[column]) * factor
            st.metric(
                t(f"rounds.metric.{column}"),
                "–" if pd.isna(value) else f"{value:{form}}{suffix}",
                f"{change:+{form}}" if number and pd.notna(change) else None,
                delta_color="off",
                help=t(f"rounds.metric.{column}_help"),
                width="content",
            )
        # A figure drawn anew takes the browser 60 ms, a style sheet none.
        st.html(f"<span></span><style>{''.join(_marks(active, table, number))}</style>")


def _marks(active: ActiveModel, table: pd.DataFrame, number: int) -> Iterator[str]:
    """Style rules that mark the round in the figures over all rounds."""
    yield life_mark("rounds.life_chart", number - active.model.first_round + 1)
    for column in CURVES:
        known = table[column].notna()
        if known[number]:
            yield curve_mark(_curve(column), int(known[: number + 1].sum()))
