"""One place for how kernels are compiled.

Numba notices an edit in the file of a kernel, but not in the file of a kernel that it calls: a warm cache would
then run stale machine code. So the cache folder is named after a hash of every source file of the engine that holds
kernels, and of the flags that change the machine code. Import `kernel` from here, before numba is imported.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from engine.folders import safe_cache_folder, safe_folder

_ENGINE = Path(__file__).resolve().parent
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")


def _sources() -> Iterator[tuple[Path, bytes]]:
    """The files with kernels, and their content."""
    for path in sorted(_ENGINE.rglob("*.py")):
        source = path.read_bytes()
        if b"_jit" in source:
            yield path, source


def source_hash() -> str:
    """Hash (12 hex digits) of the kernels' sources and of the compiler flags in the environment."""
    digest = hashlib.sha256()
    for path, source in _sources():
        digest.update(path.relative_to(_ENGINE).as_posix().encode() + b"\0" + source)
    for flag in _FLAGS:
        digest.update(f"{flag}={os.environ.get(flag, '')}".encode())
    return digest.hexdigest()[:12]


def source_stamp() -> str:
    """Hash of where the kernels' sources are and when they were written: Numba compiles again where either differs."""
    files = "\n".join(f"{path} {path.stat().st_mtime_ns}" for path, _ in _sources())
    return hashlib.sha256(files.encode()).hexdigest()


def _safe_cache() -> Path:
    """Folder of the cache that the environment names, else one in the user's own; it is there.

    The cache holds pickles, and loading one runs what it says.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    return safe_folder(Path(named)) if named else safe_cache_folder(f"kernels-{source_hash()}")


os.environ["NUMBA_CACHE_DIR"] = str(_safe_cache())  # for workers, too

import numba  # noqa: E402  (the cache folder must be set first)
from numba.core.caching import FunctionCache  # noqa: E402
from numba.core.dispatcher import Dispatcher  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402
from numba.core.sigutils import normalize_signature  # noqa: E402


def kernel_cache() -> str:
    """Folder of the compiled kernels."""
    return os.environ["NUMBA_CACHE_DIR"]


_Function = TypeVar("_Function", bound=Callable[..., Any])

_FOR_PYTHON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_FOR_KERNELS: dict[str, Any] = {**_FOR_PYTHON, "no_cpython_wrapper": True}


def kernel(function: _Function) -> _Function:
    """Compile `function` for single-threaded use that releases the GIL; threads go around kernels, not into them.

    `parallel=True` is never used: it aborts the process when two threads meet on the workqueue layer.
    `fastmath` is never used: log-sum-exp of impossible paths must stay -inf.
    """
    compiled = numba.njit(**_FOR_PYTHON)(function)
    if isinstance(compiled, Dispatcher):  # without compilation it is the function itself
        compiled._cache = _Cache(compiled.py_func)  # type: ignore[attr-defined]
    return compiled


def subkernel(function: _Function) -> _Function:
    """Compile `function` for other kernels alone: unpacking what Python passes is a quarter of the code."""
    return numba.njit(**_FOR_KERNELS)(function)


def inlined(function: _Function) -> _Function:
    """Compile `function` into the kernels that call it: LLVM leaves what is called from several places a call.

    So a small step of an inner loop may have a name of its own.
    """
    return numba.njit(forceinline=True, **_FOR_KERNELS)(function)


class _Cache(FunctionCache):
    """Numba's cache of compiled kernels, made to be only that: where it fails, the kernel is compiled again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # As Numba does it but for `target_context.refresh()`, a quarter of a second: compiling needs what that
            # loads, and calls it as well.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
            # Two processes that compile at once may number their files alike: then one holds the other's code.
            return found if found is None or found.signature.args == normalize_signature(sig)[0] else None
        except Exception:  # unpickling a damaged file may raise anything
            with suppress(OSError):
                self.flush()  # begins anew
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # the disk is full
            super().save_overload(sig, data)
