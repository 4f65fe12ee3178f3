"""Tokens of several words, and words with final punctuation: the paper's Figure 1, for every round."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import arrange, filled, nothing_to_show
from app.parts.tables.composition import PAPER_SHARE
from app.texts.catalogue import translate
from engine.pictures.palette import GREEN, PINK, VERMILLION

_FORMS = {"multi_word": (GREEN, "x"), "punctuated": (PINK, "/")}
_HEIGHT = 420


def special_forms_figure(table: pd.DataFrame, language: str) -> go.Figure:
    """Shares of the special forms in the rounds of a `composition_table`, with the paper's figures."""
    title = translate("scores.composition.forms", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    figure = go.Figure()
    for form, (colour, pattern) in _FORMS.items():
        share = table[form] / table["vocab_size"].clip(lower=1)
        figure.add_bar(
            x=table["number"],
            y=share,
            name=translate(f"scores.form.{form}", language),
            marker=filled(colour, pattern),
            customdata=table[form],
            hovertemplate="%{customdata:,} (%{y:.2%})<extra>%{fullData.name}</extra>",
        )
    figure.add_scatter(
        x=[table["number"].min() - 0.5, table["number"].max() + 0.5],
        y=[PAPER_SHARE, PAPER_SHARE],
        mode="lines",
        name=translate("scores.composition.paper", language, share=PAPER_SHARE),
        line={"color": VERMILLION, "width": 3, "dash": "dash"},
        hoverinfo="skip",
    )
    return arrange(
        figure,
        title,
        _HEIGHT,
        barmode="stack",
        hovermode="x unified",
        xaxis={"title": translate("figure.axis.round", language), "dtick": 1},
        yaxis={"title": translate("scores.axis.share", language), "tickformat": "~%", "rangemode": "tozero"},
    )
