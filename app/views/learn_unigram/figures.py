"""The loss of a toy corpus as its vocabulary shrinks."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import arrange, marked_up, nothing_to_show
from engine.pictures.palette import BLUE

_MAX_NAMED = 24


def pruning_figure(table: pd.DataFrame, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """Loss against vocabulary size of a `rounds_table`, from large to small, labelled with the removed tokens."""
    if len(table) < 2:
        return nothing_to_show(title, language, 340)
    # Each point is labelled with the tokens removed before it.
    came = ["", *table["removed"].iloc[:-1]]
    names = [marked_up(f"− {name}" if name else "") for name in came]
    figure = go.Figure()
    figure.add_scatter(
        x=table["size"],
        y=table["loss"],
        mode="lines+markers+text" if len(table) <= _MAX_NAMED else "lines+markers",
        text=names,
        textposition="top center",
        cliponaxis=False,
        line={"color": BLUE, "width": 2.5},
        marker={"size": 9},
        hovertemplate="%{x:,}: %{y:.2f}<br>%{text}<extra></extra>",
    )
    low, high = int(table["size"].min()), int(table["size"].max())
    room = max(0.5, (high - low) * 0.06)
    spread = float(table["loss"].max() - table["loss"].min()) or 1.0
    losses = [float(table["loss"].min()) - 0.1 * spread, float(table["loss"].max()) + 0.18 * spread]
    return arrange(
        figure,
        title,
        360,
        hovermode="closest",
        showlegend=False,
        xaxis={"title": axes[0], "range": [high + room, low - room], "dtick": max(1, -(-(high - low) // 12))},
        yaxis={"title": axes[1], "range": losses},
    )
