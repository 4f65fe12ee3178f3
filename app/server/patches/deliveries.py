"""What a run draws reaches the browser in few deliveries, a short run in one.

Streamlit sends whatever is there every millisecond. The browser draws its page again for each of them: that a run has
begun, that the server is busy, the first elements, the last, the end. That was a quarter of what it had to do for one
key on Explore.

That a run of the whole page has begun is said at once. That the server was busy is not said if a run of fragments has
ended by then.

Upstream: https://github.com/streamlit/streamlit/pull/14985, which took the pause between deliveries from 10 ms to 1.
"""

from time import monotonic
from weakref import WeakKeyDictionary, WeakSet

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState

RELIES_ON = {
    "streamlit/runtime/app_session.py": (
        "_browser_queue",
        "_enqueue_forward_msg",
        "_event_loop",
        "_message_enqueued_callback",
        "_state",
        "def flush_browser_queue",
    ),
    "streamlit/runtime/runtime.py": (".flush_browser_queue()",),
}

_APART = 0.03  # seconds
_flush = AppSession.flush_browser_queue
# When fragments of a session began to run, or something was last delivered to it.
_last: WeakKeyDictionary[AppSession, float] = WeakKeyDictionary()
# Those that are to be looked at when their time has come.
_waiting: WeakSet[AppSession] = WeakSet()


def deliver_together() -> None:
    """From now on, deliver what a run draws at its end, or 30 ms after the last delivery or the start of a fragment."""
    AppSession._enqueue_forward_msg = _enqueue  # type: ignore[method-assign]
    AppSession.flush_browser_queue = _flush_when_due  # type: ignore[method-assign]


def _wait(session: AppSession) -> float:
    """Seconds until something is delivered."""
    is_running = session._state is AppSessionState.APP_IS_RUNNING
    return max(0.0, _last.get(session, 0.0) + _APART - monotonic()) if is_running else 0.0


def _enqueue(self: AppSession, msg: ForwardMsg) -> None:
    if msg.HasField("new_session"):
        _last[self] = monotonic() if msg.metadata.run.fragment_ids else 0.0
    self._browser_queue.enqueue(msg)
    if not (wait := _wait(self)):
        _wake(self)
    elif self not in _waiting:
        _waiting.add(self)
        self._event_loop.call_later(wait, _wake, self)


def _wake(session: AppSession) -> None:
    _waiting.discard(session)
    if session._message_enqueued_callback:
        session._message_enqueued_callback()


def _flush_when_due(self: AppSession) -> list[ForwardMsg]:
    if _wait(self):
        return []
    _last[self] = monotonic()
    messages = _flush(self)
    busy = [message.session_status_changed for message in messages if message.HasField("session_status_changed")]
    begun = [message.metadata.run for message in messages if message.HasField("new_session")]
    if busy and busy[0].script_is_running and not busy[-1].script_is_running and all(run.fragment_ids for run in begun):
        return [message for message in messages if not message.HasField("session_status_changed")]
    return messages
