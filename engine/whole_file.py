"""Writing a file whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from engine.errors import InputError


def write_whole(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write `data`, whole or in parts, beside `path` and rename it.

    Nobody ever sees half a file, and a failure leaves the old one.

    Raises
    ------
    InputError : the file cannot be written.
    """
    path = Path(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}; check the folder and its space") from None
