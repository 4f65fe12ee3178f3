"""A quantity of the vocabulary over the rounds of a training."""

import pandas as pd

from app.parts.figures.base import Axis, Plot, nothing_to_show, unit_name
from app.parts.figures.charts import chart, lines, single
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.texts.catalogue import translate
from engine.pictures.palette import VERMILLION

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
