"""Frequencies of sampled segmentations beside their exact posteriors."""

import pandas as pd
import plotly.graph_objects as go

_BLUE, _ORANGE = "#0072B2", "#D55E00"


def samples_figure(table: pd.DataFrame, title: str, observed: str, exact: str) -> go.Figure:
    """Bars of `observed` and markers of `exact`, one row a segmentation (`label`), the most frequent on top."""
    figure = go.Figure(
        [
            go.Bar(
                y=table["label"],
                x=table["observed"],
                orientation="h",
                name=observed,
                marker_color=_BLUE,
                opacity=0.6,
            ),
            go.Scatter(
                y=table["label"],
                x=table["exact"],
                mode="markers",
                name=exact,
                marker={"symbol": "diamond", "size": 11, "color": _ORANGE},
            ),
        ]
    )
    figure.update_layout(
        title=title,
        height=110 + 34 * max(3, len(table)),
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        xaxis={"tickformat": ".0%", "rangemode": "tozero"},
        legend={"orientation": "h", "y": -0.15},
        margin={"l": 10, "r": 10, "t": 50, "b": 10},
    )
    return figure
