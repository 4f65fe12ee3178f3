"""What the browser asks for is done, and shown, whatever it asks for next.

Streamlit ends a run at its next look into the session once the browser asks for another. What a click calls is part of
a run: it would be done by half or not at all, and nobody would do the rest, for the browser tells of a click once.

What a run draws, and that it has ended, is sent by the event loop. Where the browser asks for another run before all
is sent, Streamlit throws the rest away: the page stays half old, half new, until somebody clicks.
"""

from collections import deque
from weakref import WeakKeyDictionary

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

_SECONDS = 0.002
_end_where_asked = ScriptRunner._maybe_handle_execution_control_request
_begin = AppSession.request_rerun
# What each session was asked for and has not begun, the oldest first.
_asked: WeakKeyDictionary[AppSession, deque[ClientState | None]] = WeakKeyDictionary()


def keep_runs_whole() -> None:
    """A run may end after what its click called, and another begins after its last word is sent; from now on."""
    ScriptRunner._maybe_handle_execution_control_request = _end_after_click  # type: ignore[method-assign]
    AppSession.request_rerun = _begin_after_last  # type: ignore[method-assign]


def _end_after_click(self: ScriptRunner) -> None:
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or context.has_script_started:
        _end_where_asked(self)


def _begin_after_last(self: AppSession, client_state: ClientState | None) -> None:
    _asked.setdefault(self, deque()).append(client_state)
    _begin_asked(self)


def _begin_asked(session: AppSession) -> None:
    while asked := _asked[session]:
        last = session._scriptrunner
        if last is not None and last._requests._state is ScriptRequestType.STOP:  # the loop then forgets it
            session._event_loop.call_later(_SECONDS, _begin_asked, session)
            return
        _begin(session, asked.popleft())
