"""Fewer tokens, worse prediction? Bits per byte over tokens per word, and the change as the models read more text."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from app.parts.choices import url_choice
from app.parts.figures.bars import series_style
from app.parts.figures.base import arrange, marked_up, nothing_to_show
from app.parts.figures.lines import growth_figure
from app.texts.i18n import language, t
from engine.evidence.stored import Evidence

_USUAL_ORDER = "3"


def render_prediction(found: Evidence) -> None:
    """Both figures of the stored n-gram models, at an order of the visitor's choice."""
    bytes_each = str(found.settings["context_bytes"])
    names = {
        order: t("papers.prediction.bytes", n=bytes_each) if order == "bytes" else t("papers.prediction.order", n=order)
        for order in next(iter(found.figures["parts"].values()))
    }
    order = url_choice("ngram_order", t("papers.prediction.context"), names, _USUAL_ORDER)
    against = found.settings["against"]["parts"]
    largest = next(reversed(found.figures["parts"]))
    title = t("papers.prediction.title", megabytes=largest)
    axes = (t("papers.name.fertility"), t("papers.name.bits_per_byte"))
    table = prediction_table(found.figures, order, against)
    figure = prediction_figure(table, title, axes, language())
    st.plotly_chart(figure, key="papers.prediction", config={"displaylogo": False}, alt=title)
    st.caption(t("papers.prediction.intervals", name=against))
    title = t("papers.prediction.curve", name=against)
    axes = (t("papers.prediction.megabytes"), t("papers.prediction.change_axis"))
    figure = growth_figure(change_table(found.figures, order), "name", "change", title, axes, language())
    st.plotly_chart(figure, key="papers.prediction_curve", config={"displaylogo": False}, alt=title)


def prediction_table(figures: Mapping[str, Any], order: str, against: str) -> pd.DataFrame:
    """One row per tokenizer after the largest text, in the order of the shipped models.

    Columns: name, tokens, tokens_low, tokens_high (per word), bits, bits_low, bits_high (per byte; the ends are those
    of the paired change from the tokenizer `against`).
    """
    largest = next(reversed(figures["parts"].values()))[order]
    first = largest[against]["bits_per_byte"][0]
    rows = []
    for name, one in largest.items():
        _, low, high = one["change"]
        bits = one["bits_per_byte"][0]
        rows.append((name, *figures["fertility"][name], bits, first * (1 + low / 100), first * (1 + high / 100)))
    columns = ["name", "tokens", "tokens_low", "tokens_high", "bits", "bits_low", "bits_high"]
    return pd.DataFrame(rows, columns=columns)


def change_table(figures: Mapping[str, Any], order: str) -> pd.DataFrame:
    """A row per amount of text and tokenizer.

    Columns: name, vocab_size (megabytes, as `growth_figure` wants it), change (percent).
    """
    rows = [
        (name, int(megabytes), one["change"][0])
        for megabytes, orders in figures["parts"].items()
        for name, one in orders[order].items()
    ]
    return pd.DataFrame(rows, columns=["name", "vocab_size", "change"])


def prediction_figure(table: pd.DataFrame, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """A dot per row of a `prediction_table`, with both intervals."""
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    bars = {"type": "data", "symmetric": False, "thickness": 1.6, "width": 3}
    for k, (name, row) in enumerate(table.groupby("name", sort=False)):
        colour, _, symbol = series_style(k)
        figure.add_scatter(
            x=row["tokens"],
            y=row["bits"],
            mode="markers",
            name=marked_up(str(name)),
            marker={"size": 12, "color": colour, "symbol": symbol},
            error_x=_ends(row, "tokens") | bars,
            error_y=_ends(row, "bits") | bars,
            hovertemplate="%{fullData.name}<br>%{x:.3f}, %{y:.4f}<extra></extra>",
        )
    return arrange(figure, title, 480, hovermode="closest", xaxis={"title": axes[0]}, yaxis={"title": axes[1]})


def _ends(table: pd.DataFrame, value: str) -> dict[str, Any]:
    return {"array": table[f"{value}_high"] - table[value], "arrayminus": table[value] - table[f"{value}_low"]}
