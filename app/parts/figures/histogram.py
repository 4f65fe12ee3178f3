"""The distribution of a score, surviving and removed tokens stacked; also in a round of which only counts are kept."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from app.parts.figures.base import LEGEND_ON_TOP, THIRD_COLUMNS, Axis, Plot, nothing_to_show, power_axis, unit_name
from app.parts.figures.charts import Series, bars, chart
from app.parts.figures.styles import FATE_STYLES
from app.parts.tables.tokens import REMOVED, SURVIVING, Extent
from app.parts.tables.units import factor_of
from app.texts.catalogue import translate
from engine.pruning_rounds import Histogram

_N_BINS = 48
HEIGHT = 330


def histogram_figure(table: pd.DataFrame, column: str, extent: Extent, unit: str, language: str) -> Plot:
    """Histogram of a column of `round_tokens`: `be` over its values, the other scores over their exponents of ten.

    Single bytes, which no round can remove, are left out.

    Parameters
    ----------
    extent : from `score_extents`, so that the bins are the same in all rounds. The first bin includes smaller values.
    """
    title = translate("scores.histogram", language, score=translate(f"train.score.{column}", language))
    if table.empty or not 0 < extent.low < extent.high:
        return nothing_to_show(title, language, HEIGHT)
    factor = factor_of(column, unit)
    is_log = column != "be"
    low, high = extent.low * factor, extent.high * factor * 1.0001
    edges = np.linspace(np.log10(low), np.log10(high), _N_BINS) if is_log else np.linspace(0.0, high, _N_BINS)
    values = table[column].to_numpy() * factor
    counts = {}
    for fate in (SURVIVING, REMOVED):
        own = values[(table["fate"] == fate).to_numpy()]
        own = np.log10(np.maximum(own[own > 0], low)) if is_log else own
        counts[fate], _ = np.histogram(own, bins=edges.size - 1, range=(edges[0], edges[-1]))
    name = translate(f"scores.axis.{column}", language, unit=unit_name(unit, language))
    axis: Axis = (
        {**power_axis(edges[0], edges[-1], name), "tickangle": 0}
        if is_log
        else {"title": name, "range": [0, edges[-1]]}
    )
    return stacked(edges, counts, title, axis, language)


def stacked(
    edges: np.ndarray, counts: Mapping[str, np.ndarray], title: str, axis: dict[str, object], language: str
) -> Plot:
    """Stacked bars between the edges (float64[n + 1]) for the counts (int[n]) of each fate."""
    bins = {"middle": (edges[:-1] + edges[1:]) / 2, "width": np.diff(edges)}
    series = [
        Series(pd.DataFrame(bins | {"count": count}), FATE_STYLES[fate], translate(f"scores.fate.{fate}", language))
        for fate, count in counts.items()
    ]
    traces = bars(series, "middle", "count", "%{y:,}<extra>%{fullData.name}</extra>", width=bins["width"])
    layout = {
        "title_columns": THIRD_COLUMNS,
        "barmode": "stack",
        "bargap": 0,
        "hovermode": "x unified",
        **LEGEND_ON_TOP,
    }
    yaxis = {"title": translate("scores.axis.count", language)}
    return chart(traces, title, language, HEIGHT, xaxis=axis, yaxis=yaxis, **layout)


def early_figure(found: Histogram, column: str, extent: Extent, unit: str, language: str) -> Plot:
    """Bars half a power of two wide, over exponents of ten.

    Parameters
    ----------
    extent : from `score_extents`: where the axis begins. The first bar includes smaller values.
    """
    title = translate("scores.histogram", language, score=translate(f"train.score.{column}", language))
    if not found.kept:
        return nothing_to_show(title, language, HEIGHT)
    bins = found.first + np.arange(len(found.kept) + 1)
    edges = np.log10(np.where(bins % 2, 1.5, 1.0)) + np.log10(2.0) * (bins // 2 - 1023)
    begin = min(int(np.searchsorted(edges, np.log10(extent.low))), len(found.kept) - 1)
    edges = edges[begin:] + np.log10(factor_of(column, unit))
    counts = {
        fate: np.array([sum(of_fate[: begin + 1]), *of_fate[begin + 1 :]])
        for fate, of_fate in ((SURVIVING, found.kept), (REMOVED, found.removed))
    }
    key = "scores.early.axis" if column == "be" else f"scores.axis.{column}"
    name = translate(key, language, unit=unit_name(unit, language))
    return stacked(edges, counts, title, {**power_axis(edges[0], edges[-1], name), "tickangle": 0}, language)
