"""Figures of the page Pruning rounds."""

from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import Plot, level_names, marked_up, nothing_to_show, unit_name
from app.parts.figures.charts import STACKED_ROWS, Series, bars, chart, lines, split
from app.parts.figures.styles import LEVEL_STYLES, Style
from app.parts.tables.units import per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION
from engine.unigram.model.levels import LEVELS

_KEPT_BY_HEIGHT = 300


def kept_by_figure(tokens: pd.DataFrame, names: Mapping[str, str], language: str) -> Plot:
    """One bar each for `both`, `first` and `second`, stacked by level.

    Parameters
    ----------
    tokens : from `app.views.rounds.twin.compare`; columns level and kept_by.
    names : the labels of the bars.
    """
    title = translate("rounds.twin.kept_chart", language)
    if tokens.empty:
        return nothing_to_show(title, language, _KEPT_BY_HEIGHT)
    counts = pd.crosstab(tokens["kept_by"], tokens["level"])
    counts = counts.reindex(index=list(names), columns=list(LEVELS), fill_value=0).rename(names)
    rows = counts.melt(value_name="count", ignore_index=False).reset_index()
    levels = split(rows, "level", level_names(language), LEVEL_STYLES)
    traces = bars(levels, "count", "kept_by", "%{x:,}<extra>%{fullData.name}</extra>", orientation="h")
    xaxis = {"title": translate("scores.axis.count", language)}
    return chart(traces, title, language, _KEPT_BY_HEIGHT, xaxis=xaxis, **STACKED_ROWS)


SURVIVALS = ("share", "kept")
_CLASS_FORMATS = {"share": ".0%", "kept": ",d"}
# The colours of the strips.
_CLASS_STYLES = {
    "morpheme": Style(GREEN),
    "stem_ending": Style(BLUE, "square", "dash"),
    "several": Style(OCHRE, "diamond", "dot"),
    "cut": Style(VERMILLION, "x", "dashdot"),
    "across": Style(PINK, "triangle-up", "longdash"),
}
_HEIGHT = 360


def survival_figure(table: pd.DataFrame, column: str, language: str) -> Plot:
    """One line per class over the rounds; `column` is one of SURVIVALS of a `survival_table`."""
    table = table[table["kept"].groupby(table["name"]).transform("max") > 0]
    names = {name: translate(f"strips.class_{name}", language) for name in _CLASS_STYLES}
    hover = f"%{{x}}: %{{y:{_CLASS_FORMATS[column]}}}<extra>%{{fullData.name}}</extra>"
    traces = lines(split(table, "name", names, _CLASS_STYLES), "number", column, hover)
    title = translate(f"morpheme.survival.{column}_title", language)
    xaxis = {"title": translate("rounds.column.number", language), "dtick": 1}
    yaxis = {"rangemode": "tozero", "tickformat": _CLASS_FORMATS[column]}
    return chart(traces, title, language, _HEIGHT, title_size=15, xaxis=xaxis, yaxis=yaxis)


TWIN_CURVES = ("fertility", "objective")
_STYLES = (Style(BLUE), Style(VERMILLION, "square", "dash"))


def twin_curve_figure(tables: Mapping[str, pd.DataFrame], column: str, unit: str, language: str) -> Plot:
    """One of TWIN_CURVES against vocabulary size, which shrinks from left to right.

    Parameters
    ----------
    tables : the `rounds_table` of both models, by name.
    """
    title = translate(f"rounds.curve.{column}", language, unit=unit_name(unit, language))
    factor = per_nat(unit) if column == "objective" else 1.0
    series = [
        Series(table.assign(value=table[column] * factor), style, marked_up(name))
        for (name, table), style in zip(tables.items(), _STYLES, strict=False)
        if len(table)
    ]
    hover = "%{x:,}: %{y:.4f} (%{customdata})<extra>%{fullData.name}</extra>"
    traces = lines(series, "vocab_size", "value", hover, width=3, size=9, customdata="number")
    axis = translate("rounds.twin.axis", language)
    sizes = {"type": "log", "dtick": "D2", "tickformat": ",d", "autorange": "reversed", "title": axis}
    return chart(traces, title, language, _HEIGHT, xaxis=sizes)
