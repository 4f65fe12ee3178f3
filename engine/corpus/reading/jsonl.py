"""JSON lines: one object per line, whose keys are the columns. Keys of nested objects are written `outer.inner`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.corpus.reading.lines import split_lines
from engine.errors import InputError


def jsonl_rows(text: str) -> Iterator[dict[str, str | None]]:
    """Rows of a file, each a dict by column; values other than strings are None.

    Raises
    ------
    InputError : a line is not a JSON object; the message names the line.
    """
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError("jsonl.line", number=number) from None
        if not isinstance(value, dict):
            raise InputError("jsonl.object", number=number)
        yield dict(_leaves(value, ""))


def list_fields(text: str) -> list[str]:
    """Names of the fields of the first row that hold lists, which are no text."""
    first = next((line for line in split_lines(text) if line.strip()), "{}")
    return [name for name, value in json.loads(first).items() if isinstance(value, list)]


def is_json_document(text: str) -> bool:
    """Whether a text as a whole is one JSON array or object."""
    if text.lstrip()[:1] not in ("[", "{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _leaves(value: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and depth < 8:
            yield from _leaves(inner, f"{prefix}{key}.", depth + 1)
        else:
            yield prefix + key, inner if isinstance(inner, str) else None
