"""The distribution of a score in a round whose tokens a compact model does not keep, survivors and removed stacked."""

import numpy as np

from app.parts.figures.base import Plot, nothing_to_show, power_axis, unit_name
from app.parts.figures.histogram import HEIGHT, stacked
from app.parts.tables.tokens import REMOVED, SURVIVING, Extent
from app.parts.tables.units import factor_of
from app.texts.catalogue import translate
from engine.pruning_rounds import Histogram


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
