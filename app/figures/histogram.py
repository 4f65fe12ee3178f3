"""How the values of a score are distributed, removed and surviving tokens stacked."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from app.catalogue import translate
from app.figures.base import FATE_COLOURS, arrange, nothing_to_show, power_axis, unit_name
from app.tables.tokens import FATES
from app.tables.units import factor_of

_N_BINS = 48
_HEIGHT = 330

# Bars are told apart by their pattern too.
_PATTERNS = {"kept": "", "removed": "x", "byte": "/"}


def histogram_figure(
    table: pd.DataFrame, column: str, value_range: tuple[float, float], unit: str, language: str
) -> go.Figure:
    """Histogram of a column of `round_tokens`: `be` over its values, the others over their exponents of ten.

    Parameters
    ----------
    value_range : smallest positive and largest value (nats) over all rounds: the bins stay when the round changes.
    """
    title = translate(f"scores.histogram.{column}", language)
    low, high = value_range
    if table.empty or not 0 < low <= high:
        return nothing_to_show(title, language, _HEIGHT)
    factor = factor_of(column, unit)
    is_log = column != "be"
    values = table[column].to_numpy() * factor
    top = high * factor * 1.0001
    edges = np.linspace(np.log10(low * factor), np.log10(top), _N_BINS) if is_log else np.linspace(0.0, top, _N_BINS)
    figure = go.Figure()
    for fate in FATES:
        own = values[(table["fate"] == fate).to_numpy()]
        own = np.log10(own[own > 0]) if is_log else own
        count, _ = np.histogram(own, bins=edges)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=count,
            width=np.diff(edges),
            name=translate(f"scores.fate.{fate}", language),
            marker={"color": FATE_COLOURS[fate], "line": {"width": 0},
                    "pattern": {"shape": _PATTERNS[fate], "size": 5, "solidity": 0.25}},
            hovertemplate="%{y:,}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    arrange(figure, title, _HEIGHT, barmode="stack", bargap=0, hovermode="x unified")
    axis = translate(f"scores.axis.{column}", language, unit=unit_name(unit, language))
    if is_log:
        figure.update_xaxes(power_axis(edges[0], edges[-1], axis))
    else:
        figure.update_xaxes(title=axis, range=[0, edges[-1]])
    figure.update_yaxes(title=translate("scores.axis.tokens", language))
    return figure
