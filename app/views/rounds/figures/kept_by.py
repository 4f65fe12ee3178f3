"""Tokens kept by both of two vocabularies or by only one of them, by linguistic level."""

from collections.abc import Mapping

import pandas as pd

from app.parts.figures.base import Plot, level_names, nothing_to_show
from app.parts.figures.charts import STACKED_ROWS, bars, chart, split
from app.parts.figures.styles import LEVEL_STYLES
from app.texts.catalogue import translate
from engine.unigram.model.levels import LEVELS

_HEIGHT = 300


def kept_by_figure(tokens: pd.DataFrame, names: Mapping[str, str], language: str) -> Plot:
    """One bar each for `both`, `first` and `second`, stacked by level.

    Parameters
    ----------
    tokens : from `app.parts.tables.twin.compare`; columns level and kept_by.
    names : the labels of the bars.
    """
    title = translate("rounds.twin.kept_chart", language)
    if tokens.empty:
        return nothing_to_show(title, language, _HEIGHT)
    counts = pd.crosstab(tokens["kept_by"], tokens["level"])
    counts = counts.reindex(index=list(names), columns=list(LEVELS), fill_value=0).rename(names)
    rows = counts.melt(value_name="count", ignore_index=False).reset_index()
    levels = split(rows, "level", level_names(language), LEVEL_STYLES)
    traces = bars(levels, "count", "kept_by", "%{x:,}<extra>%{fullData.name}</extra>", orientation="h")
    xaxis = {"title": translate("scores.axis.count", language)}
    return chart(traces, title, language, _HEIGHT, xaxis=xaxis, **STACKED_ROWS)
