"""One event loop for the scripts of all sessions.

Streamlit gives every session a loop of its own, for scripts that use asyncio; here none does. Each takes three
descriptors until two minutes after the page was closed: an open page would need four.

Upstream: https://github.com/streamlit/streamlit/pull/15807, which asks for a loop a session.
"""

import asyncio
from functools import cache

from streamlit.runtime.app_session import AppSession

RELIES_ON = {"streamlit/runtime/app_session.py": ("__init__", "_script_event_loop")}

_begin = AppSession.__init__


class _Unused(asyncio.SelectorEventLoop):
    """A loop that nothing runs, and that no session closes for others."""

    def close(self) -> None:
        """Stay open: Streamlit closes the loop of a session that ends."""


_shared = cache(_Unused)


def share_session_loop() -> None:
    AppSession.__init__ = _begin_shared  # type: ignore[method-assign]


def _begin_shared(self: AppSession, *given: object, **named: object) -> None:
    _begin(self, *given, **named)  # type: ignore[arg-type]
    self._script_event_loop.close()
    self._script_event_loop = _shared()
