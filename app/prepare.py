"""The model that a first visitor sees, trained once into the cache folder: `python -m app.prepare`."""

import hashlib
import sys
from functools import cache
from pathlib import Path

from app.corpora import builtin_source
from app.reference import DEFAULT_SETTINGS, DEFAULT_SOURCE
from engine._jit import cache_root

_ENGINE = Path(__file__).resolve().parent.parent / "engine"


@cache
def _engine_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(_ENGINE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def prepared_file(key: str) -> Path:
    """Where a model prepared by this very version of the engine lies, if there is one."""
    return cache_root() / f"models-{_engine_hash()}" / f"{key}.tok"


def main() -> int:
    """Train the default model, unless this version of the engine did so before."""
    from app.jobs import model_key

    source = builtin_source(DEFAULT_SOURCE)
    target = prepared_file(model_key(source.digest, DEFAULT_SETTINGS))
    if target.exists():
        return 0
    from engine.corpus.arrays import build_corpus
    from engine.unigram.model_file import save_model
    from engine.unigram.trainer import train

    target.parent.mkdir(parents=True, exist_ok=True)
    save_model(train(build_corpus(source.read(), DEFAULT_SETTINGS), DEFAULT_SETTINGS), target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
