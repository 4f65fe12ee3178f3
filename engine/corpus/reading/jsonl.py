"""JSON lines: one object per line, whose keys are the columns. Keys of nested objects are written `outer.inner`."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from engine.corpus.reading.lines import split_lines
from engine.errors import InputError

_HEAD = 1 << 20
_NAMED_VALUE = re.compile(r'\s*(?:\[\s*)?\{\s*"(?:[^"\\\n]|\\.)*"\s*:')


def jsonl_rows(text: str) -> Iterator[dict[str, str | None]]:
    """Rows of a file, each a dict by column; values other than strings are None.

    Raises
    ------
    InputError : a line is not a JSON object; the message names the line.
    """
    return ({name: cell if isinstance(cell, str) else None for name, cell in row.items()} for row in _rows(text))


def jsonl_cells(text: str, columns: Sequence[str]) -> Iterator[tuple[str | None, ...]]:
    """Some columns of a file, row by row; None in rows without a string there.

    Raises
    ------
    InputError : a line is not a JSON object, or has a list in the first column.
    """
    for row in _rows(text):
        if isinstance(row.get(columns[0]), list):
            raise InputError("jsonl.lists", names=columns[0])
        yield tuple(cell if isinstance(cell := row.get(column), str) else None for column in columns)


def list_fields(text: str) -> list[str]:
    """Columns of the first row that hold lists, which are no text."""
    return [name for name, cell in next(_rows(text), {}).items() if isinstance(cell, list)]


def is_json_document(text: str) -> bool:
    """Whether a text as a whole is one JSON array or object, or begins as one with named values does."""
    begins = _NAMED_VALUE.match(text) is not None and not is_json_lines(text)
    return begins or (text.lstrip()[:1] in ("[", "{") and _parsed(text) is not None)


def is_json_lines(text: str) -> bool:
    """Whether the first two lines of a text, or its only one, are JSON objects."""
    if text.lstrip()[:1] != "{":
        return False
    first = islice((line for line in split_lines(text[:_HEAD]) if line.strip()), 2)
    return all(isinstance(_parsed(line), dict) for line in first)


def _parsed(text: str) -> Any:
    """None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _rows(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip():
            continue
        value = _parsed(line)
        if value is None:
            raise InputError("jsonl.line", number=number)
        if not isinstance(value, dict):
            raise InputError("jsonl.object", number=number)
        yield dict(_leaves(value, ""))


def _leaves(value: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and depth < 8:
            yield from _leaves(inner, f"{prefix}{key}.", depth + 1)
        else:
            yield prefix + key, inner
