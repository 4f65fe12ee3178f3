"""What functions take for a corpus or texts: files, or lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from engine.corpus.reading.read import read_corpus

Corpus: TypeAlias = str | Path | Sequence[str | Path]
Texts: TypeAlias = Corpus | Mapping[str, Corpus]


def as_texts(given: Texts, column: str | None = None, encoding: str | None = None) -> dict[str, list[str]]:
    """Lines by name: each file under its path, lines under `text`.

    Raises
    ------
    InputError : a file cannot be read as text.
    """
    if isinstance(given, Mapping):
        return {name: as_lines(one, column, encoding) for name, one in given.items()}
    paths = file_paths(given)
    if paths is None:
        return {"text": as_lines(given)}
    return {str(path): read_corpus(path, encoding, column) for path in paths}


def as_lines(given: Corpus, column: str | None = None, encoding: str | None = None) -> list[str]:
    """The lines themselves, or those of the files; InputError if a file cannot be read as text."""
    paths = file_paths(given)
    if paths is None:
        return [line for line in given if isinstance(line, str)]  # type: ignore[union-attr]
    return [line for path in paths for line in read_corpus(path, encoding, column)]


def file_paths(given: Corpus) -> list[str | Path] | None:
    """The files that are meant, or None for lines.

    One string is a file, since a corpus is more than a line. In a sequence, a `Path` is a file, and strings are files
    if every one of them is.
    """
    if isinstance(given, str | Path):
        return [given]
    several = list(given)
    if any(isinstance(one, Path) for one in several) or (several and all(_is_file(one) for one in several)):
        return several
    return None


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False
