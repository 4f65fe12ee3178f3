"""How kernels are compiled and cached.

Numba notices an edit to a kernel's own file, but not to the file of a kernel that it calls: a warm cache would then
run stale machine code. So the cache folder is named after a hash of all files with kernels and of the flags that
affect code generation. Import `kernel` from here before anything imports numba.
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
    """Paths and contents of the files with kernels."""
    for path in sorted(_ENGINE.rglob("*.py")):
        source = path.read_bytes()
        if b"_jit" in source:
            yield path, source


def source_hash() -> str:
    """Hash (12 hex digits) of the kernel sources and of the compiler flags in the environment."""
    digest = hashlib.sha256()
    for path, source in _sources():
        digest.update(path.relative_to(_ENGINE).as_posix().encode() + b"\0" + source)
    for flag in _FLAGS:
        digest.update(f"{flag}={os.environ.get(flag, '')}".encode())
    return digest.hexdigest()[:12]


def source_stamp() -> str:
    """Hash of the paths and mtimes of the kernel sources: Numba recompiles when either differs."""
    files = "\n".join(f"{path} {path.stat().st_mtime_ns}" for path, _ in _sources())
    return hashlib.sha256(files.encode()).hexdigest()


def _safe_cache() -> Path:
    """Create the cache folder (NUMBA_CACHE_DIR if set, else in the user's cache) and return its path.

    The cache contains pickles, and unpickling runs arbitrary code.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    return safe_folder(Path(named)) if named else safe_cache_folder(f"kernels-{source_hash()}")


os.environ["NUMBA_CACHE_DIR"] = str(_safe_cache())  # worker processes inherit it

from numba.core.caching import FunctionCache  # noqa: E402  (the cache folder must be set first)
from numba.core.dispatcher import Dispatcher  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402
from numba.core.sigutils import normalize_signature  # noqa: E402

from engine._compiler import jitted  # noqa: E402


def kernel_cache() -> str:
    """Folder of the compiled kernels."""
    return os.environ["NUMBA_CACHE_DIR"]


_Function = TypeVar("_Function", bound=Callable[..., Any])

_FOR_PYTHON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_FOR_KERNELS: dict[str, Any] = {**_FOR_PYTHON, "no_cpython_wrapper": True}


def kernel(function: _Function) -> _Function:
    """Compile a single-threaded `function` that releases the GIL; threads call kernels, kernels start no threads.

    `parallel=True` is never used: it aborts the process when two threads enter the workqueue layer at once.
    `fastmath` is never used: log-sum-exp of impossible paths must stay -inf.
    """
    compiled = jitted(function, **_FOR_PYTHON)
    if isinstance(compiled, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        compiled._cache = _Cache(compiled.py_func)  # type: ignore[attr-defined]
    return compiled


def subkernel(function: _Function) -> _Function:
    """Compile `function` to be called from kernels only: without the Python wrapper a quarter of the code is saved."""
    return jitted(function, **_FOR_KERNELS)


def inlined(function: _Function) -> _Function:
    """Compile `function` inline into its callers: LLVM by itself does not inline a function with several call sites."""
    return jitted(function, forceinline=True, **_FOR_KERNELS)


class _Cache(FunctionCache):
    """Numba's cache of compiled kernels; when it fails, the kernel is recompiled."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # As in Numba, but without `target_context.refresh()`, which takes a quarter of a second; compilation
            # calls it anyway.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
            # Two processes that compile at the same time may pick the same file number and overwrite each other.
            return found if found is None or found.signature.args == normalize_signature(sig)[0] else None
        except Exception:  # unpickling a damaged file may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # the disk is full
            super().save_overload(sig, data)
