"""Tokens against quality in the study of Park et al. (2020): their numbers, not ours."""

from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from app.parts.choices import url_choice
from app.parts.figures.bars import series_style
from app.parts.figures.base import arrange, marked_up
from app.texts.i18n import language, t
from engine.evidence.show import named

_FILE = Path(__file__).resolve().parents[3] / "assets" / "papers" / "kortok_study.csv"
# Columns of the test sets; KorQuAD has only a development set.
_QUALITIES = ("bleu_ko_en_test", "bleu_en_ko_test", "korquad_f1_dev", "kornli_test", "korsts_test", "nsmc_test")
_TICKS = (20, 30, 50, 70, 100, 150)
_RANGE = (1.22, 2.28)  # logarithms to base 10, with room for the labels
QUALITIES = (*_QUALITIES, "pawsx_test")


def korean_study() -> pd.DataFrame:
    """Their two tables, one row per tokenizer: strategy, vocabulary (size), mean_tokens (a sentence), and QUALITIES;
    NaN where they did not run it."""
    return pd.read_csv(_FILE)


def render_korean_study() -> None:
    """The figure, at a task of the visitor's choice."""
    names = {one: t(f"papers.korean_study.{one}") for one in QUALITIES}
    quality = url_choice("study_task", t("papers.korean_study.task"), names, QUALITIES[0])
    title = t("papers.korean_study.title")
    axes = (t("papers.korean_study.tokens"), names[quality])
    table = korean_study()
    table["strategy"] = [named(one, language()) for one in table["strategy"]]
    figure = korean_study_figure(table, quality, title, axes)
    st.plotly_chart(figure, key="papers.korean_study", config={"displaylogo": False}, alt=title)
    st.caption(t("papers.korean_study.source"))


def korean_study_figure(table: pd.DataFrame, quality: str, title: str, axes: tuple[str, str]) -> go.Figure:
    """A dot per tokenizer, a series per strategy, with the vocabulary size at both ends of each."""
    figure = go.Figure()
    for k, (strategy, rows) in enumerate(table.dropna(subset=[quality]).groupby("strategy", sort=False)):
        colour, _, symbol = series_style(k)
        sizes = [marked_up(str(size)) for size in rows["vocabulary"]]
        figure.add_scatter(
            x=rows["mean_tokens"],
            y=rows[quality],
            mode="lines+markers+text",
            name=marked_up(str(strategy)),
            text=[size if i in (0, len(sizes) - 1) else "" for i, size in enumerate(sizes)],
            customdata=sizes,
            textposition="middle right",
            line={"color": colour, "width": 1},
            marker={"size": 12, "color": colour, "symbol": symbol},
            hovertemplate="%{fullData.name} %{customdata}<br>%{x:.2f}, %{y:.2f}<extra></extra>",
        )
    return arrange(
        figure,
        title,
        480,
        hovermode="closest",
        xaxis={"title": axes[0], "type": "log", "tickvals": _TICKS, "range": _RANGE},
        yaxis={"title": axes[1]},
    )
