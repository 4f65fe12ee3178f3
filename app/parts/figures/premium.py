"""Release year against the tokens that a language takes for what the base language says in one."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from app.parts.figures.base import FONT_SIZE, GREY, arrange, marked_up, nothing_to_show
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE

_HEIGHT = 420
_GAP, _RAISED = 17.0, 9.0  # pixels between the middles of two labels; from a dot with a line to its label
_PIXELS = _HEIGHT - 90.0  # of the axis
_LARGEST = 26.0  # pixels, of a dot
_NARROWEST, _LETTER = 8.0, 1.3  # letters that a year takes without a label; width of a bold letter
_LOUD = "GPT"  # the family of the sentence above the figure


def premium_figure(
    table: pd.DataFrame, baselines: Mapping[str, float], title: str, language: str, label: str = "cost.label"
) -> go.Figure:
    """A dot per tokenizer at its year, with its interval; a line joins the tokenizers of one family.

    Years without a tokenizer are left out and the others are as wide as their labels, so the axis is not to scale.

    Parameters
    ----------
    table : columns title, family, year, value, low, high; optionally is_loud (else that of the family GPT), and size,
        for the area of the dots.
    baselines : values of the upright measures that are no tokenizers, drawn as lines, by label.
    label : in the catalogue, of a dot, with its name and times; what follows the number is the unit of the axis.
    """
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    if "is_loud" not in table:
        table = table.assign(is_loud=table["family"] == _LOUD)
    table = table.assign(has_line=table.groupby("family")["year"].transform("nunique") > 1)
    unit = translate(label, language, name="", times=0.0).partition("0.0")[2]
    figure = go.Figure()
    places, end = _places(table, label, language)
    bottom, top = _range(table, baselines)
    for family, rows in table.groupby("family", sort=False):
        rows = rows.sort_values("year", kind="stable")
        is_loud = bool(rows["is_loud"].any())
        sizes = 15 if is_loud else 9
        if "size" in rows:
            sizes = _LARGEST * np.sqrt(rows["size"] / table["size"].max())
        figure.add_scatter(
            x=[places[year] for year in rows["year"]],
            y=rows["value"],
            name=str(family),
            mode="lines+markers" if rows["has_line"].all() else "markers",
            line={"color": BLUE if is_loud else GREY, "width": 3 if is_loud else 1},
            marker={"size": sizes},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows["high"] - rows["value"],
                "arrayminus": rows["value"] - rows["low"],
                "thickness": 1.5,
                "width": 0,
            },
            customdata=rows[["title", "low", "high"]].map(_hover),
            hovertemplate=f"%{{customdata[0]}}: %{{y:.2f}}{unit} "
            "(%{customdata[1]} – %{customdata[2]})<extra></extra>",
            showlegend=False,
        )
    labels = _labels(table, places, (bottom, top), language, label)
    lines = [
        {
            "type": "line",
            "x0": 0,
            "x1": 1,
            "xref": "x domain",
            "y0": value,
            "y1": value,
            "line": {"color": GREY, "dash": "dot"},
        }
        for value in baselines.values()
    ]
    notes = [
        {
            "x": 0,
            "xref": "x domain",
            "xanchor": "left",
            "y": float(np.log10(value)),
            "yanchor": "bottom",
            "text": marked_up(text),
            "showarrow": False,
        }
        for text, value in baselines.items()
    ]
    ticks = [one for one in (0.5, 0.7, 1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20) if bottom <= np.log10(one) <= top]
    return arrange(
        figure,
        title,
        _HEIGHT,
        shapes=lines,
        annotations=[*labels, *notes],
        xaxis={
            "tickvals": list(places.values()),
            "ticktext": [str(year) for year in places],
            "range": [-_NARROWEST, end],
        },
        yaxis={
            "type": "log",
            "range": [bottom, top],
            "tickvals": ticks,
            "ticktext": [f"{one:g}{unit}" for one in ticks],
        },
    )


def _places(table: pd.DataFrame, label: str, language: str) -> tuple[dict[int, float], float]:
    """Where each year is on the x axis, and where the axis ends, in letters: labels are to the right of their dots."""
    places, at = {}, 0.0
    for year, rows in table.groupby("year"):
        places[year] = at
        at += _width(rows, label, language)
    return places, at


def _width(rows: pd.DataFrame, label: str, language: str) -> float:
    """Letters of the longest label of these dots, and of the space around it."""
    texts = [translate(label, language, name=name, times=times) for name, times in rows[["title", "value"]].to_numpy()]
    widths = [len(text) * (_LETTER if loud else 1.0) for text, loud in zip(texts, rows["is_loud"], strict=True)]
    return _NARROWEST + max(widths)


def _hover(cell: object) -> object:
    return f"{cell:.2f}" if isinstance(cell, float) else marked_up(str(cell))


def _range(table: pd.DataFrame, baselines: Mapping[str, float]) -> tuple[float, float]:
    """Ends of the y axis, in powers of ten."""
    values = np.log10([*table["low"], *table["high"], *baselines.values()])
    return float(values.min()) - 0.04, float(values.max()) + 0.05


def _labels(
    table: pd.DataFrame, places: Mapping[int, float], ends: tuple[float, float], language: str, label: str
) -> list[dict[str, object]]:
    """The names to the right of the dots, pushed apart where those of one year would overlap, loud ones of any year.

    On a phone the years are close together; the style sheet hides the small names there.
    """
    table = table.sort_values("value")
    dots = (np.log10(table["value"].to_numpy()) - ends[0]) / (ends[1] - ends[0]) * _PIXELS
    labels, last_loud, last = [], -_GAP, dict.fromkeys(places, -_GAP)
    for height, (_, row) in zip(dots, table.iterrows(), strict=True):
        is_loud, year = bool(row["is_loud"]), row["year"]
        above = max(last[year], last_loud) if is_loud else last[year]
        last[year] = max(height + _RAISED * bool(row["has_line"]), above + _GAP)
        if is_loud:
            last_loud = last[year]
        name = marked_up(row["title"])
        text = translate(label, language, name=name, times=row["value"])
        labels.append(
            {
                "x": places[year],
                "y": float(np.log10(row["value"])),
                "text": f"<b>{text}</b>" if is_loud else text,
                "font": {"size": (FONT_SIZE if "size" in row else FONT_SIZE + 2) if is_loud else FONT_SIZE - 2},
                "showarrow": True,
                "arrowhead": 0,
                "arrowwidth": 1,
                "arrowcolor": GREY,
                "standoff": 9 if is_loud else 6,
                "ax": 18,
                "ay": float(height - last[year]),
                "xanchor": "left",
            }
        )
    return labels
