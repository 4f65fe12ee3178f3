"""One line per language, from the point where it joined."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import COLOURS, DASHES, SYMBOLS
from app.parts.figures.base import arrange, marked_up


def joined_figure(table: pd.DataFrame, title: str, axes: tuple[str, str]) -> go.Figure:
    """Tokens per line over the number of languages, from a `joined_table`."""
    figure = go.Figure()
    for k, (name, rows) in enumerate(table.groupby("name", sort=False)):
        figure.add_scatter(
            x=rows["languages"],
            y=rows["tokens"],
            mode="lines+markers",
            name=marked_up(str(name)),
            line={"color": COLOURS[k % len(COLOURS)], "width": 2.5, "dash": DASHES[k % len(DASHES)]},
            marker={"size": 9, "symbol": SYMBOLS[k % len(SYMBOLS)]},
            customdata=rows["change"],
            hovertemplate="%{fullData.name}: %{y:.2f} (%{customdata:+.1f} %)<extra></extra>",
        )
    xaxis = {"title": axes[0], "dtick": 1, "tickformat": "d"}
    return arrange(figure, title, 460, xaxis=xaxis, yaxis={"title": axes[1]})
