"""The models that a first visitor sees, trained once into the cache folder: `python -m app.prepare`."""

import hashlib
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from app import ROOT
from app.session.reference import DEFAULT_SETTINGS, DEFAULT_SOURCE
from app.texts.corpora import Source, builtin_source
from engine.config import TrainingSettings
from engine.errors import InputError
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


def main() -> int:
    """Train the first models, unless this version of the engine did so before."""
    from app.parts.tokenizer_set import DEFAULT
    from app.session.comparison import taught_reference
    from app.session.reference import ModelReference

    source = builtin_source(DEFAULT_SOURCE)
    _prepare(source, ModelReference().settings)
    for code in DEFAULT:
        # MeCab is not there on every Python; the page then says so.
        with suppress(InputError):
            reference = taught_reference(code, source, DEFAULT_SETTINGS.vocab_size)
            if reference is not None:
                _prepare(source, reference.settings)
    return 0


def _prepare(source: Source, settings: TrainingSettings) -> None:
    from app.server.jobs import model_key

    target = prepared_file(model_key(source.digest, settings))
    if target.exists():
        return
    from engine.training import save_tokenizer, start_training

    training = start_training(source.lines(), settings)
    for _ in training.rounds():
        pass
    target.parent.mkdir(parents=True, exist_ok=True)
    save_tokenizer(training.model(), target)


if __name__ == "__main__":
    sys.exit(main())
