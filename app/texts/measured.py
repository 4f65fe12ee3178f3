"""Texts to measure on: built-in ones, parallel sentences, and the session's own."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from app.texts.corpora import FOLDER, registers
from engine.corpus.read import read_lines

PARALLEL = FOLDER.parent / "parallel"
LANGUAGES = ("ko", "en", "ja", "zh", "de", "fr", "es", "ru", "tr", "vi", "ar", "hi", "th")


class Text(NamedTuple):
    """Lines with a name. `digest` is of the lines; a built-in text may be kept in caches that sessions share."""

    id: str
    name: str
    digest: str
    lines: tuple[str, ...]
    is_builtin: bool


def text_of(id_: str, name: str, lines: Sequence[str], is_builtin: bool) -> Text:
    """A text of the lines that are not empty."""
    kept = tuple(line for line in lines if line)
    digest = hashlib.sha256("\n".join(kept).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return Text(id_, name, digest, kept, is_builtin)


@cache
def _lines(path: Path) -> tuple[str, ...]:
    return tuple(read_lines(path, "utf-8"))


def builtin_texts() -> tuple[str, ...]:
    """Ids of the built-in texts: `parallel.ko`, ..., `ko.news`, ..., `multi.en`, ..., `web.code`, ..."""
    parts = [f"parallel.{language}" for language in LANGUAGES]
    for collection in ("ko", "multi", "web"):
        parts += [f"{collection}.{name}" for name in registers(collection)]
    return tuple(parts)


def builtin_text(id_: str, name: str) -> Text:
    """A built-in text; `name` is what to call it in the session's language."""
    collection, _, part = id_.partition(".")
    path = PARALLEL / f"{part}.txt" if collection == "parallel" else registers(collection)[part]
    return text_of(id_, name, _lines(path), True)


def parallel_texts() -> dict[str, tuple[str, ...]]:
    """The parallel sentences by language; line n of every language says the same."""
    return {language: _lines(PARALLEL / f"{language}.txt") for language in LANGUAGES}
