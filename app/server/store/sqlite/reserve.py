"""Reserved disk space, released when the disk is full: SQLite needs pages even to delete."""

import os
from contextlib import suppress
from pathlib import Path

_BYTES = 1 << 20


def keep_reserve(path: Path) -> None:
    """Reserve the space unless it is already; a full disk has no reserve.

    Parameters
    ----------
    path : of the library.
    """
    reserve = _file(path)
    with suppress(OSError):
        if reserve.exists() and reserve.stat().st_size >= _BYTES:
            return
        try:
            descriptor = os.open(reserve, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(_BYTES))  # zeros might take no space
        except OSError:
            reserve.unlink(missing_ok=True)


def give_back(path: Path) -> bool:
    """Release the space; whether there was any."""
    try:
        _file(path).unlink()
    except OSError:
        return False
    return True


def _file(path: Path) -> Path:
    return path.with_name(f"{path.name}.reserve")
