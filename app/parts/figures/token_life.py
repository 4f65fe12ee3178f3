"""The rank of tokens from round to round, above or below the share that is removed."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import GREY, arrange, filled, marked_up, nothing_to_show, upright_line
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

_STYLES = (
    (BLUE, "circle", "solid"),
    (GREEN, "square", "dash"),
    (PINK, "triangle-up", "dot"),
    (GREY, "star", "dashdot"),
)
MAX_TOKENS = len(_STYLES)
_HEIGHT = 400


def token_life_figure(
    lives: Mapping[str, pd.DataFrame], language: str, number: int | None = None, height: int = _HEIGHT
) -> go.Figure:
    """Percentile of every token in every round, and the share that the round removes.

    Parameters
    ----------
    lives : `token_life` tables of at most four tokens, by token text.
    number : the round to mark.
    """
    title = translate("rounds.life.chart", language)
    shown = {token: life[life["percentile"].notna()] for token, life in lives.items()}
    tables = [life for life in lives.values() if not life.empty]
    if not tables:
        return nothing_to_show(title, language, height)
    figure = go.Figure()
    rounds = tables[0]
    figure.add_bar(
        x=rounds["number"],
        y=rounds["cut"],
        width=1,
        name=translate("rounds.life.cut", language),
        opacity=0.35,
        marker=filled(VERMILLION, "x"),
        hovertemplate="%{y:.1%}<extra>%{fullData.name}</extra>",
    )
    for (token, life), (colour, symbol, dash) in zip(shown.items(), _STYLES, strict=False):
        figure.add_scatter(
            x=life["number"],
            y=life["percentile"],
            mode="lines+markers",
            name=marked_up(token),
            line={"color": colour, "width": 3, "dash": dash},
            marker={"size": 10, "symbol": symbol},
            customdata=life[["rank", "n_prunable"]],
            hovertemplate="%{y:.2%} · %{customdata[0]:,} / %{customdata[1]:,}<extra>%{fullData.name}</extra>",
        )
        if len(life) and len(life) < len(lives[token]):
            figure.add_scatter(
                x=life["number"].tail(1),
                y=life["percentile"].tail(1),
                mode="markers",
                showlegend=False,
                marker={"size": 20, "symbol": "x-thin", "line": {"width": 4, "color": VERMILLION}},
                hoverinfo="skip",
            )
    ends = [rounds["number"].min() - 0.5, rounds["number"].max() + 0.5]
    numbers = {"title": translate("figure.axis.round", language), "dtick": 1, "range": ends}
    percentiles = {"title": translate("rounds.life.axis", language), "tickformat": ".0%", "range": [0, 1.04]}
    return arrange(
        figure,
        title,
        height,
        bargap=0,
        hovermode="x unified",
        shapes=[] if number is None else [upright_line(number, OCHRE, 2.5)],
        xaxis=numbers,
        yaxis=percentiles,
    )
