"""The distributions of the Scores page: a card per score, with its formula, its range, and tokens at both ends."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.parts.choices import round_slider, unit_choice, url_choice, url_row
from app.parts.data_table import MAX_ROWS, render_data
from app.parts.figures.base import LEGEND_ON_TOP, THIRD_COLUMNS, Axis, Plot, nothing_to_show, power_of_ten, unit_name
from app.parts.figures.charts import chart, dots, split
from app.parts.figures.histogram import early_figure, histogram_figure
from app.parts.figures.styles import FATE_STYLES
from app.parts.layout import layout, render_figure
from app.parts.tables.tokens import BYTE, REMOVED, SURVIVING, TWO_LETTERS, Extent, first_matches, shown_scores
from app.parts.tables.units import factor_of, unit_of
from app.parts.tokenizers.cached import cached_extents, cached_round
from app.parts.tokens.token_class_filter import shown_tokens, token_columns, token_file
from app.parts.tokens.token_field import token_choice
from app.server.remember import remember
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.catalogue import translate
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.messages import number_text
from engine.pruning_scores import pruning_score

# No more points than pixels; ranks are spaced evenly on the logarithmic axis.
_N_POINTS = 500
_RANK_HEIGHT = 330
_POWERS = list(range(-12, 8))
_BE_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
# The middle nine tenths of the tokens.
_LOW, _HIGH = 0.05, 0.95


class ScoreRange(NamedTuple):
    """Values of one score (nats) over the prunable tokens of a round, with tokens at both ends."""

    low: float  # 5th percentile
    median: float
    high: float  # 95th percentile
    n_zero: int
    lowest: list[str]
    highest: list[str]


def score_range(table: pd.DataFrame, column: str, n_examples: int = 6) -> ScoreRange | None:
    """The range of a column of `round_tokens`; None for an empty table.

    Examples are tokens of at least two letters. At the low end they are those with the highest P, because nearly every
    rare token scores low: common tokens with a low score show what the score measures.
    """
    table = table[table["fate"] != BYTE]
    if table.empty:
        return None
    values = table[column].to_numpy()
    low, median, high = (float(value) for value in np.quantile(values, (_LOW, 0.5, _HIGH)))
    by = table["p"].to_numpy() if column == "be" else -values
    at_low_end = np.flatnonzero(values <= low)
    return ScoreRange(
        low,
        median,
        high,
        int((values == 0).sum()),
        first_matches(table["token"], at_low_end[np.argsort(-by[at_low_end], kind="stable")], TWO_LETTERS, n_examples),
        first_matches(table["token"], np.argsort(-values, kind="stable"), TWO_LETTERS, n_examples),
    )


@fragment
def render_distributions(active: ActiveModel) -> None:
    """A histogram or a rank plot of each score, and its meaning."""
    view = layout()
    names = ("histogram", "rank", "early") if active.model.first_round else ("histogram", "rank")
    with view.settings(t("scores.settings.distributions", name=plain(active.title))):
        shapes = {name: t(f"scores.shape.{name}") for name in names}
        shape = url_choice("shape", t("scores.shape.label"), shapes, "histogram", t("scores.shape.help"))
        unit = unit_choice()
    with view.scrubber:
        number = _early_choice(active) if shape == "early" else round_slider(active.model.kept_rounds)
    scores = shown_scores(active.model)
    with view.picture:
        for cell, column in _cells(scores):
            with cell:
                _render_figure(active, number, column, shape, unit)
    if shape == "early":
        report, first = active.model.rounds[number], active.model.first_round
        about = t("scores.early.about", first=first, size=report.vocab_size, removed=report.n_removed)
        view.sections.markdown(about)
        return
    with view.sections:
        for cell, column in _cells(scores):
            with cell, st.container(border=True):
                _render_card(active, number, column, unit)
        table = cached_round(active, number)
        columns = ["token", "level", *scores, "rank", "fate"]
        render_data(
            f"scores-round-{number}",
            shown_tokens(table.head(MAX_ROWS), columns, unit),
            token_columns(columns, unit),
            lambda: token_file(table, columns),
            of=active,
        )


def _cells(scores: Sequence[str]) -> Iterator[tuple[DeltaGenerator, str]]:
    """A place for each score, three in a line or two by two."""
    per_line = 3 if len(scores) == 3 else 2
    for begin in range(0, len(scores), per_line):
        yield from zip(st.columns(per_line), scores[begin : begin + per_line], strict=False)


def _early_choice(active: ActiveModel) -> int:
    """A round whose tokens a compact model does not keep."""
    titles = [t("scores.early.round", number=number) for number in range(active.model.first_round)]
    return url_row("early", t("scores.early.which"), titles)


def _render_figure(active: ActiveModel, number: int, column: str, shape: str, unit: str) -> None:
    extent = cached_extents(active)[column]
    if shape == "early":
        counts = active.model.history[number].histograms[column]
        figure = early_figure(counts, column, extent, unit, language())
    else:
        draw = rank_figure if shape == "rank" else histogram_figure
        figure = draw(cached_round(active, number), column, extent, unit, language())
    alt = t(f"scores.{'rank' if shape == 'rank' else 'histogram'}", score=t(f"train.score.{column}"))
    render_figure(figure, f"scores.{shape}.{column}", alt)


def _short(value: float) -> str:
    """Three digits; a text for values close to zero."""
    return t("scores.nearly_zero") if 0 < value < 1e-9 else number_text(value)


def _render_card(active: ActiveModel, number: int, column: str, unit: str) -> None:
    """Formula, meaning, range and examples of a score."""
    st.latex(pruning_score(column).formula)
    name = t(f"figure.unit.{unit}")
    st.markdown(t(f"scores.about.{column}", unit=name, sentences=active.model.corpus_units))
    table, key = cached_round(active, number), (active.sha256, number, column)
    found = remember("range", key, lambda: score_range(table, column), 48, is_shared=True)
    if found is None:
        return
    factor = factor_of(column, unit)
    own_unit = unit_of(column, unit)
    suffix = f" {t(f'figure.unit.{own_unit}')}" if own_unit else ""
    low, median, high = (f"{_short(value * factor)}{suffix}" for value in (found.low, found.median, found.high))
    st.markdown(t("scores.range", low=low, median=median, high=high))
    if found.n_zero:
        st.caption(t("scores.zero", count=found.n_zero))
    token_choice(f"high.{column}", t(f"scores.examples.high_{column}"), found.highest)
    token_choice(f"low.{column}", t(f"scores.examples.low_{column}"), found.lowest)


def rank_figure(table: pd.DataFrame, column: str, extent: Extent, unit: str, language: str) -> Plot:
    """Values of a score column of `round_tokens` against their rank, without single bytes.

    Parameters
    ----------
    extent : from `score_extents`: the vertical axis, the same for all rounds.
    """
    title = translate("scores.rank", language, score=translate(f"train.score.{column}", language))
    found = np.flatnonzero((table[column] > 0) & (table["fate"] != BYTE))
    if not found.size:
        return nothing_to_show(title, language, _RANK_HEIGHT)
    best_first = found[np.lexsort((table["row"].to_numpy()[found], -table[column].to_numpy()[found]))]
    ranks = np.unique(np.geomspace(1, found.size, min(_N_POINTS, found.size)).round().astype(int))
    factor = factor_of(column, unit)
    points = table.iloc[best_first[ranks - 1]].assign(place=ranks, value=lambda rows: rows[column] * factor)
    names = {fate: translate(f"scores.fate.{fate}", language) for fate in (SURVIVING, REMOVED)}
    traces = dots(
        split(points, "fate", names, {fate: FATE_STYLES[fate] for fate in names}),
        "place",
        "value",
        "<b>%{text}</b><br>%{x:,}<br>%{y:.4g}",
        size=6,
        opacity=0.8,
        text="token",
    )
    values: Axis = {
        "tickvals": [10.0**exponent for exponent in _POWERS],
        "ticktext": [power_of_ten(exponent) for exponent in _POWERS],
    }
    ranks_axis = {
        "type": "log",
        "title": translate("scores.axis.rank", language),
        "range": [-0.05, np.log10(max(2, found.size)) + 0.05],
        **values,
    }
    if column == "be":
        values = {"tickvals": _BE_TICKS, "ticktext": [f"{tick:g}" for tick in _BE_TICKS]}
    scores_axis = {
        "type": "log",
        "title": translate(f"scores.axis.{column}", language, unit=unit_name(unit, language)),
        "range": [np.log10(extent.low * factor) - 0.05, np.log10(extent.high * factor) + 0.08],
        **values,
    }
    layout = {"title_columns": THIRD_COLUMNS, **LEGEND_ON_TOP}
    return chart(traces, title, language, _RANK_HEIGHT, xaxis=ranks_axis, yaxis=scores_axis, **layout)
