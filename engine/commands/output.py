"""What a command prints - a table, LaTeX or JSON - and the figure that the app has for it."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from engine.commands.options import add_option
from engine.errors import InputError
from engine.machine.atomic_file import STDIN, check_writable
from engine.report.figure import KINDS, Figure, figure_kind, write_figure
from engine.report.size import DEFAULT_LETTERS, LETTERS, ONE_COLUMN, TWO_COLUMNS, WIDTHS, FigureSize


class Result(NamedTuple):
    """What a command has computed, to be printed as the options say.

    Attributes
    ----------
    columns, rows : the table.
    notes : lines below it, which begin with `# ` in text.
    lines : further lines of the text only.
    json : what JSON has in place of the rows.
    best : column of LaTeX whose cells are bold in rows that are `best`, itself no column there.
    latex_columns : those of LaTeX where they differ.
    texts : how text writes the cells of a column.
    titles : what text calls a column where it is not its name.
    figure : makes the figure.
    """

    columns: Sequence[str] = ()
    rows: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    lines: Sequence[str] = ()
    json: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    best: str = ""
    latex_columns: Sequence[str] | None = None
    texts: Mapping[str, Callable[[Any], str]] = {}
    titles: Mapping[str, str] = {}
    figure: Callable[[], Figure] | None = None

    def write(self, options: argparse.Namespace) -> None:
        """Write the figure, then print; in JSON, every row has what is not supported of its model's file."""
        if self.figure is not None:
            write_out_figure(options, self.figure)
        if options.json:
            if isinstance(self.json, Mapping):
                content: object = with_unsupported(options, self.json)
            else:
                content = [with_unsupported(options, row) for row in (self.rows if self.json is None else self.json)]
            sys.stdout.write(f"{json_text(content)}\n")
        elif getattr(options, "latex", False):
            sys.stdout.write(self._latex())
        else:
            sys.stdout.write("".join(f"{line}\n" for line in self._lines()))

    def _lines(self) -> Iterator[str]:
        if self.columns:
            yield "\t".join(self.titles.get(name, name) for name in self.columns)
        for row in self.rows:
            yield "\t".join(self.texts.get(name, _cell)(row[name]) for name in self.columns)
        yield from self.lines
        yield from (f"# {note}" for note in self.notes)

    def _latex(self) -> str:
        import pandas as pd  # takes a third of a second, unused where no LaTeX is printed

        from engine.report.table import latex

        columns = list(self.columns if self.latex_columns is None else self.latex_columns)
        table = pd.DataFrame(list(self.rows), columns=columns, dtype=object)
        bold = pd.DataFrame({self.best: table.pop("best").eq(True)}) if self.best else None
        return latex(table, bold=bold, notes=self.notes)


def json_text(value: object) -> str:
    """A value as JSON, for text that a token could break."""
    return json.dumps(value, ensure_ascii=False)


def show_progress(what: str, done: int, of: int, about: str) -> None:
    """Draw a bar over the last one on standard error."""
    sys.stderr.write(f"\r{what} [{'#' * (20 * done // max(1, of)):<20}] {about:<40}")
    sys.stderr.flush()


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else in_a_cell(str(value))


def in_a_cell(text: str) -> str:
    """Text that ends neither a row nor a cell: control characters as bytes, `<0x0A>`."""
    return re.sub("[\x00-\x1f\x7f]", lambda char: f"<0x{ord(char[0]):02X}>", text)


def add_figure_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--figure` and its size."""
    parser.add_argument(
        "--figure", "--svg", metavar="FILE", help=f"write the figure too, to a file that ends in {' or '.join(KINDS)}"
    )
    about = (
        f"width of the figure, {WIDTHS[0]:g} to {WIDTHS[1]:g} mm; {ONE_COLUMN:g} is a column, {TWO_COLUMNS:g} are two"
    )
    add_option(parser, "--width", TWO_COLUMNS, about, metavar="MM")
    about = f"size of its letters, {LETTERS[0]:g} to {LETTERS[1]:g} pt"
    add_option(parser, "--letters", DEFAULT_LETTERS, about, metavar="PT")


_INPUTS = ("corpus", "parallel", "files", "file", "text", "other", "add", "against", "model", "gold", "sample", "meta")


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written, or that the command also reads or writes: InputError."""
    if getattr(options, "figure", None) is not None:
        figure_kind(options.figure)
        FigureSize(options.width, options.letters)
    outputs = [getattr(options, "output", None), getattr(options, "figure", None), *getattr(options, "map", ())]
    if STDIN in (*outputs, *(getattr(options, folder, None) for folder in ("spool", "work"))):
        raise InputError("output.dash")
    given = [getattr(options, name, None) for name in _INPUTS]
    files = [*outputs, *chain.from_iterable(one if isinstance(one, list) else [one] for one in given)]
    used = [_place(path) for path in files if path is not None]
    for path in outputs:
        if path is not None:
            check_writable(path)
            if used.count(_place(path)) > 1:
                raise InputError("output.same", path=path)


def _place(path: str) -> str:
    """Where a path leads; one that no file can have, as it is: it is refused when it is opened."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


def write_out_figure(options: argparse.Namespace, make: Callable[[], Figure]) -> None:
    """Write the figure, if one is asked for."""
    if options.figure is not None:
        write_figure(options.figure, make(), FigureSize(options.width, options.letters))


def with_unsupported(options: argparse.Namespace, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with what is not supported of its model's file, if anything (see `read_model`)."""
    by_model: dict[str, list[str]] = getattr(options, "unsupported", {})
    parts = by_model.get(row["model"]) if "model" in row else [part for parts in by_model.values() for part in parts]
    return {**row, "unsupported": parts} if parts else row
