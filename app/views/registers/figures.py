"""What is key in each sub-corpus as bars, and where one of them stands in the files."""

import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.bars import COLOURS, PATTERNS
from app.parts.figures.base import GREY, arrange, filled, marked_up, nothing_to_show, upright_line
from app.texts.catalogue import translate

_BARS = 24  # in all, divided among the sub-corpora


def key_figure(table: pd.DataFrame, title: str, language: str) -> go.Figure:
    """The most key types of every sub-corpus: their log ratio with its interval, those of the second to the left.

    Only what the interval carries and what has a letter, if there is any: the table has everything.

    Parameters
    ----------
    table : of `key_table`, with a column kind, the class of a token in words or "".
    """
    title = marked_up(title)
    if table.empty:
        return nothing_to_show(title, language)
    has_letter = table["label"].str.contains(r"^(?!<0x).*[^\W\d_]", regex=True)
    carried = table[(table["log_ratio_low"] > 0) & has_letter]
    table = table if carried.empty else carried
    groups = table["group"].unique().tolist()
    top = table.groupby("group", sort=False).head(_BARS // len(groups)).reset_index(drop=True)
    sign = -1 if len(groups) == 2 else 1
    figure = go.Figure()
    for k, group in enumerate(groups):
        own = top[top["group"] == group]
        side = sign if k == 1 else 1
        low, high = own["log_ratio"] - own["log_ratio_low"], own["log_ratio_high"] - own["log_ratio"]
        figure.add_bar(
            x=side * own["log_ratio"],
            y=own.index,
            orientation="h",
            name=marked_up(group),
            marker=filled(COLOURS[k % len(COLOURS)], PATTERNS[k % len(PATTERNS)]),
            error_x={
                "type": "data",
                "symmetric": False,
                "array": high if side > 0 else low,
                "arrayminus": low if side > 0 else high,
                "thickness": 1.2,
                "width": 0,
                "color": GREY,
            },
            customdata=_hover_texts(own),
            hovertemplate="%{customdata}<extra></extra>",
        )
    names = [marked_up(" · ".join(filter(None, pair))) for pair in zip(top["label"], top["kind"], strict=True)]
    return arrange(
        figure,
        title,
        130 + 19 * len(top),
        bargap=0.25,
        barmode="overlay",
        shapes=[upright_line(0, GREY, 1.5)],
        xaxis={"title": translate("registers.axis.ratio", language), "zeroline": False},
        yaxis={"tickvals": list(range(len(top))), "ticktext": names, "autorange": "reversed"},
    )


def _hover_texts(own: pd.DataFrame) -> list[str]:
    """What a bar says when it is pointed at."""
    columns = (own[name] for name in ("label", "count", "against", "g2", "log_ratio"))
    return [
        marked_up(f"{label}: {count:,} / {against:,}, G² {g2:,.1f}, {ratio:+.2f}")
        for label, count, against, g2, ratio in zip(*columns, strict=True)
    ]


def spread_figure(table: pd.DataFrame, title: str, language: str) -> go.Figure:
    """A row per file, a stroke for every occurrence.

    Parameters
    ----------
    table : of `spread_table`.
    """
    title = marked_up(title)
    if table.empty:
        return nothing_to_show(title, language)
    figure = go.Figure()
    files = table["file"].unique().tolist()
    for k, (group, own) in enumerate(table.groupby("group", sort=False)):
        figure.add_scatter(
            x=own["at"].astype(object).where(own["at"].notna(), None),
            y=own["file"].map(marked_up),
            mode="markers",
            name=marked_up(str(group)),
            marker={
                "symbol": "line-ns",
                "size": 16,
                "line": {"width": 1, "color": COLOURS[k % len(COLOURS)]},
                "color": COLOURS[k % len(COLOURS)],
            },
            hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        )
    return arrange(
        figure,
        title,
        140 + 30 * len(files),
        xaxis={"title": translate("registers.axis.place", language), "tickformat": ".0%", "range": [-0.01, 1.01]},
        yaxis={"categoryorder": "array", "categoryarray": [marked_up(name) for name in files[::-1]]},
    )
