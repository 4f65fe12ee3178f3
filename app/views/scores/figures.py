"""Figures of the page Scores."""

import numpy as np
import pandas as pd

from app.parts.figures.base import LEGEND_ON_TOP, THIRD_COLUMNS, Axis, Plot, nothing_to_show, power_of_ten, unit_name
from app.parts.figures.charts import chart, dots, split
from app.parts.figures.styles import FATE_STYLES
from app.parts.tables.tokens import BYTE, REMOVED, SURVIVING, Extent
from app.parts.tables.units import factor_of
from app.texts.catalogue import translate

# No more points than pixels; ranks are spaced evenly on the logarithmic axis.
_N_POINTS = 500
_RANK_HEIGHT = 330
_POWERS = list(range(-12, 8))
_BE_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


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
