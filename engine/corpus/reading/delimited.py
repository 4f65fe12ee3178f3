"""CSV and TSV: the first row names the columns.

CSV follows RFC 4180, with the delimiter detected in the first row: comma, semicolon (common in European and Korean
spreadsheets), tab or |; a line `sep=;` before it names another. In TSV a line is a row, as in the IANA definition: with
quoted line ends, one stray quotation mark in a review would swallow thousands of rows. Quotation marks around a whole
cell are removed.
"""

import csv
import io
import re
from collections.abc import Iterator

from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.errors import InputError

_DELIMITERS = ",;\t|"

# The csv module's default limit, 131,072 characters, is less than a chapter.
_MAX_CELL = 1 << 30


def csv_rows(text: str) -> Iterator[list[str]]:
    """Rows of a CSV file, the header first; empty lines are skipped.

    Raises
    ------
    InputError : the file is not valid CSV, e.g. a quotation mark is never closed.
    """
    text = with_line_feeds(text)
    first_line, _, rest = text.partition("\n")
    named = re.fullmatch(r'"?sep=(.)"?', first_line)  # a spreadsheet's own note, not a row
    if named:
        text = rest
    delimiter = named[1] if named else max(_DELIMITERS, key=first_line.count)
    csv.field_size_limit(_MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError("csv.broken", number=reader.line_num, detail=str(error)) from None
        if row:
            yield row


def tsv_rows(text: str) -> Iterator[list[str]]:
    """Rows of a TSV file, the header first; empty lines are skipped."""
    for line in split_lines(text):
        if line:
            yield [_unquoted(cell) for cell in line.split("\t")]


def _unquoted(cell: str) -> str:
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"':
        return cell
    inside = cell[1:-1].replace('""', "\0")
    # If an inner quotation mark is not doubled, the outer ones belong to the text.
    return cell if '"' in inside else inside.replace("\0", '"')
