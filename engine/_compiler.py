"""How kernels are compiled (see `_jit`): as Numba does by default, minus what only costs time here.

The generated code computes the same. Most of the time saved is LLVM's, on functions that are never called directly.

A kernel is compiled by one process at a time: the others wait, then load what it has saved. A process may refuse to
compile, see `compile_if`.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy.ma  # noqa: F401 (Numba imports it, and the next one, for the first array that it sees)
from numba import _dynfunc, njit  # type: ignore[attr-defined]
from numba.core import ir, typed_passes, types, untyped_passes
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature
from numba.np import arrayobj, linalg  # noqa: F401

from engine import _jit
from engine.machine.atomic_file import locked

# What they look for (closures, `with`, literal unrolling, functions with inline="always") is in no kernel.
_NEEDLESS = {
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    typed_passes.InlineOverloads,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.WithLifting,
}

# With the first kernel that adds up an array, Numba imports SciPy, for a quarter of a second, to see if it is there.
_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = lambda: None
import_module("numba.np.arraymath")
linalg.ensure_blas = _ensure_blas

_FOR_PYTHON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_FOR_KERNELS: dict[str, Any] = {**_FOR_PYTHON, "no_cpython_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """The dispatcher of a kernel, which loads its code from the cache."""
    made = _jitted(function, **_FOR_PYTHON)
    if isinstance(made, Dispatcher):
        cache = made._cache = _Cache(made.py_func)  # type: ignore[attr-defined]
        made.__dict__["compile"] = partial(_load_or_compile, made.compile, cache, function)
    return made


def _load_or_compile(
    compile: Callable[[Any], Any], cache: "_Cache", function: Callable[..., Any], signature: Any
) -> Any:
    """What Numba calls for arguments of this signature: machine code, or the function itself."""
    with suppress(_NotCachedError):
        return compile(signature)
    if not _jit.may_compile():
        return function
    # Numba's lock first, as for the kernels that this one calls: in another order, two threads could block each other.
    with global_compiler_lock, cache.filled_here():
        return compile(signature)


def linked(function: Callable[..., Any], **options: Any) -> Any:
    """The dispatcher of a subkernel."""
    made = _jitted(function, **_FOR_KERNELS, **options)
    if isinstance(made, Dispatcher):
        overloads = made.overloads
        made.__dict__["add_overload"] = lambda code: overloads.update({tuple(code.signature.args): code})
    return made


inlined = partial(linked, forceinline=True)


def _jitted(function: Callable[..., Any], **options: Any) -> Any:
    """As Numba's `njit`, but constant arguments do not each compile the function again: they count as variables."""
    made = njit(pipeline_class=_Compiler, **options)(function)
    if isinstance(made, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        compiler: Any = made._compiler  # type: ignore[attr-defined]
        fold = compiler.fold_argument_types

        def fold_without_literals(args: Any, kws: Any) -> tuple[Any, tuple[types.Type, ...]]:
            signature, kinds = fold(args, kws)
            return signature, tuple(map(types.unliteral, kinds))

        compiler.fold_argument_types = fold_without_literals
    return made


class _Compiler(CompilerBase):
    """Compiler of kernels and subkernels."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes of Numba's default pipeline that kernels need."""
        passes = PassManager("kernel")
        for made, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if made not in _NEEDLESS:
                passes.add_pass(_Lowering if made is typed_passes.NativeLowering else made, description)
        passes.finalize()
        return [passes]

    def _compile_core(self) -> Any:
        collects = gc.isenabled()
        gc.disable()  # it would visit the whole program again and again, for a tenth of the time
        try:
            return super()._compile_core()
        finally:
            if collects:
                gc.enable()


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate the code of a kernel, or of a subkernel, which has none of its own: only its callers run it."""
        if not _counts_references(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        if not state.flags.no_cpython_wrapper:
            return bool(super().run_pass(state))
        state.library = _SubkernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        function = _dynfunc.make_function(made.fndesc.lookup_module(), made.fndesc.qualname, "", 0, made.env, ())
        state.targetctx.insert_user_function(function, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=function)
        return True


def _counts_references(state: Any) -> bool:
    """Whether the function allocates or returns arrays; if not, its callers keep all arrays that it uses alive."""
    models = state.targetctx.data_model_manager

    def is_counted(kind: types.Type) -> bool:
        return bool(models[kind].contains_nrt_meminfo())

    return is_counted(state.return_type) or any(
        signature is not None and is_counted(signature.return_type) and not _is_view(expression, signature)
        for expression, signature in state.calltypes.items()
    )


def _is_view(expression: Any, signature: Any) -> bool:
    if not isinstance(expression, ir.Expr) or expression.op not in ("getitem", "static_getitem"):
        return False
    return not any(isinstance(index, types.Array) for index in signature.args[1:])


class _SubkernelLibrary(JITCodeLibrary):
    """Code to be linked into kernels, which are optimized and turned into machine code as a whole."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._final_module.verify()
        self._finalized = True


class _NotCachedError(Exception):
    """The kernel has to be compiled, which this process has not been asked to do yet."""


class _KernelPlace(InTreeCacheLocator):
    """The folder of `kernel_cache`, also where Numba was imported before it was named in the environment."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(Path(_jit.kernel_cache()) / self.get_suitable_cache_subpath(file))


class _CachedCode(CompileResultCacheImpl):
    _locator_classes = [_KernelPlace]  # noqa: RUF012 (as Numba has it)


class _Cache(FunctionCache):
    """Numba's cache of compiled kernels; when it fails, the kernel is recompiled."""

    _impl_class = _CachedCode
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
