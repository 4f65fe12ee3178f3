"""Precompute into the cache folder what a first visitor would wait for, mainly models: `python -m app.prepare`."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress

from app.server.remember import prepared_file
from app.server.work.jobs import Request, registry
from app.session.comparison import (
    FIRST_PUBLIC,
    FIRST_SHIPPED,
    LETTERS,
    LETTERS_SIZE,
    USUAL,
    letters_reference,
    taught_reference,
    taught_settings,
)
from app.session.models import ready_tokenizer
from app.session.reference import DEFAULT_SETTINGS, DEFAULT_SOURCE, ModelReference, first_reference
from app.session.training import prepare_sizes
from app.texts.corpora import builtin_corpus
from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.public.catalogue import PUBLIC
from engine.shipped.catalogue import SHIPPED
from engine.training import start_training


def load_first() -> None:
    """Load the tokenizers of the first page."""
    first = first_reference()
    if not first.is_shipped:
        return  # the server starts with a model that is trained or loaded
    names = [*(SHIPPED + name for name in FIRST_SHIPPED), *(PUBLIC + name for name in FIRST_PUBLIC)]
    for reference in dict.fromkeys([first, *map(ModelReference, names)]):
        ready_tokenizer(reference, None)


def first_models() -> Iterator[Request]:
    """The small models that pages open with and that this version of the engine has not trained yet.

    Their feasible sizes are computed and saved.
    """
    source = builtin_corpus(DEFAULT_SOURCE)
    wanted = [DEFAULT_SETTINGS]
    for code in USUAL:
        # MeCab is not available on every Python; the page then says so.
        with suppress(InputError, OSError):  # nor room on every disk
            prepare_sizes(source, taught_settings(code, DEFAULT_SETTINGS.vocab_size))
            reference = taught_reference(code, source, DEFAULT_SETTINGS.vocab_size)
            if reference is not None:
                wanted.append(reference.settings)
    for form in LETTERS:
        settings = letters_reference(source, DEFAULT_SETTINGS.algorithm, LETTERS_SIZE, form).settings
        prepare_sizes(source, settings)
        wanted.append(settings)
    for settings in wanted:
        request = Request(source, settings)
        if not prepared_file(request.key).exists():
            yield request


def train_first() -> None:
    """Train them as jobs, which a page that needs one meanwhile shares, and save them for servers started later."""
    for request in first_models():
        with suppress(InputError, OSError):  # too many jobs; a full disk: the page that needs it says so
            registry().run(request)
            if path := registry().models.find(request.key):
                write_whole(prepared_file(request.key), path.read_bytes())


def main() -> int:
    """Train the first models, unless this version of the engine already has."""
    for request in first_models():
        sys.stderr.write(f"training a first model: {request.settings.algorithm}\n")
        training = start_training(request.source.lines(), request.settings)
        for _ in training.rounds():
            pass
        training.model().save(prepared_file(request.key))
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(main())
