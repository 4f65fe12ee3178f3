"""How a score was distributed in a round that a compact model keeps no tokens of, survivors and removed stacked."""

import numpy as np
import plotly.graph_objects as go

from app.parts.figures.base import (
    FATE_COLOURS,
    FATE_PATTERNS,
    LEGEND_ON_TOP,
    arrange,
    filled,
    nothing_to_show,
    power_axis,
    unit_name,
)
from app.parts.tables.tokens import KEPT, REMOVED, Extent
from app.parts.tables.units import factor_of
from app.texts.catalogue import translate
from engine.unigram.rounds import Histogram

_HEIGHT = 330


def early_figure(found: Histogram, column: str, extent: Extent, unit: str, language: str) -> go.Figure:
    """Bars of half a power of two each, over exponents of ten.

    Parameters
    ----------
    extent : of `score_extents`: where the axis begins. The first bar holds what is smaller too.
    """
    title = translate(f"scores.histogram.{column}", language)
    if not found.kept:
        return nothing_to_show(title, language, _HEIGHT)
    bins = found.first + np.arange(len(found.kept) + 1)
    edges = np.log10(np.where(bins % 2, 1.5, 1.0)) + np.log10(2.0) * (bins // 2 - 1023)
    begin = min(int(np.searchsorted(edges, np.log10(extent.low))), len(found.kept) - 1)
    edges = edges[begin:] + np.log10(factor_of(column, unit))
    figure = go.Figure()
    for fate, counts in ((KEPT, found.kept), (REMOVED, found.removed)):
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=np.array([sum(counts[: begin + 1]), *counts[begin + 1 :]]),
            width=np.diff(edges),
            name=translate(f"scores.fate.{fate}", language),
            marker=filled(FATE_COLOURS[fate], FATE_PATTERNS[fate]),
            hovertemplate="%{y:,}<extra>%{fullData.name}</extra>",
        )
    name = "scores.early.axis" if column == "be" else f"scores.axis.{column}"
    axis = translate(name, language, unit=unit_name(unit, language))
    return arrange(
        figure,
        title,
        _HEIGHT,
        barmode="stack",
        bargap=0,
        hovermode="x unified",
        xaxis={**power_axis(edges[0], edges[-1], axis), "tickangle": 0},
        yaxis={"title": translate("scores.axis.count", language)},
        **LEGEND_ON_TOP,
    )
