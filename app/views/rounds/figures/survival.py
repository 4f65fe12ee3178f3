"""Tokens that the rounds keep, by grammatical class."""

import pandas as pd

from app.parts.figures.base import Plot
from app.parts.figures.charts import chart, lines, split
from app.parts.figures.styles import Style
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

SURVIVALS = ("share", "kept")
_FORMATS = {"share": ".0%", "kept": ",d"}
# The colours of the strips.
_STYLES = {
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
    names = {name: translate(f"strips.class_{name}", language) for name in _STYLES}
    hover = f"%{{x}}: %{{y:{_FORMATS[column]}}}<extra>%{{fullData.name}}</extra>"
    traces = lines(split(table, "name", names, _STYLES), "number", column, hover)
    title = translate(f"morpheme.survival.{column}_title", language)
    xaxis = {"title": translate("rounds.column.number", language), "dtick": 1}
    yaxis = {"rangemode": "tozero", "tickformat": _FORMATS[column]}
    return chart(traces, title, language, _HEIGHT, title_size=15, xaxis=xaxis, yaxis=yaxis)
