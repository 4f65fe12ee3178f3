"""The run of a whole page begins at the page's root.

A fragment makes the containers around it the current ones, and its run ends without going back. Streamlit restores the
root only where a run asks for the next one; a request that arrives when the fragment has just ended is run by the same
thread, and the whole page is drawn once more inside the fragment's container.

Upstream: https://github.com/streamlit/streamlit/pull/8798, which mends what a run asks for.
"""

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

RELIES_ON = {
    "streamlit/delta_generator_singletons.py": ("context_dg_stack", "def get_default_dg_stack_value"),
    "streamlit/runtime/scriptrunner/script_runner.py": ("self._run_script(request.rerun_data)",),
}

_run = ScriptRunner._run_script


def begin_at_root() -> None:
    ScriptRunner._run_script = _run_from_root  # type: ignore[method-assign]


def _run_from_root(self: ScriptRunner, rerun_data: RerunData) -> None:
    context_dg_stack.set(get_default_dg_stack_value())
    _run(self, rerun_data)
