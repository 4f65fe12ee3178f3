"""Temporary folders that no killed process leaves behind; unreadable to other users.

Whoever made one removes it. If it is killed, the next process does that needs one: a folder whose lock is free is
abandoned.
"""

import os
import platform
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "thunder-tok-"
_LOCK = "lock"
_locks: dict[Path, list[int]] = {}


def held_folder(use: str = "", parent: str | None = None) -> Path:
    """A new folder, kept until this process ends; those of killed processes beside it are removed.

    Parameters
    ----------
    use : a part of its name.
    parent : where it lies; None: with all temporary files.
    """
    for path in Path(parent or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Failing to take a lock that is held raises OSError too.
        with suppress(OSError):
            if _is_mine(path):
                with _locked(path / _LOCK) as is_free:
                    if is_free:
                        shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX + use, dir=parent))  # readable by this user alone
    _locks[folder] = _hold(folder)
    return folder


def remove_held(folder: Path) -> None:
    """Remove it with all that it contains, ignoring errors."""
    shutil.rmtree(folder, ignore_errors=True)
    for descriptor in _locks.pop(folder, ()):
        os.close(descriptor)


def _is_mine(path: Path) -> bool:
    """Whether it is a folder of this user. An administrator could open, and so remove, anyone's."""
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name == "nt" or status.st_uid == os.geteuid())


def _hold(folder: Path) -> list[int]:
    """Lock the folder for as long as this process lives, or these descriptors are open."""
    try:
        import fcntl
    except ImportError:  # Windows: folders of killed processes stay
        return []
    # The folder itself too: systems that clean up temporary files skip locked folders.
    descriptors = [os.open(folder, os.O_RDONLY)]
    fcntl.flock(descriptors[0], fcntl.LOCK_SH)
    # Renamed once locked: another process never sees the lock free.
    part = folder / f"{_LOCK}.part"
    descriptors.append(os.open(part, os.O_RDWR | os.O_CREAT, 0o600))
    os.write(descriptors[1], platform.node().encode())
    fcntl.flock(descriptors[1], fcntl.LOCK_EX)
    part.rename(folder / _LOCK)
    return descriptors


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether the lock could be taken, and is of this machine: a disk may be shared. It is held inside the block."""
    try:
        import fcntl
    except ImportError:
        yield False
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.read(descriptor, 300) in (b"", platform.node().encode())
    finally:
        os.close(descriptor)
