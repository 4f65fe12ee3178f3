"""Writing a file whole or not at all."""

import os
from pathlib import Path

from engine.errors import InputError


def write_whole(path: str | Path, data: bytes) -> None:
    """Write `data` beside `path` and rename it: nobody ever sees half a file, and a failure leaves the old one.

    Raises
    ------
    InputError : the file cannot be written.
    """
    path = Path(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}; check the folder and its space") from None
