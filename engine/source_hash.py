"""A hash of the engine's sources."""

import hashlib
from functools import cache
from pathlib import Path

_ENGINE = Path(__file__).resolve().parent


@cache
def engine_hash() -> str:
    """Hash (12 hex digits) of every source file of the engine."""
    digest = hashlib.sha256()
    for path in sorted(_ENGINE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
