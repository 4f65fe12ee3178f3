"""The run library of this server: where it lies, whether it can be used, and runs as the app saves and opens them.

`THUNDER_TOK_LIBRARY` names its folder; `off` leaves it out.
"""

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from app.limits import PREFIX, limits
from engine.errors import InputError
from engine.library.database import LibraryError
from engine.library.store import Library, NewRun
from engine.unigram.model import Model

FOLDER_VARIABLE = f"{PREFIX}LIBRARY"
_OFF = "off"
_lock = threading.Lock()


class Opened(NamedTuple):
    """The library, or why there is none: `off`, or what is wrong with its folder."""

    library: Library | None
    reason: str = ""

    @property
    def is_off(self) -> bool:
        """Whether whoever runs the server wants none."""
        return self.reason == _OFF


def opened() -> Opened:
    """The library of this server; opened once."""
    with _lock:
        return _server_library()


def library() -> Library:
    """The library.

    Raises
    ------
    LibraryError : this server has none.
    """
    found = opened()
    if found.library is None:
        raise LibraryError("this server keeps no library" if found.is_off else found.reason)
    return found.library


@cache
def _server_library() -> Opened:
    folder = library_folder(os.environ)
    if folder is None:
        return Opened(None, _OFF)
    try:
        return Opened(Library(folder, limits().library_mb * 1_000_000))
    except InputError as error:
        return Opened(None, str(error))


def library_folder(environment: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """The folder as the environment names it, else one among the user's own data; None for no library."""
    named = environment.get(FOLDER_VARIABLE, "").strip()
    if named.lower() == _OFF:
        return None
    if named:
        return Path(named).expanduser()
    home = Path.home()
    if platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "thunder-tok"


def new_run(name: str, corpus_id: str, corpus_name: str, model: Any, content: bytes) -> NewRun:
    """A model as the library saves it.

    Parameters
    ----------
    corpus_id, corpus_name : of the text that it was trained on, as links and as people name it.
    model : the tokenizer; content : of its file.
    """
    is_unigram = isinstance(model, Model)
    settings = getattr(model, "settings", None)
    return NewRun(
        name=name,
        corpus_id=corpus_id,
        corpus_name=corpus_name,
        corpus_fingerprint=model.corpus_fingerprint if is_unigram else "",
        settings={"tokenizer": model.name, "vocab_size": model.vocab_size, **(asdict(settings) if settings else {})},
        rounds=[report._asdict() for report in model.rounds] if is_unigram else [],
        model=content,
    )
