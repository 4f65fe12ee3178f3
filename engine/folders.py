"""The program's two folders in its user's home: what can be made again, and what cannot.

platformdirs knows the custom of every system. The first versions of the program had rules of their own, which agree
with it on Linux. Where a folder of theirs holds something and the new one does not, it stays in use: nothing is moved,
and so nothing can be lost on the way.
"""

import atexit
import logging
import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_CACHE, _DATA = "thunder-tok-explorer", "thunder-tok"
_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Folder for everything that can be made again, compiled kernels and ready-made models; it is there."""
    import platformdirs  # here: a program that names its own folders does without it

    root = _in_use(platformdirs.user_cache_path(_CACHE, appauthor=False), _old_cache())
    with suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    # A read-only home must not stop the program: Numba itself refuses to import without a writable cache.
    root = Path(tempfile.gettempdir()) / f"{_CACHE}-{os.getuid() if hasattr(os, 'getuid') else 0}"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root


def is_own(folder: Path) -> bool:
    """Whether it is a folder where only this user, or the administrator, may write; OSError where there is none."""
    status = folder.stat()
    if os.name == "nt":
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


@cache
def safe_cache_folder(name: str) -> Path:
    """A `safe_folder` in the folder of caches."""
    root = cache_folder()
    with suppress(OSError):
        if not is_own(root):
            root.chmod(0o700)  # which only its owner can: what others have put there is still theirs
        if is_own(root):
            return safe_folder(root / name)
    return _private(root / name)


@cache
def safe_folder(folder: Path) -> Path:
    """The folder, for what is trusted when it is found again, kernels or models; it is there.

    Where anybody else could have put something, this process takes a private folder, and makes everything anew.
    """
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_own(folder):
            return folder
    return _private(folder)


def _private(instead_of: Path) -> Path:
    _log.warning("%s is not used: others may write there; take that right from them, or remove it", instead_of)
    folder = Path(tempfile.mkdtemp(prefix=f"{_DATA}-{instead_of.name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def data_folder() -> Path:
    """Folder for what a user saves. Nothing is made."""
    import platformdirs

    return _in_use(platformdirs.user_data_path(_DATA, appauthor=False), _old_data())


def _in_use(new: Path, old: Path) -> Path:
    if new == old or not _holds(old):
        return new
    if not _holds(new):
        return old
    _log.warning("%s is used; %s holds something, too, and is left as it is", new, old)
    return new


def _holds(folder: Path) -> bool:
    """Whether there is something in a folder. One that nobody may look into is none of this user's."""
    try:
        return any(folder.iterdir())
    except OSError:
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
