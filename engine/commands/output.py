"""The options for what a command writes in place of its table: LaTeX, and the figure that the app has for it."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.report.figure import KINDS, Figure, figure_kind, write_figure
from engine.report.size import DEFAULT_LETTERS, LETTERS, ONE_COLUMN, TWO_COLUMNS, WIDTHS, FigureSize


def add_figure_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--figure` and its size."""
    parser.add_argument(
        "--figure", "--svg", metavar="FILE", help=f"write the figure too, to a file that ends in {' or '.join(KINDS)}"
    )
    parser.add_argument(
        "--width",
        type=float,
        default=TWO_COLUMNS,
        metavar="MM",
        help=f"width of the figure, {WIDTHS[0]:g} to {WIDTHS[1]:g} mm; {ONE_COLUMN:g} is a column, {TWO_COLUMNS:g} "
        "are two (default: %(default)g)",
    )
    parser.add_argument(
        "--letters",
        type=float,
        default=DEFAULT_LETTERS,
        metavar="PT",
        help=f"size of its letters, {LETTERS[0]:g} to {LETTERS[1]:g} pt (default: %(default)g)",
    )


def check_figure(options: argparse.Namespace) -> None:
    """Refuse a figure that cannot be written, before anything is computed: InputError."""
    if options.figure is not None:
        figure_kind(options.figure)
        FigureSize(options.width, options.letters)


def write_out_figure(options: argparse.Namespace, make: Callable[[], Figure]) -> None:
    """Write the figure, if one is asked for."""
    if options.figure is not None:
        write_figure(options.figure, make(), FigureSize(options.width, options.letters))


def print_result(
    options: argparse.Namespace, result: object, as_text: Callable[[], str], as_latex: Callable[[], str]
) -> None:
    """Print the result as JSON, as LaTeX, or as text. In JSON, a list has a row each, with what is not supported."""
    if options.json:
        rows = [with_unsupported(options, row) for row in result] if isinstance(result, list) else None
        content = with_unsupported(options, result) if isinstance(result, dict) else rows
        sys.stdout.write(json.dumps(content, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(as_latex() if options.latex else as_text())


def with_unsupported(options: argparse.Namespace, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with what is not supported of its model's file, if anything (see `read_model`)."""
    by_model: dict[str, list[str]] = getattr(options, "unsupported", {})
    parts = by_model.get(row["model"]) if "model" in row else [part for parts in by_model.values() for part in parts]
    return {**row, "unsupported": parts} if parts else row


def latex_rows(
    columns: Sequence[str], rows: Iterable[Mapping[str, Any]], best: str = "", notes: Sequence[str] = ()
) -> str:
    """Rows as LaTeX; the cells of the column `best` are bold in rows that are `best`."""
    import pandas as pd  # takes a third of a second, unused where no LaTeX is printed

    from engine.report.table import latex

    table = pd.DataFrame(list(rows), columns=list(columns), dtype=object)
    bold = None
    if best:
        bold = pd.DataFrame({best: table.pop("best").eq(True)})
    return latex(table, bold=bold, notes=[note.removeprefix("# ") for note in notes])
