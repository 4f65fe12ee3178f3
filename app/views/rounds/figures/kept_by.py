"""Tokens kept by both of two vocabularies or by only one of them, by linguistic level."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import LEVEL_COLOURS, LEVEL_PATTERNS, arrange, filled, marked_up, nothing_to_show
from app.texts.catalogue import translate
from engine.unigram.model.levels import LEVELS

_HEIGHT = 300


def kept_by_figure(tokens: pd.DataFrame, names: Mapping[str, str], language: str) -> go.Figure:
    """One bar each for `both`, `first` and `second`, stacked by level.

    Parameters
    ----------
    tokens : from `app.parts.tables.twin.compare`; columns level and kept_by.
    names : the labels of the bars.
    """
    title = translate("rounds.twin.kept_chart", language)
    if tokens.empty:
        return nothing_to_show(title, language, _HEIGHT)
    counts = pd.crosstab(tokens["kept_by"], tokens["level"]).reindex(
        index=list(names), columns=list(LEVELS), fill_value=0
    )
    figure = go.Figure()
    for level in LEVELS:
        figure.add_bar(
            y=[marked_up(name) for name in names.values()],
            x=counts[level],
            orientation="h",
            name=translate(f"figure.level.{level}", language),
            marker=filled(LEVEL_COLOURS[level], LEVEL_PATTERNS[level]),
            hovertemplate="%{x:,}<extra>%{fullData.name}</extra>",
        )
    return arrange(
        figure,
        title,
        _HEIGHT,
        barmode="stack",
        legend={"traceorder": "normal"},
        yaxis={"autorange": "reversed"},
        xaxis={"title": translate("scores.axis.count", language)},
    )
