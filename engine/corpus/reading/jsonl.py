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


def _leaves(value: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and depth < 8:
            yield from _leaves(inner, f"{prefix}{key}.", depth + 1)
        else:
            yield prefix + key, inner if isinstance(inner, str) else None
