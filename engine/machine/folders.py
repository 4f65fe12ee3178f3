"""The program's cache and data folders in the user's home.

platformdirs knows the convention of each system. The first versions chose the folders themselves, with the same result
on Linux only. An old folder stays in use if it has content and the new one is empty: moving files could lose some.
"""

import atexit
import logging
import os
import platform
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_CACHE, _DATA = "thunder-tok-explorer", "thunder-tok"
_OTHERS = "others may write there; take that right from them, or remove it"
_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Create the folder for everything that can be regenerated (compiled kernels, models) and return its path."""
    import platformdirs  # not needed by a program that sets its own folders

    root = _in_use(platformdirs.user_cache_path(_CACHE, appauthor=False), _old_cache())
    with suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    # A read-only home must not stop the program: Numba cannot be imported without a writable cache.
    root = Path(tempfile.gettempdir()) / f"{_CACHE}-{os.getuid() if hasattr(os, 'getuid') else 0}"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root


def is_own(folder: Path) -> bool:
    """Whether only this user or the administrator may write to the folder; OSError if it does not exist."""
    status = folder.stat()
    if os.name == "nt":
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


@cache
def safe_cache_folder(name: str) -> Path:
    """A `safe_folder` in the cache folder."""
    root = cache_folder()
    with suppress(OSError):
        if not is_own(root):
            root.chmod(0o700)  # succeeds only for the owner; files that others put there remain theirs
        if is_own(root):
            return safe_folder(root / name)
    return _private(root / name, _OTHERS)


@cache
def safe_folder(folder: Path) -> Path:
    """Create a folder for content that is trusted when it is read back (kernels, models) and return its path.

    If another user could have written to it, or this one cannot, this process uses a private temporary folder instead.
    """
    why = "it cannot be written"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own(folder):
            why = _OTHERS
        elif os.access(folder, os.W_OK):
            return folder
    return _private(folder, why)


def _private(instead_of: Path, why: str) -> Path:
    _log.warning("%s is not used: %s", instead_of, why)
    folder = Path(tempfile.mkdtemp(prefix=f"{_DATA}-{instead_of.name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def data_folder() -> Path:
    """Folder for what a user saves; it is not created."""
    import platformdirs

    return _in_use(platformdirs.user_data_path(_DATA, appauthor=False), _old_data())


def _in_use(new: Path, old: Path) -> Path:
    if new == old or not _has_content(old):
        return new
    if not _has_content(new):
        return old
    _log.warning("%s is used; %s holds something, too, and is left as it is", new, old)
    return new


def _has_content(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:  # an unreadable folder is not this user's
        return False


def _old_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / _CACHE


def _old_data() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / _DATA


# Temporary folders that only this user can read, and that are removed even if the process is killed.
#
# Whoever made one removes it. If it is killed, the next process does that needs one: a folder whose lock is free is
# abandoned.

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
    folder = Path(parent or tempfile.gettempdir(), f"{_PREFIX}{use}{secrets.token_hex(8)}")
    try:
        folder.mkdir(mode=0o700)
        _locks[folder] = _hold(folder)
    except KeyboardInterrupt:
        remove_held(folder)
        raise
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
