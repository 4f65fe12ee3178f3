"""How kernels are compiled (see `_jit`): as Numba does by default, minus what only costs time here.

The generated code computes the same. Most of the time saved is LLVM's, on functions that are never called directly.
"""

import gc
from collections.abc import Callable
from typing import Any, TypeVar

from numba import _dynfunc, njit  # type: ignore[attr-defined]
from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, InlineOverloads, NativeLowering
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)

# What they look for (closures, `with`, literal unrolling, functions with inline="always") is in no kernel.
_NEEDLESS = {
    AnnotateTypes,
    DumpParforDiagnostics,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    InlineOverloads,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
}


_Function = TypeVar("_Function", bound=Callable[..., Any])


def jitted(function: _Function, **options: Any) -> _Function:
    """As Numba's `njit`, but constant arguments do not each compile the function again: they count as variables."""
    compiled = njit(pipeline_class=_Compiler, **options)(function)
    if isinstance(compiled, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        compiler: Any = compiled._compiler  # type: ignore[attr-defined]
        fold = compiler.fold_argument_types

        def fold_without_literals(args: Any, kws: Any) -> tuple[Any, tuple[types.Type, ...]]:
            signature, kinds = fold(args, kws)
            return signature, tuple(map(types.unliteral, kinds))

        compiler.fold_argument_types = fold_without_literals
    return compiled


class _Compiler(CompilerBase):
    """Compiler of kernels and subkernels."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes of Numba's default pipeline that kernels need."""
        passes = PassManager("kernel")
        for made, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if made not in _NEEDLESS:
                passes.add_pass(_Lowering if made is NativeLowering else made, description)
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
class _Lowering(NativeLowering):
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
