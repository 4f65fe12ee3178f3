"""Frequencies of sampled segmentations beside their exact posteriors."""

import pandas as pd
import plotly.graph_objects as go

from app.figures.base import BLUE, VERMILLION, arrange, marked_up


def samples_figure(table: pd.DataFrame, title: str, observed: str, exact: str) -> go.Figure:
    """Bars of `observed` and marks of `exact`, one row a segmentation, by its number; the most frequent on top.

    Columns of the table: number (from 1), label, observed, exact.
    """
    rows = [str(number) for number in table["number"]]
    labels = [marked_up(label) for label in table["label"]]
    figure = go.Figure()
    figure.add_bar(
        y=rows, x=table["observed"], orientation="h", name=observed, marker={"color": BLUE}, opacity=0.6, text=labels,
        textposition="none", hovertemplate="%{text}<br>%{x:.2%}<extra>%{fullData.name}</extra>",
    )  # fmt: skip
    figure.add_scatter(
        y=rows, x=table["exact"], mode="markers", name=exact, text=labels,
        marker={"symbol": "diamond", "size": 11, "color": VERMILLION},
        hovertemplate="%{text}<br>%{x:.2%}<extra>%{fullData.name}</extra>",
    )  # fmt: skip
    return arrange(
        figure,
        title,
        130 + 30 * max(3, len(table)),
        xaxis={"tickformat": ".0%", "rangemode": "tozero", "nticks": 6},
        yaxis={"autorange": "reversed", "type": "category"},
    )
