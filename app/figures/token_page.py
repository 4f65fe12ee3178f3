"""The sentences of a token's entropy as bars, and two entropies of the vocabulary against each other."""

import pandas as pd
import plotly.graph_objects as go

from app.figures.base import BLUE, GREY, VERMILLION, arrange, marked_up, nothing_to_show

_N_LABELLED = 12


def shares_figure(table: pd.DataFrame, title: str, axis: str, language: str) -> go.Figure:
    """P(y|x) of sentences, the largest on top."""
    if table.empty:
        return nothing_to_show(title, language)
    names = [f"{k}. {text[:34]}{'…' if len(text) > 34 else ''}" for k, text in enumerate(table["sentence"], start=1)]
    figure = go.Figure()
    figure.add_bar(
        x=table["share"], y=[marked_up(name) for name in names], orientation="h", marker={"color": BLUE},
        customdata=table["marginal"], hovertemplate="P(y|x) %{x:.3%} · P(x|y) %{customdata:.3f}<extra></extra>",
    )  # fmt: skip
    shares = {"title": axis, "tickformat": ".1%"}
    return arrange(
        figure, title, 110 + 24 * len(table), showlegend=False, xaxis=shares, yaxis={"autorange": "reversed"}
    )


def scatter_figure(table: pd.DataFrame, token: str, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """An `entropy_scatter`; the tokens whose two ranks differ most are labelled, and the page's own token."""
    if table.empty:
        return nothing_to_show(title, language)
    order = table.sort_values("difference")
    far = pd.concat([order.head(_N_LABELLED // 2), order.tail(_N_LABELLED // 2)])
    figure = go.Figure()
    figure.add_scattergl(
        x=table["right_entropy"], y=table["be"], mode="markers", marker={"size": 5, "color": GREY, "opacity": 0.45},
        text=[marked_up(one) for one in table["token"]], hovertemplate="%{text}: %{x:.2f}, %{y:.2f}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=far["right_entropy"], y=far["be"], mode="markers+text", text=[marked_up(one) for one in far["token"]],
        textposition="top center", marker={"size": 9, "color": VERMILLION, "symbol": "diamond"},
        hovertemplate="%{text}: %{x:.2f}, %{y:.2f}<extra></extra>",
    )  # fmt: skip
    own = table[table["token"] == token]
    figure.add_scatter(
        x=own["right_entropy"], y=own["be"], mode="markers+text", text=[marked_up(one) for one in own["token"]],
        textposition="bottom center", marker={"size": 14, "color": BLUE, "symbol": "star"}, hoverinfo="skip",
    )  # fmt: skip
    return arrange(figure, title, 520, showlegend=False, xaxis={"title": axes[0]}, yaxis={"title": axes[1]})
