"""A process that runs visitors' patterns over texts: `python -m app.server.work.pattern_process`.

A request is one line of JSON on stdin, its answer one on stdout:

    {"pattern": "\\\\p{L}+", "texts": ["..."], "seconds": 5.0}
    -> {"seconds": 0.001, "matches": [[0, 3]]} | {"seconds": 0.001, "error": {...}}

It imports next to nothing, so that it restarts quickly after it had to be killed.
"""

import json
import os
import sys
import time
from contextlib import suppress
from typing import TypedDict

from engine.corpus.pretokens.own_pattern import find_here, pattern_allowance
from engine.errors import InputError

_BYTES = 300_000_000


class PatternRequest(TypedDict):
    """A pattern, what it is sought in, and how long."""

    pattern: str
    texts: list[str]
    seconds: float


class PatternAnswer(TypedDict, total=False):
    """How long it took, and what was found: matches, or an error."""

    seconds: float
    matches: list[list[int]]
    error: dict[str, object]


def _answer(request: PatternRequest) -> PatternAnswer:
    began = time.monotonic()
    found = _find(request)
    return {"seconds": time.monotonic() - began, **found}


def _find(request: PatternRequest) -> PatternAnswer:
    try:
        with pattern_allowance(request["seconds"], _BYTES):
            return {"matches": [list(bounds) for bounds in find_here(request["pattern"], request["texts"])]}
    except InputError as error:
        return {"error": error.fields()}


def main() -> None:
    """Answer requests until stdin ends."""
    with suppress(AttributeError, OSError):  # Windows has no nice
        os.nice(5)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
