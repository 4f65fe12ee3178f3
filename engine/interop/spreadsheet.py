"""Tables as files whose texts a spreadsheet displays without evaluating them."""

import pandas as pd

_HALVES = "backslashreplace"  # a lone surrogate has no UTF-8
# Starts a formula in Excel, LibreOffice or Google Sheets, or is skipped before one.
_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: object) -> object:
    """A cell as written: a text that looks like a formula gets a leading apostrophe; numbers are unchanged."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_BEGINS_FORMULA) else cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as CSV: UTF-8 with a byte order mark, so that Excel reads Korean."""
    # With this line terminator, pandas quotes a lone carriage return, which would otherwise start a new row.
    return _safe(table).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig", _HALVES)


def tsv_bytes(table: pd.DataFrame) -> bytes:
    """A table as TSV; a text with quotation marks is in quotes, for spreadsheets and pandas take bare ones for such."""
    return _safe(table).to_csv(index=False, sep="\t", lineterminator="\n").encode("utf-8", _HALVES)


def _safe(table: pd.DataFrame) -> pd.DataFrame:
    safe = table.rename(columns=as_text)
    for place, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, safe.iloc[:, place].astype(object).map(as_text))
    return safe
