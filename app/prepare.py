"""Precompute into the cache folder what a first visitor would wait for, mainly models: `python -m app.prepare`."""

import sys
from contextlib import suppress

from app.server.prepared import prepared_file
from app.server.work.jobs import model_key
from app.session.comparison import USUAL, taught_reference, taught_settings
from app.session.feasible import prepare_sizes
from app.session.reference import DEFAULT_SETTINGS, DEFAULT_SOURCE
from app.texts.corpora import Text, builtin_corpus
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.training import start_training


def main() -> int:
    """Train the first models, unless this version of the engine already has."""
    source = builtin_corpus(DEFAULT_SOURCE)
    _prepare(source, DEFAULT_SETTINGS, 1)
    for number, code in enumerate(USUAL, start=2):
        # MeCab is not available on every Python; the page then says so.
        with suppress(InputError):
            prepare_sizes(source, taught_settings(code, DEFAULT_SETTINGS.vocab_size))
            reference = taught_reference(code, source, DEFAULT_SETTINGS.vocab_size)
            if reference is not None:
                _prepare(source, reference.settings, number)
    return 0


def _prepare(source: Text, settings: TrainingSettings, number: int) -> None:
    target = prepared_file(model_key(source.digest, settings))
    if target.exists():
        return
    sys.stderr.write(f"training the first models, {number}/{1 + len(USUAL)}: {settings.algorithm}\n")
    training = start_training(source.lines(), settings)
    for _ in training.rounds():
        pass
    training.model().save(target)


if __name__ == "__main__":
    sys.exit(main())
