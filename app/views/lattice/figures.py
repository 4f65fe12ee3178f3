"""Frequencies of sampled segmentations compared with their exact posteriors."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import arrange, marked_up
from engine.pictures.palette import BLUE, VERMILLION


def samples_figure(table: pd.DataFrame, title: str, names: Mapping[str, str], axes: tuple[str, str]) -> go.Figure:
    """Bars of `observed` and marks of `exact`, one row per segmentation, by number; the most frequent on top.

    Columns of the table: number (from 1), segmentation, observed, exact. `names` has labels for the last two.
    """
    rows = [str(number) for number in table["number"]]
    labels = [marked_up(label) for label in table["segmentation"]]
    figure = go.Figure()
    figure.add_bar(
        y=rows,
        x=table["observed"],
        orientation="h",
        name=names["observed"],
        marker={"color": BLUE},
        opacity=0.6,
        text=labels,
        textposition="none",
        hovertemplate="%{text}<br>%{x:.2%}<extra>%{fullData.name}</extra>",
    )
    figure.add_scatter(
        y=rows,
        x=table["exact"],
        mode="markers",
        name=names["exact"],
        text=labels,
        cliponaxis=False,
        marker={"symbol": "diamond", "size": 11, "color": VERMILLION},
        hovertemplate="%{text}<br>%{x:.2%}<extra>%{fullData.name}</extra>",
    )
    return arrange(
        figure,
        title,
        150 + 30 * max(3, len(table)),
        xaxis={"title": axes[0], "tickformat": "~%", "rangemode": "tozero", "nticks": 6},
        yaxis={"title": axes[1], "autorange": "reversed", "type": "category"},
    )
