"""Two ways to prune the same seed: their curves over the vocabulary size."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.catalogue import translate
from app.figures.base import BLUE, FONT_SIZE, VERMILLION, arrange, marked_up, nothing_to_show, unit_name
from app.tables.units import per_nat

_CURVES = ("fertility", "objective")
_STYLES = ((BLUE, "circle", "solid"), (VERMILLION, "square", "dash"))
_HEIGHT = 380


def twin_curves_figure(tables: Mapping[str, pd.DataFrame], unit: str, language: str) -> go.Figure:
    """Fertility and objective against the vocabulary size, which shrinks from left to right.

    Parameters
    ----------
    tables : `rounds_table` of both models by their names.
    """
    title = translate("rounds.twin.chart", language)
    if not any(len(table) for table in tables.values()):
        return nothing_to_show(title, language, _HEIGHT)
    names = [translate(f"rounds.curve.{name}", language, unit=unit_name(unit, language)) for name in _CURVES]
    figure = make_subplots(rows=1, cols=2, subplot_titles=names, horizontal_spacing=0.09)
    for (name, table), (colour, symbol, dash) in zip(tables.items(), _STYLES, strict=False):
        for place, column in enumerate(_CURVES, start=1):
            factor = per_nat(unit) if column == "objective" else 1.0
            figure.add_scatter(
                x=table["vocab_size"], y=table[column] * factor, mode="lines+markers", name=marked_up(name),
                legendgroup=name, showlegend=place == 1, line={"color": colour, "width": 3, "dash": dash},
                marker={"size": 9, "symbol": symbol}, customdata=table["number"],
                hovertemplate="%{x:,}: %{y:.4f} (%{customdata})<extra>%{fullData.name}</extra>", row=1, col=place,
            )  # fmt: skip
    arrange(figure, title, _HEIGHT, hovermode="closest")
    figure.update_layout(margin={"l": 10, "r": 10, "t": 84, "b": 10}, legend={"y": -0.28})
    figure.update_annotations(font_size=FONT_SIZE)
    figure.update_xaxes(type="log", autorange="reversed", title=translate("rounds.curve.vocab_size", language))
    return figure
