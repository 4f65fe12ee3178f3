"""A model in the cache on the disk, damaged in every way: it is forgotten and made again, and nobody sees an error."""

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from app.server.remember import forget
from app.server.work.jobs import Registry, Request
from app.session import models
from app.session.reference import ModelReference
from app.session.training import ensure_trained
from app.texts.corpora import builtin_corpus
from engine.config import TrainingSettings
from engine.errors import InputError
from tests.hostile import NASTY, mutations

_SETTINGS = TrainingSettings(algorithm="byte-bpe", vocab_size=270)
_WORDS = ("나무", "hug 가나다", *NASTY[:20])


@pytest.mark.slow
def test_a_damaged_model_in_the_cache_is_forgotten_and_made_again(
    registry: Registry, wait_until: Callable[..., None]
) -> None:
    source = builtin_corpus("toy")
    request = Request(source, _SETTINGS)
    wait_until(lambda: not ensure_trained(request).is_active)
    path = registry.models.find(request.key)
    assert path is not None

    def opened() -> models.ActiveTokenizer | None:
        forget("models.file")
        return models._active(ModelReference("toy", _SETTINGS), source, path)

    first, whole, dice = opened(), path.read_bytes(), random.Random(5)
    assert first is not None
    cuts = [whole[: dice.randrange(len(whole))] for _ in range(20)]
    unreadable = [b"", bytes(len(whole)), b"PK\x03\x04", bytes(100) + whole[100:], whole + b"x", *cuts]
    for content in unreadable:
        registry.models.write(path.stem, content)
        assert opened() is None
        assert registry.models.find(path.stem) is None and not path.exists()
    # Where the checksum fits it is another model, which works.
    for content in mutations([whole], 7, 40):
        registry.models.write(path.stem, content)
        if again := opened():
            for word in _WORDS:
                with suppress(InputError):  # half a surrogate pair is no text
                    again.model.encode(word)
    path.unlink(missing_ok=True)
    wait_until(lambda: not ensure_trained(request).is_active)
    again = opened()
    assert again is not None and again.sha256 == first.sha256
