"""Tables as files whose texts a spreadsheet shows, and does not compute."""

import csv

import pandas as pd

_HALVES = "backslashreplace"  # half a surrogate pair has no bytes
# What begins a formula in Excel, LibreOffice or Google Sheets, or is skipped in front of one.
_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: object) -> object:
    """A cell as it is written: an apostrophe goes before a text that begins like a formula; numbers stay."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_BEGINS_FORMULA) else cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The CSV file of a table: UTF-8 with a mark, so that Excel reads Korean."""
    # With this end of a line a lone carriage return, which would begin another row, is put between quotes.
    return _safe(table).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig", _HALVES)


def tsv_bytes(table: pd.DataFrame) -> bytes:
    """The TSV file of a table, without quotes: tabs and line ends in texts must have been replaced."""
    return _safe(table).to_csv(index=False, sep="\t", quoting=csv.QUOTE_NONE, quotechar=None).encode("utf-8", _HALVES)


def _safe(table: pd.DataFrame) -> pd.DataFrame:
    safe = table.rename(columns=as_text)
    for place, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, safe.iloc[:, place].astype(object).map(as_text))
    return safe
