"""Every algorithm at one size: tokens per word beside bits per byte and beside F1 of morphemes, as stored."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.data_table import headings, render_data, say_bold
from app.parts.figures.base import Plot
from app.parts.figures.charts import chart, dots, interval, lines, single, split
from app.parts.figures.styles import GREY, Style
from app.parts.layout import render_figure
from app.session.titles import text_title
from app.texts.catalogue import translate
from app.texts.i18n import language, t
from engine.evidence.stored import stored
from engine.shipped.catalogue import SHIPPED, shipped_models

_MEASURES = ("tokens", "bits", "f1")
# The panels above each other, with their axes.
_PANELS = {"bits": ("y", [0.56, 1]), "f1": ("y2", [0, 0.46])}


def render_algorithms() -> None:
    """The figure, what its intervals are, and its table."""
    found = stored("rivals")
    facts = {"size": found.settings["vocab_size"], "lines": found.figures["lines"]}
    names = {name: _name(name) for name in found.figures["tokenizers"]}
    table = algorithm_table(found.figures["tokenizers"], names)
    title = t("compare.algorithms.title", **facts)
    render_figure(algorithms_figure(table, title, language()), "compare.algorithms", title)
    st.caption(t("compare.algorithms.note", n_bytes=found.settings["context_bytes"], **facts))
    is_best = table[[f"{measure}_best" for measure in _MEASURES]].set_axis([*_MEASURES], axis=1)
    say_bold(is_best)
    columns = headings("compare.algorithms", name="", tokens="%.3f", floor="%.3f", bits="%.4f", f1="%.3f")
    render_data("algorithms", table, columns, of=found.corpus["held_back"], bold=is_best)


def _name(name: str) -> str:
    return text_title(SHIPPED + name, None) if name in shipped_models() else t(f"compare.algorithms.{name}")


def algorithm_table(figures: Mapping[str, Mapping[str, Any]], names: Mapping[str, str]) -> pd.DataFrame:
    """One row per tokenizer of the stored figures, from the fewest tokens per word to the most.

    Columns: name, floor, of `tokens`, `bits` and `f1` the value, `_low`, `_high` and `_best`, and the row's number.
    """
    rows = []
    for name, one in figures.items():
        row = {"name": names[name], "floor": one["floor"]}
        for measure in _MEASURES:
            ends = (measure, f"{measure}_low", f"{measure}_high")
            row |= dict(zip(ends, one[measure], strict=True)) | {f"{measure}_best": measure in one["best"]}
        rows.append(row)
    table = pd.DataFrame(rows).sort_values("tokens", ignore_index=True)
    return table.assign(number=(table.index + 1).astype(str))


def algorithms_figure(table: pd.DataFrame, title: str, language: str) -> Plot:
    """Two panels over one axis of tokens per word, a numbered mark per tokenizer with its intervals, and its floor."""
    traces = []
    numbered = dict(zip(table["name"], table["number"] + ". " + table["name"], strict=True))
    for measure, (axis, _) in _PANELS.items():
        is_first = axis == "y"
        for floor in split(table.dropna(subset="floor"), "name"):
            ends = pd.DataFrame({"x": [*floor.rows["floor"], *floor.rows["tokens"]], "y": [*floor.rows[measure]] * 2})
            traces += lines(
                single(ends, Style(GREY)), "x", "y", None, width=1, mode="lines", yaxis=axis, showlegend=False
            )
        least = single(
            table.dropna(subset="floor"), Style(GREY, "line-ns-open"), translate("compare.algorithms.floor", language)
        )
        traces += dots(
            least, "floor", measure, "%{text}: %{x:.3f}", size=12, text="name", yaxis=axis, showlegend=is_first
        )
        traces += dots(
            split(table, "name", numbered),
            "tokens",
            measure,
            "%{fullData.name}<br>%{x:.3f}, %{y:.4f}",
            size=12,
            mode="markers+text",
            text="number",
            textposition="top right",
            cliponaxis=False,
            error_x=interval("tokens", "tokens_low", "tokens_high", thickness=1.2, width=0),
            error_y=interval(measure, f"{measure}_low", f"{measure}_high", thickness=1.2, width=0),
            yaxis=axis,
            showlegend=is_first,
        )
    bits, f1 = (
        {"domain": domain, "title": translate(f"compare.algorithms.{measure}", language)}
        for measure, (_, domain) in _PANELS.items()
    )
    xaxis = {"title": translate("compare.algorithms.tokens", language), "anchor": "y2"}
    return chart(traces, title, language, 720, xaxis=xaxis, yaxis=bits, yaxis2=f1)
