"""Curves over the vocabulary size, and a heat map with numbers in its cells."""

import pandas as pd

from app.parts.figures.base import HEIGHT, Plot, arrange, marked_up, nothing_to_show
from app.parts.figures.charts import chart, interval, lines, single, split

# Dark enough for white numbers in both themes.
BAD_IS_HIGH = [(0.0, "#0072B2"), (0.5, "#6B7280"), (1.0, "#B84E00")]
# Of a heat map with a number in every cell.
NUMBERED_CELLS = {"texttemplate": "%{text}", "textfont": {"color": "white"}, "showscale": False, "xgap": 2, "ygap": 2}


def growth_figure(
    table: pd.DataFrame,
    series: str,
    value: str,
    title: str,
    axes: tuple[str, str],
    language: str,
    *,
    in_percent: bool = False,
) -> Plot:
    """`value` over `vocab_size` (logarithmic), a line for each of `series`; `in_percent`: shares, up to 100."""
    hover = f"%{{fullData.name}}<br>%{{x:,}}: %{{y:{'.1%' if in_percent else ',.3f'}}}"
    # Ticks at 1, 2 and 5 are too many over more than two decades.
    is_long = table["vocab_size"].max() > 100 * table["vocab_size"].min()
    sizes = {"title": axes[0], "type": "log", "dtick": 1 if is_long else "D2", "tickformat": ",d"}
    yaxis = {"title": axes[1], **({"tickformat": ".0%", "range": [0, 1.02]} if in_percent else {})}
    traces = lines(split(table, series), "vocab_size", value, hover)
    return chart(traces, title, language, 480, empty_height=HEIGHT, xaxis=sizes, yaxis=yaxis)


def added_figure(table: pd.DataFrame, x: str, value: str, title: str, axes: tuple[str, str], language: str) -> Plot:
    """`value` over a whole number, small; columns `low` and `high` are drawn as intervals."""
    whiskers = interval(value, thickness=1.2, width=3)
    traces = lines(single(table), x, value, "%{x:,}: %{y:.3f}", width=1.5, size=6, error_y=whiskers)
    return chart(traces, title, language, 280, xaxis={"title": axes[0], "tickformat": ",d"}, yaxis={"title": axes[1]})


def matrix_figure(
    table: pd.DataFrame, title: str, axes: tuple[str, str], language: str, is_bold: pd.DataFrame | None = None
) -> Plot:
    """A heat map of a wide table: its index as rows, its columns as columns, the numbers in the cells."""
    if table.empty:
        return nothing_to_show(title, language)
    values = table.to_numpy(dtype=float)
    numbers = table.map("{:.1f}".format)
    if is_bold is not None:
        numbers = numbers.where(~is_bold, "<b>" + numbers + "</b>")
    cells = {
        "type": "heatmap",
        "z": values,
        "x": [marked_up(str(name)) for name in table.columns],
        "y": [marked_up(str(name)) for name in table.index],
        "text": numbers.to_numpy(),
        "colorscale": BAD_IS_HIGH,
        **NUMBERED_CELLS,
        "hovertemplate": "%{y} → %{x}: %{z:.2f}<extra></extra>",
    }
    across, down = {"title": axes[1], "side": "bottom"}, {"title": axes[0], "autorange": "reversed"}
    return arrange([cells], title, 150 + 42 * len(table), xaxis=across, yaxis=down)
