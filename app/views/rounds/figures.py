"""Figures of the page Pruning rounds."""

import math
from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import Plot, marked_up, unit_name
from app.parts.figures.charts import chart, dots, lines, split
from app.parts.figures.styles import GREY, Style
from app.parts.tables.units import per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

_N_LOST = 10  # of so many tokens with the least entropy, the most frequent is named
_KEPT_BY_STYLES = {"both": Style(GREY), "first": Style(VERMILLION, "diamond"), "second": Style(BLUE, "square")}


def apart_figure(
    tokens: pd.DataFrame, model: str, title: str, names: Mapping[str, str], unit: str, language: str
) -> Plot:
    """P and BE of the tokens in one of two models, `first` or `second`, coloured by who keeps them.

    Parameters
    ----------
    tokens : from `app.views.rounds.twin.compare`; those that are no candidates of the model are left out.
    names : the labels of `both`, `first` and `second`.
    """
    known = tokens[tokens[f"died_{model}"].notna() & (tokens[f"p_{model}"] > 0)]
    known = known.assign(p=known[f"p_{model}"], be=known[f"be_{model}"] * per_nat(unit))
    traces = dots(split(known, "kept_by", names, _KEPT_BY_STYLES), "p", "be", "%{text}", text="token", opacity=0.8)
    lost = known[~known["kept_by"].isin(["both", model])].nsmallest(_N_LOST, "be").nlargest(1, "p")
    labels = [
        {"x": math.log10(row.p), "y": row.be, "text": marked_up(row.token), "showarrow": False, "yshift": 16}
        for row in lost.itertuples()
    ]
    xaxis = {"type": "log", "title": translate("scores.axis.p", language), "exponentformat": "power"}
    yaxis = {"rangemode": "tozero", "title": translate("scores.axis.be", language, unit=unit_name(unit, language))}
    return chart(traces, marked_up(title), language, xaxis=xaxis, yaxis=yaxis, annotations=labels)


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
