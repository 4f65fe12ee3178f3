"""What `python -m app.prepare` made before the first visitor came, in the cache folder."""

import json
from contextlib import suppress
from pathlib import Path

from engine.folders import safe_cache_folder
from engine.source_hash import engine_hash


def prepared_file(key: str) -> Path:
    """Where a model prepared by this very version of the engine lies, if there is one."""
    return _folder() / f"{key}.tok"


def prepared_sizes(key: str) -> tuple[int, int] | None:
    """The feasible vocabulary sizes that this very version of the engine found, if it did."""
    with suppress(OSError, ValueError, TypeError, OverflowError, RecursionError):
        low, high = map(int, json.loads(_sizes_file(key).read_text()))
        if 0 < low <= high:
            return low, high
    return None


def keep_sizes(key: str, sizes: tuple[int, int]) -> None:
    """Keep what `prepared_sizes` is to find."""
    _sizes_file(key).write_text(json.dumps(sizes))


def _folder() -> Path:
    return safe_cache_folder(f"models-{engine_hash()}")


def _sizes_file(key: str) -> Path:
    return _folder() / f"{key}.json"
