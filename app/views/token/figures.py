"""The sentences of a token's entropy as bars, and a scatter of two entropies of the vocabulary."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import GREY, arrange, filled, marked_up, nothing_to_show, upright_line
from engine.pictures.palette import BLUE, VERMILLION

_N_LABELLED = 12


def shares_figure(table: pd.DataFrame, title: str, axis: str, language: str) -> go.Figure:
    """P(y|x) of sentences, the largest on top."""
    if table.empty:
        return nothing_to_show(title, language)
    ranks = list(range(1, len(table) + 1))
    figure = go.Figure()
    figure.add_bar(
        x=table["share"],
        y=ranks,
        orientation="h",
        marker={"color": BLUE, "opacity": 0.35},
        customdata=table["marginal"],
        hovertemplate="P(y|x) %{x:.3%} · P(x|y) %{customdata:.3f}<extra></extra>",
    )
    # The sentences are on the bars: next to them, they would leave no room for bars on a phone.
    sentences = table["sentence"].str.replace("␣", " ").str[:90]
    figure.add_scatter(
        x=[0.0] * len(ranks),
        y=ranks,
        mode="text",
        text=[marked_up(f" {text}") for text in sentences],
        textposition="middle right",
        hoverinfo="skip",
        cliponaxis=True,
    )
    shares = {"title": axis, "tickformat": "~%", "nticks": 6, "rangemode": "tozero"}
    places = {"autorange": "reversed", "tickvals": ranks, "showgrid": False}
    return arrange(figure, title, 110 + 26 * len(table), showlegend=False, xaxis=shares, yaxis=places)


def surprisal_figure(
    share: pd.Series, entropy: float, factor: float, title: str, axes: tuple[str, str], language: str
) -> go.Figure:
    """Histogram of -log P(y|x) of contexts, `factor` units per nat; a line at BE, their mean weighted by P(y|x)."""
    if share.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    figure.add_histogram(
        x=-np.log(share) * factor, nbinsx=40, marker=filled(BLUE, ""), hovertemplate="%{x}: %{y:,}<extra></extra>"
    )
    line = upright_line(entropy * factor, VERMILLION, 2.5)
    name = {"x": entropy * factor, "y": 1, "yref": "y domain", "yanchor": "bottom", "text": "BE", "showarrow": False}
    return arrange(
        figure,
        title,
        320,
        showlegend=False,
        bargap=0.02,
        shapes=[line],
        annotations=[name],
        xaxis={"title": axes[0]},
        yaxis={"title": axes[1]},
    )


def scatter_figure(table: pd.DataFrame, token: str, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """Scatter of an `entropy_scatter`; labels for the tokens whose two ranks differ most, and for the page's token."""
    if table.empty:
        return nothing_to_show(title, language)
    order = table.sort_values("difference")
    far = pd.concat([order.head(_N_LABELLED // 2), order.tail(_N_LABELLED // 2)])
    figure = go.Figure()
    figure.add_scattergl(
        x=table["right_entropy"].to_numpy(np.float32),
        y=table["be"].to_numpy(np.float32),
        mode="markers",
        marker={"size": 5, "color": GREY, "opacity": 0.45},
        # Plotly inspects every entry of a list, but not of an array.
        text=np.array([marked_up(one) for one in table["token"]], dtype=object),
        hovertemplate="%{text}: %{x:.2f}, %{y:.2f}<extra></extra>",
    )
    labels = [marked_up(one) if is_free else "" for one, is_free in zip(far["token"], _free(far, table), strict=True)]
    figure.add_scatter(
        x=far["right_entropy"],
        y=far["be"],
        mode="markers+text",
        text=labels,
        customdata=far["token"].map(marked_up),
        textposition="top center",
        marker={"size": 9, "color": VERMILLION, "symbol": "diamond"},
        hovertemplate="%{customdata}: %{x:.2f}, %{y:.2f}<extra></extra>",
    )
    own = table[table["token"] == token]
    figure.add_scatter(
        x=own["right_entropy"],
        y=own["be"],
        mode="markers+text",
        text=[marked_up(one) for one in own["token"]],
        textposition="bottom center",
        marker={"size": 14, "color": BLUE, "symbol": "star"},
        hoverinfo="skip",
    )
    return arrange(figure, title, 520, showlegend=False, xaxis={"title": axes[0]}, yaxis={"title": axes[1]})


def _free(points: pd.DataFrame, table: pd.DataFrame) -> list[bool]:
    """Which points can have a label that covers none of a point nearer either end of the order."""
    width, height = (float(table[name].max() - table[name].min()) or 1.0 for name in ("right_entropy", "be"))
    taken: list[tuple[float, float]] = []
    free = [False] * len(points)
    x, y = points["right_entropy"].tolist(), points["be"].tolist()
    # The ranks differ most at both ends of the order.
    for k in sorted(range(len(points)), key=lambda k: min(k, len(points) - 1 - k)):
        if all(abs(x[k] - a) > 0.2 * width or abs(y[k] - b) > 0.06 * height for a, b in taken):
            taken.append((x[k], y[k]))
            free[k] = True
    return free
