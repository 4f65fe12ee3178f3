"""Models that `python -m app.prepare` trained before the first visitor came, in the cache folder."""

import hashlib
from functools import cache
from pathlib import Path

from app import ROOT
from engine.folders import cache_folder

_ENGINE = ROOT / "engine"


@cache
def _engine_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(_ENGINE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def prepared_file(key: str) -> Path:
    """Where a model prepared by this very version of the engine lies, if there is one."""
    return cache_folder() / f"models-{_engine_hash()}" / f"{key}.tok"
