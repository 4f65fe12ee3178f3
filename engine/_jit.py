"""How kernels are compiled and cached.

Numba notices an edit to a kernel's own file, but not to the file of a kernel that it calls: a warm cache would then
run stale machine code. So the cache folder is named after a hash of all files with kernels and of the flags that
affect code generation. Import `kernel` from here before anything imports numba.

A kernel is compiled by one process at a time: the others wait, then load what it has saved. A process may refuse to
compile, see `compile_if`.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from engine.machine.atomic_file import locked
from engine.machine.folders import safe_cache_folder, safe_folder

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
from numba.core.compiler_lock import global_compiler_lock  # noqa: E402
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


def _always() -> bool:
    return True


_may_compile: Callable[[], bool] = _always


def compile_if(rule: Callable[[], bool] = _always) -> None:
    """Ask `rule` before compiling a kernel that is not cached: if False, it runs as plain Python; `rule` may raise."""
    global _may_compile
    _may_compile = rule


def kernel(function: _Function) -> _Function:
    """Compile a single-threaded `function` that releases the GIL; threads call kernels, kernels start no threads.

    `parallel=True` is never used: it aborts the process when two threads enter the workqueue layer at once.
    `fastmath` is never used: log-sum-exp of impossible paths must stay -inf.
    """
    compiled = jitted(function, **_FOR_PYTHON)
    if isinstance(compiled, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        cache = compiled._cache = _Cache(compiled.py_func)  # type: ignore[attr-defined]
        compiled.__dict__["compile"] = partial(_load_or_compile, compiled.compile, cache, function)
    return compiled


def _load_or_compile(compile: Callable[[Any], Any], cache: "_Cache", function: _Function, signature: Any) -> Any:
    """What Numba calls for arguments of this signature: machine code, or the function itself."""
    with suppress(_NotCachedError):
        return compile(signature)
    if not _may_compile():
        return function
    # Numba's lock first, as for the kernels that this one calls: in another order, two threads could block each other.
    with global_compiler_lock, cache.filled_here():
        return compile(signature)


def subkernel(function: _Function) -> _Function:
    """Compile `function` to be called from kernels only: without the Python wrapper a quarter of the code is saved."""
    return _callable_as_python(jitted(function, **_FOR_KERNELS), function)


def inlined(function: _Function) -> _Function:
    """Compile `function` inline into its callers: LLVM by itself does not inline a function with several call sites."""
    return _callable_as_python(jitted(function, forceinline=True, **_FOR_KERNELS), function)


def _callable_as_python(compiled: _Function, function: _Function) -> _Function:
    """Let Python, which runs kernels too, call the function itself: of `compiled` it has no wrapper."""
    if isinstance(compiled, Dispatcher):
        overloads = compiled.overloads
        compiled.__dict__["add_overload"] = lambda made: overloads.update({tuple(made.signature.args): made})
        compiled.__dict__["_compile_for_args"] = lambda *_: function
    return compiled


class _NotCachedError(Exception):
    """The kernel has to be compiled, which this process has not been asked to do yet."""


class _Cache(FunctionCache):
    """Numba's cache of compiled kernels; when it fails, the kernel is recompiled."""

    _is_filled_here = False

    @contextmanager
    def filled_here(self) -> Iterator[None]:
        """While this process compiles what is not in the cache, no other process does."""
        with locked(Path(self.cache_path) / f"{self._impl.filename_base}.lock"):
            self._is_filled_here = True
            try:
                yield
            finally:
                self._is_filled_here = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load_sound(sig, target_context)
        if found is None and not self._is_filled_here:
            raise _NotCachedError
        return found

    def _load_sound(self, sig: Any, target_context: Any) -> Any:
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
