"""The number of resamples that keep a token: overall, by length, and by rank of the score."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import LEVEL_COLOURS, LEVEL_PATTERNS, arrange, filled, nothing_to_show
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE
from engine.unigram.model.levels import LEVELS

_HEIGHT = 380
_SHARE = {"tickformat": ".0%", "range": [0, 1.02]}


def kept_figure(table: pd.DataFrame, n_resamples: int, language: str) -> go.Figure:
    """Bars of a `distribution`, one colour per level."""
    title = translate("token.stability.distribution", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    for name, own, level in _by_level(table, language):
        figure.add_bar(
            x=own["kept"],
            y=own["count"],
            name=name,
            marker=filled(LEVEL_COLOURS[level], LEVEL_PATTERNS[level]),
            hovertemplate="%{x}: %{y:,}<extra>%{fullData.name}</extra>",
        )
    xaxis = {
        "title": translate("token.stability.axis.kept", language, count=n_resamples),
        "dtick": max(1, n_resamples // 10),
    }
    yaxis = {"title": translate("token.stability.axis.tokens", language), "tickformat": ",d"}
    return arrange(figure, title, _HEIGHT, barmode="stack", bargap=0.15, xaxis=xaxis, yaxis=yaxis)


def kept_by_length_figure(table: pd.DataFrame, language: str) -> go.Figure:
    """Lines of `by_length`, one per level."""
    title = translate("token.stability.length", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    for name, own, level in _by_level(table, language):
        figure.add_scatter(
            x=own["n_chars"],
            y=own["share"],
            mode="lines+markers",
            customdata=own["tokens"],
            name=name,
            line={"color": LEVEL_COLOURS[level]},
            marker={"size": 9},
            hovertemplate="%{x}: %{y:.1%} (%{customdata:,})<extra>%{fullData.name}</extra>",
        )
    xaxis = {"title": translate("token.stability.axis.length", language), "dtick": 1}
    yaxis = {"title": translate("token.stability.axis.share", language), **_SHARE}
    return arrange(figure, title, _HEIGHT, xaxis=xaxis, yaxis=yaxis)


def kept_by_rank_figure(table: pd.DataFrame, language: str) -> go.Figure:
    """The line of `by_rank`."""
    title = translate("token.stability.rank", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    figure.add_scatter(
        x=table["rank"],
        y=table["share"],
        mode="lines+markers",
        line={"color": BLUE},
        marker={"size": 9},
        hovertemplate="≤ %{x:,}: %{y:.1%}<extra></extra>",
    )
    xaxis = {"title": translate("token.stability.axis.rank", language), "tickformat": ",d", "rangemode": "tozero"}
    yaxis = {"title": translate("token.stability.axis.share", language), **_SHARE}
    return arrange(figure, title, _HEIGHT, showlegend=False, xaxis=xaxis, yaxis=yaxis)


def _by_level(table: pd.DataFrame, language: str) -> list[tuple[str, pd.DataFrame, str]]:
    """Name, rows and code of the levels that the table has."""
    parts = [(translate(f"figure.level.{one}", language), table[table["level"] == one], one) for one in LEVELS]
    return [part for part in parts if len(part[1])]
