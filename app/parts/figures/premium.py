"""Release year against the tokens that a language takes for what the base language says in one."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from app.parts.figures.base import FONT_SIZE, Plot, marked_up, nothing_to_show
from app.parts.figures.charts import chart, interval, lines, split
from app.parts.figures.styles import GREY
from app.texts.catalogue import translate
from engine.pictures.palette import BLUE

_HEIGHT = 420
_GAP, _RAISED = 17.0, 9.0  # pixels between the middles of two labels; from a dot with a line to its label
_PIXELS = _HEIGHT - 90.0  # of the axis
_LARGEST = 26.0  # pixels, of a dot
_WIDE = 2  # years that a label covers
_LOUD = "GPT"  # the family of the sentence above the figure


def premium_figure(
    table: pd.DataFrame, baselines: Mapping[str, float], title: str, language: str, label: str = "cost.label"
) -> Plot:
    """A dot per tokenizer at its year, with its interval; a line joins the tokenizers of one family.

    Named are the first and the last of a family, and what is loud.

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
    first, last = int(table["year"].min()), int(table["year"].max())
    bottom, top = _range(table, baselines)
    traces = lines(
        [part._replace(rows=part.rows.sort_values("year", kind="stable")) for part in split(table, "family")],
        "year",
        "value",
        f"%{{customdata[0]}}: %{{y:.2f}}{unit} (%{{customdata[1]}} – %{{customdata[2]}})",
        mode=lambda rows: "lines+markers" if rows["has_line"].all() else "markers",
        line=lambda rows: {"color": BLUE, "width": 3} if rows["is_loud"].any() else {"color": GREY, "width": 1},
        marker=lambda rows: {"size": _dot_sizes(rows, table)},
        error_y=interval("value", thickness=1.5, width=0),
        customdata=lambda rows: rows[["title", "low", "high"]].map(_hover),
        showlegend=False,
    )
    labels = _labels(table, baselines, (bottom, top), language, label)
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "line": {"color": GREY, "dash": "dot"}}
    note = {"x": 0, "xref": "x domain", "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    notes = [note | {"y": float(np.log10(y)), "text": marked_up(text)} for text, y in baselines.items()]
    ticks = [one for one in (0.5, 0.7, 1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20) if bottom <= np.log10(one) <= top]
    xaxis = {"tickvals": list(range(first, last + 1)), "range": [first - 0.5, last + _WIDE]}
    texts = [f"{tick:g}{unit}" for tick in ticks]
    yaxis = {"type": "log", "range": [bottom, top], "tickvals": ticks, "ticktext": texts}
    shapes, notes = [line | {"y0": y, "y1": y} for y in baselines.values()], [*labels, *notes]
    return chart(traces, title, language, _HEIGHT, shapes=shapes, annotations=notes, xaxis=xaxis, yaxis=yaxis)


def _dot_sizes(rows: pd.DataFrame, table: pd.DataFrame) -> pd.Series | int:
    """Pixels across the dots of one family, for areas in proportion to a size if the table has one."""
    if "size" in rows:
        return _LARGEST * np.sqrt(rows["size"] / table["size"].max())
    return 15 if rows["is_loud"].any() else 9


def _hover(cell: object) -> object:
    return f"{cell:.2f}" if isinstance(cell, float) else marked_up(str(cell))


def _range(table: pd.DataFrame, baselines: Mapping[str, float]) -> tuple[float, float]:
    """Ends of the y axis, in powers of ten."""
    values = np.log10([*table["low"], *table["high"], *baselines.values()])
    return float(values.min()) - 0.04, float(values.max()) + 0.05


def _labels(
    table: pd.DataFrame, baselines: Mapping[str, float], ends: tuple[float, float], language: str, label: str
) -> list[dict[str, object]]:
    """Names to the right of the dots, pushed up where they would overlap: each other, those of a line, all loud ones.

    On a phone the years are close together; the style sheet hides the small names there.
    """
    years = table.groupby("family")["year"]
    table = table[
        table["is_loud"] | (table["year"] == years.transform("min")) | (table["year"] == years.transform("max"))
    ]
    table = table.sort_values("value")

    def pixels(value: float) -> float:
        return float((np.log10(value) - ends[0]) / (ends[1] - ends[0]) * _PIXELS)

    labels: list[dict[str, object]] = []
    placed: list[tuple[int, bool, float]] = []
    for _, row in table.iterrows():
        is_loud, year, height = bool(row["is_loud"]), row["year"], pixels(row["value"])
        near = [at for other, loud, at in placed if abs(other - year) < _WIDE or (is_loud and loud)]
        at = max([height + _RAISED * bool(row["has_line"]), *(one + _GAP for one in near)])
        at = max([at, *(pixels(line) + _RAISED for line in baselines.values() if abs(pixels(line) - at) < _RAISED)])
        placed.append((year, is_loud, at))
        text = translate(label, language, name=marked_up(row["title"]), times=row["value"])
        labels.append(
            {
                "x": year,
                "y": float(np.log10(row["value"])),
                "text": f"<b>{text}</b>" if is_loud else text,
                "font": {"size": (FONT_SIZE if "size" in row else FONT_SIZE + 2) if is_loud else FONT_SIZE - 2},
                "showarrow": True,
                "arrowhead": 0,
                "arrowwidth": 1,
                "arrowcolor": GREY,
                "standoff": 9 if is_loud else 6,
                "ax": 18,
                "ay": height - at,
                "xanchor": "left",
            }
        )
    return labels
