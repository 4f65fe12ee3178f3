"""What is key in each sub-corpus, and the hits of each part, as bars; and where hits are in the parts."""

import numpy as np
import pandas as pd

from app.parts.figures.base import Plot, broken, marked_up, nothing_to_show, upright_line
from app.parts.figures.charts import bars, chart, dots, interval, single, split
from app.parts.figures.styles import GREY
from app.texts.catalogue import translate
from app.views.search.tables import LETTER, SIGNIFICANT

_BARS = 24  # in all, divided among the sub-corpora
_AXIS_COLUMNS = 32  # of the axis' title, beside labels on a phone


def key_figure(table: pd.DataFrame, title: str, language: str) -> Plot:
    """The most key types of every sub-corpus: their log ratio with its interval, those of the second to the left.

    Only what is key by p (Holm), and of that what has a letter, if there is any: the table has everything.

    Parameters
    ----------
    table : of `key_table`, with a column kind, the class of a token in words or "".
    """
    title = marked_up(title)
    if table.empty:
        return nothing_to_show(title, language)
    key = table[table["p_holm"] < SIGNIFICANT]
    words = key[key["label"].str.contains(LETTER, regex=True)]
    table = key if words.empty else words
    if table.empty:
        return nothing_to_show(title, language)
    groups = table["group"].unique().tolist()
    top = table.groupby("group", sort=False).head(_BARS // len(groups)).reset_index(drop=True)
    side = np.where((top["group"] == groups[-1]) & (len(groups) == 2), -1, 1)
    ends = top[["log_ratio_low", "log_ratio_high"]].mul(side, axis=0)
    top = top.assign(
        place=top.index,
        ratio=side * top["log_ratio"],
        low=ends.min(axis=1, skipna=False),
        high=ends.max(axis=1, skipna=False),
        hover=_hover_texts(top),
    )
    whiskers = interval("ratio", thickness=1.2, width=0, color=GREY)
    parts = split(top, "group")
    traces = bars(parts, "ratio", "place", "%{customdata}", orientation="h", error_x=whiskers, customdata="hover")
    names = [marked_up(" · ".join(filter(None, pair))) for pair in zip(top["label"], top["kind"], strict=True)]
    height, middle = 140 + 24 * len(top), upright_line(0, GREY, 1.5)
    xaxis = {"title": "<br>".join(broken(translate("search.axis.ratio", language), _AXIS_COLUMNS)), "zeroline": False}
    yaxis = {"tickvals": list(range(len(top))), "ticktext": names, "autorange": "reversed"}
    return chart(
        traces, title, language, height, bargap=0.25, barmode="overlay", shapes=[middle], xaxis=xaxis, yaxis=yaxis
    )


def _hover_texts(own: pd.DataFrame) -> list[str]:
    """What a bar says when it is pointed at."""
    columns = (own[name] for name in ("label", "count", "against", "g2", "log_ratio"))
    return [
        f"{label}: {count:,} / {against:,}, G² {g2:,.1f}, {ratio:+.2f}"
        for label, count, against, g2, ratio in zip(*columns, strict=True)
    ]


def parts_figure(table: pd.DataFrame, title: str, language: str) -> Plot:
    """A bar for every part of the corpus: hits per million eojeols.

    Parameters
    ----------
    table : of `part_table`.
    """
    traces = bars(single(table), "part", "per_million", "%{x}: %{customdata:,} (%{y:,.1f})", customdata="count")
    xaxis = {"type": "category", "categoryorder": "array", "categoryarray": table["part"].map(marked_up).tolist()}
    yaxis = {"title": translate("search.axis.per_million", language), "rangemode": "tozero"}
    return chart(traces, marked_up(title), language, 300, bargap=0.15, xaxis=xaxis, yaxis=yaxis)


def spread_figure(table: pd.DataFrame, title: str, language: str) -> Plot:
    """A row per part, a stroke for every occurrence.

    Parameters
    ----------
    table : of `place_table`.
    """
    title = marked_up(title)
    if table.empty:
        return nothing_to_show(title, language)
    files = table["file"].unique().tolist()
    traces = []
    for group in split(table, "group"):
        colour = group.style.colour
        stroke = {"symbol": "line-ns", "size": 16, "line": {"width": 1, "color": colour}, "color": colour}
        traces += dots([group], "at", "file", "%{y}: %{x:.1%}", marker=stroke)
    xaxis = {"title": translate("search.axis.place", language), "tickformat": ".0%", "range": [-0.01, 1.01]}
    yaxis = {"categoryorder": "array", "categoryarray": [marked_up(name) for name in files[::-1]]}
    return chart(traces, title, language, 140 + 30 * len(files), xaxis=xaxis, yaxis=yaxis)
