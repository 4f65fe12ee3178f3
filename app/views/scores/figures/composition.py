"""The composition of a vocabulary round by round: linguistic levels, stacked."""

import pandas as pd

from app.parts.figures.base import Plot, level_names
from app.parts.figures.charts import bars, chart, split
from app.parts.figures.styles import LEVEL_STYLES
from app.texts.catalogue import translate
from engine.unigram.model.levels import LEVELS

_HEIGHT = 420


def composition_figure(table: pd.DataFrame, as_share: bool, language: str) -> Plot:
    """Bars over the rounds of a `composition_table`, as numbers of tokens or as shares."""
    levels = table.melt(["number", "vocab_size"], list(LEVELS), "level", "count")
    levels["share"] = levels["count"] / levels["vocab_size"].clip(lower=1)
    traces = bars(
        split(levels, "level", level_names(language), LEVEL_STYLES),
        "number",
        "share" if as_share else "count",
        "%{customdata[0]:,} (%{customdata[1]:.1%})<extra>%{fullData.name}</extra>",
        customdata=["count", "share"],
    )
    title = translate("scores.composition.levels", language)
    xaxis = {"title": translate("figure.axis.round", language), "dtick": 1}
    axis = translate("scores.axis.share" if as_share else "scores.axis.count", language)
    yaxis = {"title": axis, "tickformat": ".0%" if as_share else ",d"}
    return chart(traces, title, language, _HEIGHT, barmode="stack", hovermode="x unified", xaxis=xaxis, yaxis=yaxis)
