"""Writing a file whole or not at all."""

import uuid
from collections.abc import Iterable
from contextlib import suppress
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
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")  # two threads may write at once
    try:
        with part.open("wb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):  # on a read-only disk there is nothing to remove, and that is an error too
            part.unlink(missing_ok=True)
        detail = error.strerror or error
        raise InputError(
            "cannot write {path}: {detail}; check the folder and its space",
            code="file.unwritable",
            path=path,
            detail=detail,
        ) from None
