"""Tables for papers: hostile cells stay text, numbers and intervals are where they belong."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.pictures.showable import showable
from engine.report.table import MAX_ROWS, latex, latex_text, markdown, markdown_text
from tests.hostile import NASTY

HOSTILE = [
    r"\input{|ls}",
    r"\end{tabular}\write18{rm}",
    "[3em]",
    "*",
    "a & b \\\\ c",
    "% comment",
    "--",
    "---",
    ",,",
    "``''",
    "$x^2_1$",
    "#1 ~ {",
    "=1+1",
    "| a | b |",
    "[a](javascript:x) ![b](c)",
    "<script>alert(1)</script>",
    "  two  spaces ",
    "``code`` **bold** __b__",
]
_CELLS = [*HOSTILE, *NASTY, "가나다", "␣있는"]

# What each command means, to read a cell back: an oracle that knows LaTeX, not the writer.
_COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textquotesingle{}": "'",
    r"\textasciigrave{}": "`",
    r"{\char34}": '"',
    r"\textvisiblespace{}": "␣",
    "$-$": "−",
    "--": "–",
    "{[}": "[",
    "{]}": "]",
    "{*}": "*",
    "{}": "",
    **{f"\\{char}": char for char in "#$%&_{}"},
}
_COMMAND = re.compile("|".join(map(re.escape, sorted(_COMMANDS, key=len, reverse=True))))
_SPECIAL = re.compile(r"[\\{}$&#^_%~\[\]*<>|\"'`]")


def _read(cell: str) -> str:
    """The text that LaTeX would set."""
    assert not _SPECIAL.search(_COMMAND.sub("", cell)), cell
    return _COMMAND.sub(lambda match: _COMMANDS[match[0]], cell)


def _with_visible_spaces(text: str) -> str:
    shown = showable(text)
    return re.sub("^ +| +$| {2,}", lambda match: "␣" * len(match[0]), shown)


@pytest.mark.parametrize("text", _CELLS)
def test_a_hostile_cell_is_set_as_it_is(text: str) -> None:
    assert _read(latex_text(text)) == _with_visible_spaces(text)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20))
def test_any_text_is_set_as_it_is(text: str) -> None:
    assert _read(latex_text(text)) == _with_visible_spaces(text)
    assert "\n" not in markdown_text(text) and "\r" not in markdown_text(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", markdown_text(text))


def test_every_row_of_latex_has_every_cell_and_nothing_ends_it_early() -> None:
    table = pd.DataFrame({"token": _CELLS, "n": range(len(_CELLS))}, dtype=object)
    lines = latex(table, notes=["a\n\\end{tabular}"], caption="50% of_it").splitlines()
    assert all(line.count("{") - line.count(r"\{") == line.count("}") - line.count(r"\}") for line in lines)
    begin, end = lines.index(r"\begin{tabular}{lr}"), lines.index(r"\end{tabular}")
    rows = lines[lines.index(r"\midrule", begin) + 1 : lines.index(r"\bottomrule")]
    assert len(rows) == len(_CELLS) and end < len(lines)
    for row, text, n in zip(rows, _CELLS, range(len(_CELLS)), strict=True):
        assert row.endswith(r" \\")
        cells = re.split(r"(?<!\\) & ", row.removesuffix(r" \\"))
        assert [_read(cell) for cell in cells] == [_with_visible_spaces(text), str(n)]
    assert lines[:2] == [r"% \usepackage{booktabs}", r"% a \end{tabular}"]
    assert r"\caption{50\% of\_it}" in lines


def test_intervals_are_one_column_numbers_are_aligned_and_the_best_is_bold() -> None:
    table = pd.DataFrame(
        {
            "model": ["a", "b", "c"],
            "f1": [0.5, 0.25, None],
            "f1_low": [0.4, -0.1, None],
            "f1_high": [0.6, 0.3, np.nan],
            "small": [1e-5, 2e-3, 0.0],
            "best": [True, False, False],
        }
    )
    written = latex(table, {"f1": "F1"}, table[["best"]].set_axis(["f1"], axis=1)).splitlines()
    assert written[1] == r"\begin{tabular}{lrrrl}"
    assert written[3] == r"model & F1 & 95\% CI & small & best \\"
    assert written[5:8] == [
        r"a & \textbf{0.500} & 0.400 to 0.600 & 1e$-$05 & yes \\",
        r"b & 0.250 & $-$0.100 to 0.300 & 0.002 & no \\",
        r"c & -- & -- & 0 & no \\",
    ]
    rows = markdown(table, bold=table[["best"]].set_axis(["f1"], axis=1)).splitlines()
    assert rows[1] == "| --- | --: | --: | --: | --- |"
    assert rows[2] == "| a | **0.500** | 0.400 to 0.600 | 1e−05 | yes |"


@pytest.mark.parametrize("text", [*HOSTILE, *NASTY])
def test_markdown_keeps_a_cell_in_its_column(text: str) -> None:
    rows = markdown(pd.DataFrame({"token": [text], "n": [1]}, dtype=object)).splitlines()
    assert len(rows) == 3
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", rows[2])) == 3
    assert "<" not in rows[2] and "](" not in rows[2].replace(r"\](", "")


def test_a_long_table_says_what_it_leaves_out() -> None:
    table = pd.DataFrame({"n": range(MAX_ROWS + 5)})
    assert latex(table).count(r" \\") == MAX_ROWS + 1
    assert "% the first 1,000 of 1,005 rows; CSV has all" in latex(table)
    assert "first 1,000 of 1,005 rows" in markdown(table)
    assert latex(table.head(0)).count(r" \\") == 1
