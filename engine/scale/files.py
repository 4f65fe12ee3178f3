"""Files on the local disk or, through fsspec, on remote file systems."""

from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from engine.errors import InputError
from engine.machine.held_folder import held_folder, remove_held


def is_remote(path: str) -> bool:
    """Whether a path names its file system, as in s3://bucket/corpus.txt."""
    return "://" in path


def file_name(path: str) -> str:
    """The last part of a path."""
    return PurePosixPath(path).name if is_remote(path) else Path(path).name


def open_file(path: str, mode: str) -> IO[bytes]:
    """Open a binary file; InputError if it cannot be opened."""
    try:
        if not is_remote(path):
            return cast("IO[bytes]", Path(path).open(mode))
        return cast("IO[bytes]", _fsspec().open(path, mode).open())
    except InputError:
        raise
    except Exception as error:  # third-party file systems may raise anything
        cause = getattr(error, "strerror", None) or error
        if mode == "rb":
            raise InputError("file.unreadable", path=path, detail=cause) from None
        raise InputError("file.unwritable", path=path, detail=cause) from None


def make_folder(path: str) -> None:
    """Create a folder if it does not exist."""
    if is_remote(path):
        _fsspec().open(path).fs.makedirs(path, exist_ok=True)
        return
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("file.unwritable", path=path, detail=error.strerror or error) from None


def remove_folder(path: str) -> None:
    """Remove a folder and its content, ignoring errors."""
    if not is_remote(path):
        remove_held(Path(path))
        return
    with suppress(Exception):
        _fsspec().open(path).fs.rm(path, recursive=True)


def temporary_folder(parent: str | None = None) -> str:
    """Create a temporary folder on this machine; what a killed training left beside it is removed."""
    return str(held_folder("spool-", parent))


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise InputError("scale.no_fsspec") from None
    return fsspec
