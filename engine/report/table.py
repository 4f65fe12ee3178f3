"""A table as LaTeX (booktabs) or Markdown. CSV is in `engine.interop.spreadsheet`.

The two ends of an interval, columns `<name>_low` and `<name>_high`, become one column after `<name>`.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from engine.pictures.showable import showable

MAX_ROWS = 1000
_LOW, _HIGH, _INTERVAL = "_low", "_high", "95% CI"
_DECIMALS = 3
_SMALL = 0.01  # from here down a column has significant figures in place of decimals

_LATEX = {
    **{char: f"\\{char}" for char in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    '"': r"{\char34}",
    "␣": r"\textvisiblespace{}",
    "[": "{[}",  # after a line end it would begin an argument
    "]": "{]}",
    "*": "{*}",
    "–": "--",
    "−": "$-$",
}
_LIGATURES = re.compile(r"([-,])(?=\1)")  # two would become another character
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~$!])")
_EDGE_SPACES = re.compile("^ +| +$| {2,}")


class _Column(NamedTuple):
    """A column as texts, not yet escaped."""

    head: str
    cells: list[str]
    is_number: bool
    is_bold: list[bool]


def latex(
    table: pd.DataFrame,
    heads: Mapping[str, str] | None = None,
    bold: pd.DataFrame | None = None,
    caption: str = "",
    notes: Sequence[str] = (),
) -> str:
    """A `tabular` of the package booktabs; with a caption in a `table`.

    Parameters
    ----------
    heads : headings by column; by default the names, underlines as spaces.
    bold : bool, for some of the columns: cells in bold.
    notes : comments in front, for example what the numbers were measured on.
    """
    columns = _columns(table, heads or {}, bold)
    lines = [f"% {' '.join(text.split())}" for text in (r"\usepackage{booktabs}", *notes, _left_out(table)) if text]
    kinds = "".join("r" if column.is_number else "l" for column in columns)
    rows = _rows(columns, latex_text, lambda cell: f"\\textbf{{{cell}}}")
    body = [f"{' & '.join(row)} \\\\" for row in rows]
    tabular = [f"\\begin{{tabular}}{{{kinds}}}", r"\toprule", body[0], r"\midrule", *body[1:], r"\bottomrule"]
    tabular.append(r"\end{tabular}")
    if caption:
        tabular = [r"\begin{table}", r"\centering", f"\\caption{{{latex_text(caption)}}}", *tabular, r"\end{table}"]
    return "\n".join([*lines, *tabular]) + "\n"


def markdown(table: pd.DataFrame, heads: Mapping[str, str] | None = None, bold: pd.DataFrame | None = None) -> str:
    """A table of GitHub's Markdown; arguments as for `latex`."""
    columns = _columns(table, heads or {}, bold)
    rows = _rows(columns, markdown_text, lambda cell: f"**{cell}**")
    rule = ["--:" if column.is_number else "---" for column in columns]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    left_out = _left_out(table)
    return "\n".join([*lines, *(["", markdown_text(left_out)] if left_out else [])]) + "\n"


def latex_text(text: str) -> str:
    """Any text as LaTeX that shows it; leading, trailing and repeated spaces become visible."""
    return "".join(_LATEX.get(char, char) for char in _LIGATURES.sub("\\1\0", _visible(text))).replace("\0", "{}")


def markdown_text(text: str) -> str:
    """Any text as Markdown that shows it, in a cell too."""
    escaped = _visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", escaped)


def _visible(text: str) -> str:
    return _EDGE_SPACES.sub(lambda match: "␣" * len(match[0]), showable(text))


def _left_out(table: pd.DataFrame) -> str:
    return f"the first {MAX_ROWS:,} of {len(table):,} rows; CSV has all" if len(table) > MAX_ROWS else ""


def _rows(columns: Sequence[_Column], escaped: Callable[[str], str], strong: Callable[[str], str]) -> list[list[str]]:
    """The headings, then the rows, escaped."""
    drawn = [
        [escaped(column.head)]
        + [
            strong(escaped(cell)) if is_bold and cell else escaped(cell)
            for cell, is_bold in zip(column.cells, column.is_bold, strict=True)
        ]
        for column in columns
    ]
    return [list(row) for row in zip(*drawn, strict=True)]


def _columns(table: pd.DataFrame, heads: Mapping[str, str], bold: pd.DataFrame | None) -> list[_Column]:
    table = table.head(MAX_ROWS)
    columns = []
    for name in table:
        if any(str(name).endswith(end) and str(name).removesuffix(end) in table for end in (_LOW, _HIGH)):
            continue
        is_bold = [bool(one) for one in bold[name]][:MAX_ROWS] if bold is not None and name in bold else []
        is_bold = is_bold or [False] * len(table)
        head = heads.get(name, str(name).replace("_", " "))
        columns.append(_Column(head, _texts(table[name]), _is_number(table[name]), is_bold))
        if f"{name}{_LOW}" in table and f"{name}{_HIGH}" in table:
            low, high = _texts(table[f"{name}{_LOW}"]), _texts(table[f"{name}{_HIGH}"])
            cells = [f"{a} to {b}" if "–" not in (a, b) else "–" for a, b in zip(low, high, strict=True)]
            columns.append(_Column(_INTERVAL, cells, True, [False] * len(table)))
    return columns


def _is_number(column: pd.Series) -> bool:
    kinds = {type(cell) for cell in column if not _is_missing(cell)}
    return bool(kinds) and all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds)


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell))


def _texts(column: pd.Series) -> list[str]:
    values = column.astype(object).tolist()
    numbers = [abs(cell) for cell in values if isinstance(cell, float) and math.isfinite(cell)]
    form = f".{_DECIMALS}f" if not numbers or max(numbers) >= _SMALL else f".{_DECIMALS}g"
    return [_text(cell, form) for cell in values]


def _text(cell: Any, form: str) -> str:
    if _is_missing(cell):
        return "–"
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    written = format(cell, form) if isinstance(cell, float) else str(cell)
    return written if isinstance(cell, str) else written.replace("-", "−")
