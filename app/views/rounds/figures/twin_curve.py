"""Two ways to prune the same seed vocabulary: one quantity of both over the vocabulary size."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import arrange, marked_up, nothing_to_show, unit_name
from app.parts.tables.units import per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, VERMILLION

TWIN_CURVES = ("fertility", "objective")
_STYLES = ((BLUE, "circle", "solid"), (VERMILLION, "square", "dash"))
_HEIGHT = 360


def twin_curve_figure(tables: Mapping[str, pd.DataFrame], column: str, unit: str, language: str) -> go.Figure:
    """One of TWIN_CURVES against vocabulary size, which shrinks from left to right.

    Parameters
    ----------
    tables : the `rounds_table` of both models, by name.
    """
    title = translate(f"rounds.curve.{column}", language, unit=unit_name(unit, language))
    if not any(len(table) for table in tables.values()):
        return nothing_to_show(title, language, _HEIGHT)
    factor = per_nat(unit) if column == "objective" else 1.0
    figure = go.Figure()
    for (name, table), (colour, symbol, dash) in zip(tables.items(), _STYLES, strict=False):
        figure.add_scatter(
            x=table["vocab_size"],
            y=table[column] * factor,
            mode="lines+markers",
            name=marked_up(name),
            line={"color": colour, "width": 3, "dash": dash},
            marker={"size": 9, "symbol": symbol},
            customdata=table["number"],
            hovertemplate="%{x:,}: %{y:.4f} (%{customdata})<extra>%{fullData.name}</extra>",
        )
    axis = translate("rounds.twin.axis", language)
    sizes = {"type": "log", "dtick": "D2", "tickformat": ",d", "autorange": "reversed", "title": axis}
    return arrange(figure, title, _HEIGHT, hovermode="closest", xaxis=sizes)
