"""F1 of morpheme boundaries over fertility: what fewer tokens cost."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import COLOURS, SYMBOLS
from app.parts.figures.base import arrange, marked_up, nothing_to_show
from app.texts.catalogue import translate


def tradeoff_figure(table: pd.DataFrame, language: str) -> go.Figure:
    """A point a tokenizer of a `scores_table`, with the interval of its F1."""
    title = translate("morphology.figure.title", language)
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for k, row in enumerate(table.to_dict("records")):
        figure.add_scatter(
            x=[row["fertility"]], y=[row["f1"]], mode="markers", name=marked_up(str(row["tokenizer"])),
            marker={"size": 13, "color": COLOURS[k % len(COLOURS)], "symbol": SYMBOLS[k % len(SYMBOLS)]},
            error_y={"array": [row["high"] - row["f1"]], "arrayminus": [row["f1"] - row["low"]], "thickness": 1.5},
            hovertemplate="%{fullData.name}<br>%{x:.3f}, F1 %{y:.3f}<extra></extra>",
        )  # fmt: skip
    axes = {name: {"title": translate(f"morphology.figure.{name}", language)} for name in ("fertility", "f1")}
    return arrange(figure, title, 480, hovermode="closest", xaxis=axes["fertility"], yaxis=axes["f1"])
