"""Scores of tokenizers on morphemes, and the grid of a paradigm, as tables."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from engine.measure.best import ties_with_best
from engine.measure.morphemes.morphology import OF_EOJEOLS, MorphologyScores, TradeoffPoint
from engine.measure.morphemes.paradigm import Paradigm, ParadigmCell
from engine.pictures.palette import VERMILLION

UNUSUAL = "≠"

MEASURES = ("f1", "precision", "recall", *OF_EOJEOLS)


class Row(NamedTuple):
    """A tokenizer's fertility, MEASURES and F1 interval (`low`, `high`), NaN where unknown; and its
    `f1_sums`, for comparison with others."""

    values: Mapping[str, float | None]
    f1_sums: np.ndarray


def scores_row(scores: MorphologyScores) -> Row:
    low, high = scores.measures["f1"].interval or (float("nan"), float("nan"))
    values = {name: scores.measures[name].value for name in MEASURES}
    return Row({"fertility": scores.fertility.value, **values, "low": low, "high": high}, scores.f1_sums)


def against_best(rows: Mapping[str, Row], has_verdict: bool = True) -> dict[str, dict[str, float | None]]:
    """The values of each row, with `engine.measure.best.FromBest.fields` for F1; none is best without a verdict."""
    (found,) = ties_with_best([[row.f1_sums for row in rows.values()]])
    best = {} if has_verdict else {"best": False}
    return {name: {**row.values, **own.fields(), **best} for (name, row), own in zip(rows.items(), found, strict=True)}


def scores_table(rows: Mapping[str, Mapping[str, float | None]]) -> pd.DataFrame:
    """`against_best` by tokenizer name, the highest F1 first. Column `interval`: the F1 interval as text."""
    table = pd.DataFrame([{"tokenizer": name, **row} for name, row in rows.items()])
    known = table["low"].notna()
    table["interval"] = [
        f"{low:.3f}–{high:.3f}" if is_known else None
        for low, high, is_known in zip(table["low"], table["high"], known, strict=True)
    ]
    return table.sort_values("f1", ascending=False, kind="stable", ignore_index=True)


def points_table(paths: Mapping[str, Sequence[TradeoffPoint]]) -> pd.DataFrame:
    """Points of tokenizers by name. Columns: tokenizer, vocab_size, round (NaN: none), fertility, f1."""
    rows = [(name, *point) for name, points in paths.items() for point in points]
    table = pd.DataFrame(rows, columns=["tokenizer", *TradeoffPoint._fields])
    return table.astype({"round": "float64"})


def grid_table(grid: Paradigm, stems: Sequence[str], endings: Sequence[str]) -> pd.DataFrame:
    """One row per stem, one column per ending: the form with its cuts, UNUSUAL after one cut unlike the rest of its
    column, and the posterior of the segmentation where tokens have probabilities."""
    cells = [[_cell(cell) for cell in row] for row in grid.cells]
    return pd.DataFrame(cells, index=[f"{stem}-" for stem in stems], columns=[f"-{ending}" for ending in endings])


def _cell(cell: ParadigmCell) -> str:
    parts = ["|".join(cell.pieces)]
    if cell.is_usual is False:
        parts.append(UNUSUAL)
    if cell.posterior is not None:
        parts.append(f"{cell.posterior:.2f}")
    return " ".join(parts)


def unusual_in_colour(table: pd.DataFrame) -> Styler:
    """A `grid_table` whose UNUSUAL cells are the loud ones."""
    return table.style.map(lambda cell: f"background-color: {VERMILLION}55" if UNUSUAL in cell.split() else "")
