"""How kernels are declared, and where compiled ones are cached.

Numba notices an edit to a kernel's own file, but not to the file of a kernel that it calls: a warm cache would then
run stale machine code. So the cache folder is named after a hash of all files with kernels and of the flags that
affect code generation.

Numba takes longer to import than all of this program: it is imported when a kernel is first called, see `_compiler`.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

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


@cache
def engine_hash() -> str:
    """Hash (12 hex digits) of every source file of the engine."""
    digest = hashlib.sha256()
    for path in sorted(_ENGINE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def source_stamp() -> str:
    """Hash of the paths and mtimes of the kernel sources: Numba recompiles when either differs."""
    files = "\n".join(f"{path} {path.stat().st_mtime_ns}" for path, _ in _sources())
    return hashlib.sha256(files.encode()).hexdigest()


@cache
def kernel_cache() -> str:
    """Create the folder of the compiled kernels (NUMBA_CACHE_DIR if set, else in the user's cache); return its path.

    The cache contains pickles, and unpickling runs arbitrary code.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    folder = safe_folder(Path(named)) if named else safe_cache_folder(f"kernels-{source_hash()}")
    os.environ["NUMBA_CACHE_DIR"] = str(folder)  # worker processes inherit it
    return str(folder)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def always() -> bool:
    return True


may_compile: Callable[[], bool] = always


def compile_if(rule: Callable[[], bool] = always) -> None:
    """Ask `rule` before compiling a kernel that is not cached: if False, it runs as plain Python; `rule` may raise."""
    global may_compile
    may_compile = rule


def import_compiler() -> None:
    """Begin to import Numba in a thread: reading and unpacking a model's file meanwhile takes as long."""
    threading.Thread(target=import_module, args=("engine._compiler",), name="import of Numba").start()


class LazilyCompiled:
    """A function and, once Python calls it or a kernel that calls it is compiled, Numba's dispatcher for it.

    Parameters
    ----------
    how : what compiles it, by its name in `_compiler`.
    """

    def __init__(self, function: Callable[..., Any], how: str) -> None:
        update_wrapper(self, function)
        self._function, self._how = function, how

    @cached_property
    def dispatcher(self) -> Any:
        """With NUMBA_DISABLE_JIT, the function itself."""
        return getattr(import_module("engine._compiler"), self._how)(self._function)

    def __call__(self, *given: Any) -> Any:
        return self.dispatcher(*given)

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks for where a kernel calls the function."""
        return self.dispatcher._numba_type_


class LazilyLinked(LazilyCompiled):
    """A function for kernels to call; Python, which runs kernels too, calls the function itself."""

    def __call__(self, *given: Any) -> Any:
        return self._function(*given)


def kernel(function: _Function) -> _Function:
    """Compile a single-threaded `function` that releases the GIL; threads call kernels, kernels start no threads.

    `parallel=True` is never used: it aborts the process when two threads enter the workqueue layer at once.
    `fastmath` is never used: log-sum-exp of impossible paths must stay -inf.
    """
    return cast(_Function, LazilyCompiled(function, "compiled"))


def subkernel(function: _Function) -> _Function:
    """Compile `function` to be called from kernels only: without the Python wrapper a quarter of the code is saved."""
    return cast(_Function, LazilyLinked(function, "linked"))


def inlined(function: _Function) -> _Function:
    """Compile `function` inline into its callers: LLVM by itself does not inline a function with several call sites."""
    return cast(_Function, LazilyLinked(function, "inlined"))
