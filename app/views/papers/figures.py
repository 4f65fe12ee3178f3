"""Claims by source and verdict; and the curve of a sentence: a model's entropy at each character, and two cuts."""

from collections.abc import Mapping, Sequence

import pandas as pd

from app.parts.figures.base import FONT_SIZE, Plot, arrange, marked_up
from app.parts.figures.charts import NUMBERS_INSIDE, STACKED_ROWS, bars, dots, lines, single, split
from app.parts.figures.styles import GREY, Style
from engine.pictures.palette import BLUE, GREEN, OCHRE, VERMILLION

# What holds, what does not, what nobody can say, with colour and pattern; a slip is the source's own.
_OUTCOMES = {
    "agrees": Style(GREEN),
    "differs": Style(VERMILLION, pattern="/"),
    "slip": Style(OCHRE, pattern="x"),
    "undecided": Style(BLUE, pattern="-"),
    "not_measured": Style(GREY),
}
_CUTS = {"printed": Style(VERMILLION, "triangle-up"), "ours": Style(GREEN, "diamond")}


def curve_figure(
    text: str, bits: Sequence[float], cuts: Mapping[str, Sequence[int]], names: Mapping[str, str], title: str, axis: str
) -> Plot:
    """Entropy before every character, and cuts by name (`printed`, `ours`) as rows of marks below the curve."""
    curve = pd.DataFrame({"place": range(len(text)), "bits": bits})
    traces = lines(single(curve, name=names["entropy"]), "place", "bits", "%{y:.2f}", width=2, size=7)
    for k, (name, style) in enumerate(_CUTS.items(), start=1):
        places = [end - 0.5 for end in cuts[name] if end < len(text)]
        inner = pd.DataFrame({"place": places, "bits": -0.08 * k * max(bits)})
        traces += dots(single(inner, style, names[name]), "place", "bits", None, size=11, hoverinfo="name")
    xaxis = {
        "tickvals": list(range(len(text))),
        "ticktext": [marked_up(char) for char in text],
        "range": [-0.7, len(text) - 0.3],
        "showgrid": False,
        "tickangle": 0,
    }
    return arrange(traces, title, 340, yaxis={"title": axis}, xaxis=xaxis)


def verdicts_figure(table: pd.DataFrame, names: Mapping[str, str], title: str) -> Plot:
    """A bar per source: its claims by outcome.

    Parameters
    ----------
    table : columns source (title) and those of `names`, which do not overlap.
    names : of the verdicts and of slip.
    """
    outcomes = split(table.melt("source", list(_OUTCOMES), "outcome", "claims"), "outcome", names, _OUTCOMES)
    traces = bars(
        outcomes,
        "claims",
        "source",
        "%{y}<br>%{fullData.name}: %{x}",
        text=lambda rows: [f"<b>{number}</b>" if number else "" for number in rows["claims"]],
        textfont={"size": FONT_SIZE + 1, "color": "white"},
        **NUMBERS_INSIDE,
    )
    height = 150 + 38 * len(table)
    return arrange(traces, title, height, bargap=0.25, xaxis={"showgrid": False}, **STACKED_ROWS)
