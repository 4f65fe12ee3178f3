"""Two ways to prune the same seed vocabulary: one quantity of both over the vocabulary size."""

from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import Plot, marked_up, unit_name
from app.parts.figures.charts import Series, chart, lines
from app.parts.figures.styles import Style
from app.parts.tables.units import per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, VERMILLION

TWIN_CURVES = ("fertility", "objective")
_STYLES = (Style(BLUE), Style(VERMILLION, "square", "dash"))
_HEIGHT = 360


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
