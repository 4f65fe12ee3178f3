"""A folder for texts and models passed between processes, unreadable to other users.

A server removes its folder when it ends. If it is killed, the next server does: a folder whose lock is free is
abandoned.
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
    """A new folder, kept until this process ends; folders of killed servers are removed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Failing to take a lock that is held raises OSError too.
        with suppress(OSError):
            if _is_mine(path):
                with _locked(path / _LOCK) as is_free:
                    if is_free:
                        shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # readable by this user alone
    _hold(folder)
    return folder


def _is_mine(path: Path) -> bool:
    """Whether it is a folder of this user. An administrator could open, and so remove, anyone's."""
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name == "nt" or status.st_uid == os.geteuid())


def _hold(folder: Path) -> None:
    """Lock the folder for as long as this process lives."""
    try:
        import fcntl
    except ImportError:  # Windows: folders of killed servers stay
        return
    # The folder itself too: systems that clean up temporary files skip locked folders.
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)
    # Renamed once locked: another server never sees the lock free.
    part = folder / f"{_LOCK}.part"
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    part.rename(folder / _LOCK)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether the lock could be taken; it is held inside the block."""
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
