"""`streamlit run`, and how long every run of the script took: `python -m tests.load.timed_server LOG run app/main.py
...`.

Each line of the log is one run, of a page or of fragments: seconds from its begin to its end, and those in which it
had a processor.
"""

import sys
import time
from pathlib import Path
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main

_run_script = ScriptRunner._run_script


def _timed(self: ScriptRunner, *arguments: Any) -> None:
    began, worked = time.perf_counter(), time.thread_time()
    try:
        _run_script(self, *arguments)
    finally:
        with _LOG.open("a") as log:
            log.write(f"{time.perf_counter() - began:.6f} {time.thread_time() - worked:.6f}\n")


_LOG = Path(sys.argv.pop(1))
ScriptRunner._run_script = _timed  # type: ignore[method-assign]
main(prog_name="streamlit")
