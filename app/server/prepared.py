"""Results of `python -m app.prepare` in the cache folder, made before the first visitor came."""

import json
from contextlib import suppress
from pathlib import Path

from engine._jit import engine_hash
from engine.machine.folders import safe_cache_folder


def prepared_file(key: str) -> Path:
    """Path of a model prepared by exactly this version of the engine; it may not exist."""
    return _folder() / f"{key}.tok"


def prepared_sizes(key: str) -> tuple[int, int] | None:
    """The feasible vocabulary sizes found by exactly this version of the engine, if any."""
    with suppress(OSError, ValueError, TypeError, OverflowError, RecursionError):
        low, high = map(int, json.loads(_sizes_file(key).read_text()))
        if 0 < low <= high:
            return low, high
    return None


def keep_sizes(key: str, sizes: tuple[int, int]) -> None:
    _sizes_file(key).write_text(json.dumps(sizes))


def _folder() -> Path:
    return safe_cache_folder(f"models-{engine_hash()}")


def _sizes_file(key: str) -> Path:
    return _folder() / f"{key}.json"
