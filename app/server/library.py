"""The run library of this server: where it is, whether it is usable, and how the app saves runs in it.

`THUNDER_TOK_LIBRARY` names its folder or its database; `off` disables it.
"""

import logging
import os
import threading
import time
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from app.server.limits import limits
from app.server.store.opening import library_place, open_store
from app.server.store.store import LibraryError, NewRun
from app.server.store.tables import Store
from app.texts.corpora import Text, corpus_fingerprint
from engine.errors import InputError
from engine.tokenizer import Tokenizer

_RETRY_SECONDS = 20.0
_lock = threading.Lock()
_log = logging.getLogger(__name__)


class Opened(NamedTuple):
    """The library, or why it cannot be used; neither if it is disabled."""

    library: Store | None = None
    error: InputError | None = None


class Opener:
    """Opens the library; after a failure, retries later in case somebody has repaired it.

    Parameters
    ----------
    place : its folder or the address of its database; None for no library.
    retry_seconds : how long a failure is reported before the next attempt.
    """

    def __init__(
        self,
        place: Path | str | None,
        max_bytes: int,
        owner_bytes: int | None = None,
        retry_seconds: float = _RETRY_SECONDS,
    ) -> None:
        self._place, self._max_bytes, self._owner_bytes = place, max_bytes, owner_bytes
        self._retry_seconds = retry_seconds
        self._lock = threading.Lock()
        self._found = self._open()
        self._next = time.monotonic() + retry_seconds

    def opened(self) -> Opened:
        """The library, or the error."""
        with self._lock:
            if self._found.error is None or time.monotonic() < self._next:
                return self._found
            # Opening may take seconds while another program locks the file: others get the old answer meanwhile.
            self._next = time.monotonic() + self._retry_seconds
        self._found = self._open()
        return self._found

    def _open(self) -> Opened:
        if self._place is None:
            return Opened()
        try:
            store = open_store(self._place, self._max_bytes, self._owner_bytes)
        except InputError as error:
            return Opened(error=error)
        if store.set_aside:
            saved = ", ".join(f"{table} {n}" for table, n in store.salvaged.items()) or "nothing"
            _log.warning("the library was damaged: %s is set aside, what could be read: %s", store.set_aside, saved)
        return Opened(store)


def opened() -> Opened:
    return _server_library()


def library() -> Store:
    """The library.

    Raises
    ------
    LibraryError : it is disabled, or cannot be used.
    """
    found = opened()
    if found.library is None:
        if found.error is None:
            raise LibraryError("library.none")
        raise found.error.again()
    return found.library


def _server_library() -> Opened:
    with _lock:  # two sessions may start at once
        opener = _server_opener()
    return opener.opened()


@cache
def _server_opener() -> Opener:
    each, all_ = limits().library_mb_per_owner, limits().library_mb
    return Opener(library_place(os.environ), all_ * 1_000_000, each * 1_000_000)


def new_run(
    name: str,
    corpus_id: str,
    corpus_name: str,
    model: Tokenizer,
    content: bytes,
    source: Text | None = None,
    keeps_text: bool = False,
) -> NewRun:
    """A model as the library saves it.

    Parameters
    ----------
    corpus_id, corpus_name : id of its training text, as in links, and the name shown to people.
    model : the tokenizer; content : its file.
    source : the training text, if available; some models lack its fingerprint.
    keeps_text : whether to save the text as well.
    """
    settings, pruned = model.settings, model.pruning
    fingerprint = model.training_text.fingerprint if model.training_text else ""
    if source and not fingerprint:
        fingerprint = corpus_fingerprint(source, model.normalization)
    return NewRun(
        name=name,
        corpus_id=corpus_id,
        corpus_name=corpus_name,
        corpus_fingerprint=fingerprint,
        settings={"tokenizer": model.name, "vocab_size": model.vocab_size, **(asdict(settings) if settings else {})},
        rounds=[report._asdict() for report in pruned.rounds] if pruned else [],
        model=content,
        corpus=source.read() if source and keeps_text else None,
    )
