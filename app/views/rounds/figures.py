"""Figures of the page Pruning rounds."""

import math
from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import Plot, level_names, marked_up, nothing_to_show, unit_name
from app.parts.figures.charts import STACKED_ROWS, Series, bars, chart, dots, lines, split
from app.parts.figures.styles import GREY, LEVEL_STYLES, Style
from app.parts.tables.units import per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION
from engine.unigram.model.levels import LEVELS

_KEPT_BY_HEIGHT = 300
_N_LOST, _N_LABELS = 10, 2  # of the tokens with the least entropy, the most frequent are named
_KEPT_BY_STYLES = {"both": Style(GREY), "first": Style(VERMILLION, "diamond"), "second": Style(BLUE, "square")}


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


def apart_figure(tokens: pd.DataFrame, model: str, names: Mapping[str, str], unit: str, language: str) -> Plot:
    """P and BE of the tokens in one of two models, `first` or `second`, coloured by who keeps them.

    Parameters
    ----------
    tokens, names : as for `kept_by_figure`; tokens that are no candidates of the model are left out.
    """
    known = tokens[tokens[f"died_{model}"].notna() & (tokens[f"p_{model}"] > 0)]
    known = known.assign(p=known[f"p_{model}"], be=known[f"be_{model}"] * per_nat(unit))
    traces = dots(split(known, "kept_by", names, _KEPT_BY_STYLES), "p", "be", "%{text}", text="token", opacity=0.8)
    lost = known[~known["kept_by"].isin(["both", model])].nsmallest(_N_LOST, "be").nlargest(_N_LABELS, "p")
    labels = [
        {"x": math.log10(row.p), "y": row.be, "text": marked_up(row.token), "showarrow": False, "yshift": 16}
        for row in lost.itertuples()
    ]
    xaxis = {"type": "log", "title": translate("rounds.twin.apart_p", language), "exponentformat": "power"}
    yaxis = {"rangemode": "tozero", "title": translate("scores.axis.be", language, unit=unit_name(unit, language))}
    return chart(
        traces, translate("rounds.twin.apart", language), language, xaxis=xaxis, yaxis=yaxis, annotations=labels
    )


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
