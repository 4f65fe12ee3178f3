"""Tokens that the rounds keep, by grammatical class."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import arrange, nothing_to_show
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

SURVIVALS = ("share", "kept")
_FORMATS = {"share": ".0%", "kept": ",d"}
# The colours of the strips.
_STYLES = {
    "morpheme": (GREEN, "circle", "solid"),
    "stem_ending": (BLUE, "square", "dash"),
    "several": (OCHRE, "diamond", "dot"),
    "cut": (VERMILLION, "x", "dashdot"),
    "across": (PINK, "triangle-up", "longdash"),
}
_HEIGHT = 360


def survival_figure(table: pd.DataFrame, column: str, language: str) -> go.Figure:
    """One line per class over the rounds; `column` is one of SURVIVALS of a `survival_table`."""
    title = translate(f"morpheme.survival.{column}_title", language)
    table = table[table["kept"].groupby(table["name"]).transform("max") > 0]
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    for name, rows in table.groupby("name", sort=False):
        colour, symbol, dash = _STYLES[str(name)]
        figure.add_scatter(
            x=rows["number"],
            y=rows[column],
            mode="lines+markers",
            name=translate(f"strips.class_{name}", language),
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 8, "symbol": symbol},
            hovertemplate=f"%{{x}}: %{{y:{_FORMATS[column]}}}<extra>%{{fullData.name}}</extra>",
        )
    return arrange(
        figure,
        title,
        _HEIGHT,
        hovermode="closest",
        title_size=15,
        xaxis={"title": translate("rounds.column.number", language), "dtick": 1},
        yaxis={"rangemode": "tozero", "tickformat": _FORMATS[column]},
    )
