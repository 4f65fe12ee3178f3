"""A quantity of the vocabulary over the rounds of a training, and the rank of tokens from round to round."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from app.parts.figures.base import Axis, Plot, marked_up, nothing_to_show, unit_name
from app.parts.figures.charts import bars, chart, dots, lines, single
from app.parts.figures.styles import GREY, Style
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

CURVES = ("vocab_size", "objective", "fertility", "threshold")
_CURVE_FORMATS = {"vocab_size": ":,d", "objective": ":.3f", "fertility": ":.4f", "threshold": ":.3g"}
_CURVE_HEIGHT = 225


def round_curve_figure(table: pd.DataFrame, column: str, score: str, unit: str, language: str) -> Plot:
    """One of CURVES of a `rounds_table`.

    Parameters
    ----------
    score : the pruning score, for the unit of the threshold.
    """
    # The threshold has the unit of the score, if any.
    own_unit = unit_of(score, unit) if column == "threshold" else unit
    key = "threshold_unit" if column == "threshold" and own_unit else column
    title = translate(f"rounds.curve.{key}", language, unit=unit_name(own_unit, language) if own_unit else "")
    table = table[table[column].notna()]
    if table.empty:
        return nothing_to_show(title, language, _CURVE_HEIGHT)
    factor = {"objective": per_nat(unit), "threshold": factor_of(score, unit)}.get(column, 1.0)
    table = table.assign(value=table[column] * factor)
    hover = f"%{{x}}: %{{y{_CURVE_FORMATS[column]}}}"
    traces = lines(single(table), "number", "value", hover, size=6)
    last = int(table["number"].max())
    values: Axis = {"nticks": 5, "rangemode": "tozero" if column == "vocab_size" else "normal"}
    if column == "threshold" and 0 < 20 * table[column].min() < table[column].max():
        values = {"type": "log", "dtick": 1, "exponentformat": "power"}
    name, step = translate("rounds.column.number", language), max(1, -(-(last + 1) // 6))
    xaxis = {"title": name, "range": [-0.4, last + 0.4], "dtick": step}
    return chart(traces, title, language, _CURVE_HEIGHT, showlegend=False, title_size=15, xaxis=xaxis, yaxis=values)


def curve_mark(key: str, place: int) -> str:
    """Style rule for the figure with this key: the point in this place, from 1, is marked."""
    point = f".st-key-{key.replace('.', '-')} .points path:nth-of-type({place})"
    return f"{point} {{ fill: {VERMILLION} !important; stroke: {VERMILLION} !important; stroke-width: 9px !important }}"


_STYLES = (
    Style(BLUE),
    Style(GREEN, "square", "dash"),
    Style(PINK, "triangle-up", "dot"),
    Style(GREY, "star", "dashdot"),
)
MAX_TOKENS = len(_STYLES)
_HEIGHT, _TOP = 400, 1.04


def token_life_figure(lives: Mapping[str, pd.DataFrame], language: str, height: int = _HEIGHT) -> Plot:
    """Percentile of every token in every round, and the share that the round removes.

    At every round is a line that only `life_mark` shows.

    Parameters
    ----------
    lives : `token_life` tables of at most four tokens, by token text.
    """
    title = translate("rounds.life.chart", language)
    tables = [life for life in lives.values() if not life.empty]
    if not tables:
        return nothing_to_show(title, language, height)
    rounds = tables[0]
    cut = single(rounds, Style(VERMILLION, pattern="x"), translate("rounds.life.cut", language))
    traces = bars(cut, "number", "cut", "%{y:.1%}<extra>%{fullData.name}</extra>", width=1, opacity=0.35)
    hidden = {"opacity": 0, "line": {"color": OCHRE, "width": 2.5}}
    upright = single(rounds.assign(top=_TOP))
    traces += bars(upright, "number", "top", None, width=0.01, marker=hidden, showlegend=False)
    hover = "%{y:.2%} · %{customdata[0]:,} / %{customdata[1]:,}<extra>%{fullData.name}</extra>"
    death = {"size": 20, "symbol": "x-thin", "line": {"width": 4, "color": VERMILLION}}
    for (token, life), style in zip(lives.items(), _STYLES, strict=False):
        alive, columns = life[life["percentile"].notna()], ["rank", "n_prunable"]
        series = single(alive, style, marked_up(token))
        traces += lines(series, "number", "percentile", hover, width=3, size=10, customdata=columns)
        if 0 < len(alive) < len(life):
            traces += dots(single(alive.tail(1)), "number", "percentile", None, marker=death, showlegend=False)
    ends = [rounds["number"].min() - 0.5, rounds["number"].max() + 0.5]
    numbers = {"title": translate("figure.axis.round", language), "dtick": 1, "range": ends}
    percentiles = {"title": translate("rounds.life.axis", language), "tickformat": ".0%", "range": [0, _TOP]}
    layout: dict[str, Any] = {"bargap": 0, "barmode": "overlay", "hovermode": "x unified"}
    return chart(traces, title, language, height, xaxis=numbers, yaxis=percentiles, **layout)


def life_mark(key: str, place: int) -> str:
    """Style rule for the figure with this key: the line at the round in this place, from 1, is seen."""
    bar = f".st-key-{key.replace('.', '-')} .barlayer .trace:last-child .point:nth-of-type({place}) path"
    return f"{bar} {{ opacity: 1 !important }}"
