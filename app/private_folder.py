"""A folder for texts and models on their way between processes, which nobody else may read.

A server that ends removes its own. One that is killed cannot, so the next one does it: a folder whose lock nobody holds
belongs to nobody any more.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "thunder-tok-"
_LOCK = "lock"


def private_folder() -> Path:
    """A new folder, kept until this process ends; those of servers that were killed are removed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Folders of other users cannot be opened.
        with suppress(OSError), _locked(path / _LOCK) as is_ours:
            if is_ours:
                shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # readable by this user alone
    _hold(folder)
    return folder


def _hold(folder: Path) -> None:
    """Lock the folder for as long as this process lives."""
    try:
        import fcntl
    except ImportError:  # Windows: what a killed server left stays
        return
    # It gets its name when the lock is held: another server never sees it free.
    part = folder / f"{_LOCK}.part"
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    part.rename(folder / _LOCK)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether the lock could be taken, which nobody holds then."""
    try:
        import fcntl
    except ImportError:
        yield False
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    finally:
        os.close(descriptor)
