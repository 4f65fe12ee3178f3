"""Curves over the vocabulary size, and a heat map with numbers in its cells."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import series_style
from app.parts.figures.base import arrange, marked_up, nothing_to_show


def growth_figure(
    table: pd.DataFrame,
    series: str,
    value: str,
    title: str,
    axes: tuple[str, str],
    language: str,
    *,
    in_percent: bool = False,
) -> go.Figure:
    """`value` over `vocab_size` (logarithmic), a line for each of `series`; `in_percent`: shares, up to 100."""
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    for k, (name, rows) in enumerate(table.groupby(series, sort=False)):
        colour, dash, symbol = series_style(k)
        figure.add_scatter(
            x=rows["vocab_size"],
            y=rows[value],
            mode="lines+markers",
            name=marked_up(str(name)),
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 8, "symbol": symbol},
            hovertemplate=f"%{{fullData.name}}<br>%{{x:,}}: %{{y:{'.1%' if in_percent else ',.3f'}}}<extra></extra>",
        )
    # Ticks at 1, 2 and 5 are too many over more than two decades.
    is_long = table["vocab_size"].max() > 100 * table["vocab_size"].min()
    sizes = {"title": axes[0], "type": "log", "dtick": 1 if is_long else "D2", "tickformat": ",d"}
    yaxis = {"title": axes[1], **({"tickformat": ".0%", "range": [0, 1.02]} if in_percent else {})}
    return arrange(figure, title, 480, hovermode="closest", xaxis=sizes, yaxis=yaxis)


def matrix_figure(
    table: pd.DataFrame, title: str, axes: tuple[str, str], language: str, is_bold: pd.DataFrame | None = None
) -> go.Figure:
    """A heat map of a wide table: its index as rows, its columns as columns, the numbers in the cells."""
    if table.empty:
        return nothing_to_show(title, language)
    values = table.to_numpy(dtype=float)
    numbers = table.map("{:.1f}".format)
    if is_bold is not None:
        numbers = numbers.where(~is_bold, "<b>" + numbers + "</b>")
    figure = go.Figure()
    # Dark enough for white numbers in both themes.
    figure.add_heatmap(
        z=values,
        x=[marked_up(str(name)) for name in table.columns],
        y=[marked_up(str(name)) for name in table.index],
        text=numbers.to_numpy(),
        texttemplate="%{text}",
        textfont={"color": "white"},
        colorscale=[[0, "#0072B2"], [0.5, "#6B7280"], [1, "#B84E00"]],
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y} → %{x}: %{z:.2f}<extra></extra>",
    )
    across, down = {"title": axes[1], "side": "bottom"}, {"title": axes[0], "autorange": "reversed"}
    return arrange(figure, title, 150 + 42 * len(table), xaxis=across, yaxis=down)
