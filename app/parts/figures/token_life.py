"""The rank of tokens from round to round, above or below the share that is removed."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from app.parts.figures.base import Plot, marked_up, nothing_to_show, upright_line
from app.parts.figures.charts import bars, chart, dots, lines, single
from app.parts.figures.styles import GREY, Style
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

_STYLES = (
    Style(BLUE),
    Style(GREEN, "square", "dash"),
    Style(PINK, "triangle-up", "dot"),
    Style(GREY, "star", "dashdot"),
)
MAX_TOKENS = len(_STYLES)
_HEIGHT = 400


def token_life_figure(
    lives: Mapping[str, pd.DataFrame], language: str, number: int | None = None, height: int = _HEIGHT
) -> Plot:
    """Percentile of every token in every round, and the share that the round removes.

    Parameters
    ----------
    lives : `token_life` tables of at most four tokens, by token text.
    number : the round to mark.
    """
    title = translate("rounds.life.chart", language)
    tables = [life for life in lives.values() if not life.empty]
    if not tables:
        return nothing_to_show(title, language, height)
    rounds = tables[0]
    cut = single(rounds, Style(VERMILLION, pattern="x"), translate("rounds.life.cut", language))
    traces = bars(cut, "number", "cut", "%{y:.1%}<extra>%{fullData.name}</extra>", width=1, opacity=0.35)
    hover = "%{y:.2%} · %{customdata[0]:,} / %{customdata[1]:,}<extra>%{fullData.name}</extra>"
    death = {"size": 20, "symbol": "x-thin", "line": {"width": 4, "color": VERMILLION}}
    for (token, life), style in zip(lives.items(), _STYLES, strict=False):
        alive, columns = life[life["percentile"].notna()], ["rank", "n_prunable"]
        series = single(alive, style, marked_up(token))
        traces += lines(series, "number", "percentile", hover, width=3, size=10, customdata=columns)
        if 0 < len(alive) < len(life):
            traces += dots(single(alive.tail(1)), "number", "percentile", None, marker=death, showlegend=False)
    ends = [rounds["number"].min() - 0.5, rounds["number"].max() + 0.5]
    numbers = {"title": translate("figure.axis.round", language), "dtick": 1, "range": ends}
    percentiles = {"title": translate("rounds.life.axis", language), "tickformat": ".0%", "range": [0, 1.04]}
    marks = [] if number is None else [upright_line(number, OCHRE, 2.5)]
    layout: dict[str, Any] = {"bargap": 0, "hovermode": "x unified", "shapes": marks}
    return chart(traces, title, language, height, xaxis=numbers, yaxis=percentiles, **layout)
