"""A folder for texts and models on their way between processes, which nobody else may read.

A server that ends removes its own. One that is killed cannot, so the next one does it: a folder whose lock nobody holds
belongs to nobody any more.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "thunder-tok-"
_LOCK = "lock"


def private_folder() -> Path:
    """A new folder, kept until this process ends; those of servers that were killed are removed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # A lock that somebody holds cannot be taken, and that is an error too.
        with suppress(OSError):
            if _is_mine(path):
                with _locked(path / _LOCK) as is_free:
                    if is_free:
                        shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # readable by this user alone
    _hold(folder)
    return folder


def _is_mine(path: Path) -> bool:
    """Whether it is a folder of this user's. An administrator could open, and so remove, anybody's."""
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name == "nt" or status.st_uid == os.geteuid())


def _hold(folder: Path) -> None:
    """Lock the folder for as long as this process lives."""
    try:
        import fcntl
    except ImportError:  # Windows: what a killed server left stays
        return
    # The folder itself too: what cleans up among old temporary files leaves locked folders alone.
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)
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
