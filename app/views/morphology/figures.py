"""F1 of morpheme boundaries over fertility: the price of fewer tokens."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import COLOURS, SYMBOLS
from app.parts.figures.base import GREY, arrange, marked_up, nothing_to_show
from app.texts.catalogue import translate

# Ratios, because the fertility axis is logarithmic.
_TICKS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20)


def tradeoff_figure(table: pd.DataFrame, points: pd.DataFrame, chosen: Sequence[str], language: str) -> go.Figure:
    """One mark per tokenizer of a `scores_table`, with its F1 interval, and a line through its `points_table`.

    Unselected ones are grey and share one legend entry.
    """
    title = translate("morphology.figure.title", language)
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    own = table.set_index("tokenizer")
    others = own[~own.index.isin(chosen)]
    if len(others):
        figure.add_scatter(
            x=others["fertility"],
            y=others["f1"],
            mode="markers",
            name=translate("morphology.figure.others", language),
            text=[marked_up(str(name)) for name in others.index],
            marker={"size": 9, "color": GREY},
            hovertemplate="%{text}<br>%{x:.3f}, F1 %{y:.3f}<extra></extra>",
        )
    for k, name in enumerate(chosen):
        colour, symbol, row = COLOURS[k % len(COLOURS)], SYMBOLS[k % len(SYMBOLS)], own.loc[name]
        path = points[points["tokenizer"] == name]
        if len(path) > 1:
            figure.add_scatter(
                x=path["fertility"],
                y=path["f1"],
                mode="lines+markers",
                name=marked_up(name),
                legendgroup=marked_up(name),
                showlegend=False,
                line={"color": colour, "width": 1.5},
                marker={"size": 6, "color": colour, "symbol": symbol},
                text=_steps(path, language),
                hovertemplate="%{fullData.name}<br>%{text}<br>%{x:.3f}, F1 %{y:.3f}<extra></extra>",
            )
        figure.add_scatter(
            x=[row["fertility"]],
            y=[row["f1"]],
            mode="markers",
            name=marked_up(name),
            legendgroup=marked_up(name),
            marker={"size": 13, "color": colour, "symbol": symbol},
            error_y={"array": [row["high"] - row["f1"]], "arrayminus": [row["f1"] - row["low"]], "thickness": 1.5},
            hovertemplate="%{fullData.name}<br>%{x:.3f}, F1 %{y:.3f}<extra></extra>",
        )
    axes = {name: {"title": translate(f"morphology.figure.{name}", language)} for name in ("fertility", "f1")}
    ticks = {"type": "log", "tickangle": 0, "tickvals": _TICKS, "ticktext": [f"{tick:g}" for tick in _TICKS]}
    return arrange(figure, title, 480, hovermode="closest", xaxis=axes["fertility"] | ticks, yaxis=axes["f1"])


def _steps(path: pd.DataFrame, language: str) -> list[str]:
    """Labels of the points: vocabulary size, and the round it results from."""
    return [
        translate("morphology.figure.size", language, size=row.vocab_size)
        if pd.isna(row.round)
        else translate("morphology.figure.round", language, size=row.vocab_size, number=int(row.round))
        for row in path.itertuples()
    ]
