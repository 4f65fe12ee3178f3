"""A sentence with its curves above and the cuts of every method below; distributions; F1 over lambda."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from app.figures.base import BLUE, GREEN, GREY, OCHRE, PINK, VERMILLION, arrange, marked_up, nothing_to_show

_CURVES = {
    "pmi": (BLUE, "solid", "circle"),
    "left_entropy": (GREEN, "dash", "diamond"),
    "right_entropy": (OCHRE, "dot", "square"),
    "lm_entropy": (VERMILLION, "dashdot", "triangle-up"),
}
_ROWS = (VERMILLION, BLUE, GREEN, OCHRE, PINK, GREY)


def profile_figure(
    table: pd.DataFrame, cuts: Mapping[str, Sequence[int]], names: Mapping[str, str], title: str, language: str
) -> go.Figure:
    """Curves of a `profile_table`, and a row of vertical lines for the inner cuts of every entry of `cuts`.

    `names` has a text for each curve and row. A PMI stands between its two characters, an entropy on its own.
    """
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for curve, (colour, dash, symbol) in _CURVES.items():
        figure.add_scatter(
            x=table["position"] + (0.5 if curve == "pmi" else 0.0), y=table[curve], mode="lines+markers",
            name=names[curve], connectgaps=False,
            line={"color": colour, "width": 2, "dash": dash}, marker={"size": 7, "symbol": symbol},
            hovertemplate="%{fullData.name}: %{y:.2f}<extra></extra>",
        )  # fmt: skip
    rows = list(cuts)
    for row, name in enumerate(rows):
        x: list[float | None] = []
        y: list[float | None] = []
        for end in cuts[name][:-1]:
            x += [end - 0.5, end - 0.5, None]
            y += [-row - 0.42, -row + 0.42, None]
        figure.add_scatter(x=x, y=y, mode="lines", yaxis="y2", showlegend=False, hoverinfo="skip",
                           line={"color": _ROWS[row % len(_ROWS)], "width": 3.5})  # fmt: skip
    characters = [marked_up(char) if char.strip() else "␣" for char in table["character"]]
    arrange(figure, title, 330 + 34 * len(rows), hovermode="closest")
    share = 0.62 * (34 * len(rows)) / (34 * len(rows) + 150)
    figure.update_layout(
        yaxis={"domain": [share + 0.1, 1], "rangemode": "tozero"},
        yaxis2={"domain": [0, share], "tickvals": [-row for row in range(len(rows))], "showgrid": False,
                "ticktext": [marked_up(names[name]) for name in rows], "zeroline": False, "automargin": True,
                "range": [-len(rows) + 0.4, 0.6]},
        xaxis={"tickvals": list(range(len(characters))), "ticktext": characters, "anchor": "free",
               "position": share + 0.015, "range": [-0.6, len(characters) - 0.4], "showgrid": False, "tickangle": 0},
    )  # fmt: skip
    return figure


def distribution_figure(table: pd.DataFrame, kind: str, title: str, axes: tuple[str, str], language: str) -> go.Figure:
    """Histogram of one kind of a `distribution_table`."""
    part = table[table["kind"] == kind]
    if part.empty:
        return nothing_to_show(title, language, 280)
    figure = go.Figure()
    figure.add_bar(x=part["value"], y=part["count"], marker={"color": _CURVES[kind][0]},
                   hovertemplate="%{x:.2f}: %{y:,}<extra></extra>")  # fmt: skip
    arrange(figure, title, 280, bargap=0.05, showlegend=False)
    figure.update_xaxes(title=axes[0])
    figure.update_yaxes(title=axes[1], type="log" if kind != "pmi" else "linear")
    return figure


def lambda_figure(
    table: pd.DataFrame, lam: float, names: Mapping[str, str], title: str, axis: str, language: str
) -> go.Figure:
    """F1 of a `lambda_curve`, the lambda of the page marked."""
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for column, colour, dash, symbol in (("f1", BLUE, "solid", "circle"), ("boundary_f1", GREEN, "dash", "diamond")):
        figure.add_scatter(
            x=table["lam"], y=table[column], mode="lines+markers", name=names[column],
            line={"color": colour, "width": 2.5, "dash": dash}, marker={"size": 8, "symbol": symbol},
            hovertemplate="λ = %{x:g}: %{y:.3f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    figure.add_vline(x=lam, line={"color": VERMILLION, "width": 2, "dash": "dot"})
    arrange(figure, title, 380)
    figure.update_xaxes(title="λ")
    figure.update_yaxes(title=axis)
    return figure
