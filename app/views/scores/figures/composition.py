"""The composition of a vocabulary round by round: linguistic levels, stacked."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import LEVEL_COLOURS, LEVEL_PATTERNS, arrange, filled, nothing_to_show
from app.texts.catalogue import translate
from engine.unigram.model.levels import LEVELS

_HEIGHT = 420


def composition_figure(table: pd.DataFrame, as_share: bool, language: str) -> go.Figure:
    """Bars over the rounds of a `composition_table`, as numbers of tokens or as shares."""
    title = translate("scores.composition.levels", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    for level in LEVELS:
        share = table[level] / table["vocab_size"].clip(lower=1)
        figure.add_bar(
            x=table["number"],
            y=share if as_share else table[level],
            name=translate(f"figure.level.{level}", language),
            marker=filled(LEVEL_COLOURS[level], LEVEL_PATTERNS[level]),
            customdata=list(zip(table[level], share, strict=True)),
            hovertemplate="%{customdata[0]:,} (%{customdata[1]:.1%})<extra>%{fullData.name}</extra>",
        )
    axis = translate("scores.axis.share" if as_share else "scores.axis.count", language)
    return arrange(
        figure,
        title,
        _HEIGHT,
        barmode="stack",
        hovermode="x unified",
        xaxis={"title": translate("figure.axis.round", language), "dtick": 1},
        yaxis={"title": axis, "tickformat": ".0%" if as_share else ",d"},
    )
