"""`python -m engine`, installed as `thunder-tok`: the command line, and what ends it on Ctrl+C."""

import os
import signal
import sys
import threading
from collections.abc import Callable

# A command may take that long to end after Ctrl+C; an exception that Python ignored is raised again after this.
_STOP_SECONDS, _AGAIN_SECONDS = 5.0, 0.1


def _stop_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


def _stop(_number: int, _frame: object) -> None:
    """Raise KeyboardInterrupt, and end the process in any case: Python waits for threads amid their work."""
    _later(_STOP_SECONDS, os._exit, 130)
    raise KeyboardInterrupt


def _stop_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Interrupt once more where Python ignored it: it ignores an exception in a callback, as any import has."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        _later(_AGAIN_SECONDS, signal.pthread_kill, threading.main_thread().ident, signal.SIGINT)
    else:
        sys.__unraisablehook__(ignored)


def _later(seconds: float, call: Callable[..., object], *arguments: object) -> None:
    timer = threading.Timer(seconds, call, arguments)
    timer.daemon = True
    timer.start()


def main() -> int:
    """Run the command in `sys.argv`; returns the exit code."""
    takes_signal = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else it is ignored
    if takes_signal:
        signal.signal(signal.SIGINT, _stop_at_once)  # nothing has begun: these imports take half a second
    from engine.cli import main as run

    if takes_signal:
        sys.unraisablehook = _stop_again
        signal.signal(signal.SIGINT, _stop)
    return run()


if __name__ == "__main__":
    sys.exit(main())
