"""What a run draws reaches the browser in few deliveries, a short run in one.

Streamlit hands every element to the event loop by itself, which wakes it, and sends whatever is there every
millisecond. Waking it takes the server a sixth of a change of view. The browser draws its page again for each delivery:
that a run has begun, that the server is busy, the first elements, the last, the end. That was a quarter of what it had
to do for one key on Explore.

That a run of the whole page has begun is said at once. That the server was busy is not said if a run of fragments has
ended by then. Of a run that ends before it draws anything, as a callback asks for other fragments, nothing is said.

Upstream: https://github.com/streamlit/streamlit/pull/14985, which took the pause between deliveries from 10 ms to 1.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent

RELIES_ON = {
    "streamlit/runtime/app_session.py": (
        "_call_soon_on_event_loop",
        "_event_loop",
        "_handle_scriptrunner_event_on_event_loop",
        "on_event.connect(self._on_scriptrunner_event)",
        "def flush_browser_queue",
    ),
    "streamlit/runtime/runtime.py": (".flush_browser_queue()",),
}

_APART = 0.03  # seconds
_NEVER_ALONE = {ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, ScriptRunnerEvent.SCRIPT_STOPPED_FOR_RERUN}
_flush = AppSession.flush_browser_queue
# What the script of a session has done and its loop does not yet know.
_events: WeakKeyDictionary[AppSession, deque[Callable[[], None]]] = WeakKeyDictionary()


def deliver_together() -> None:
    """From now on, deliver what a run draws at its end, or 30 ms after the first of it."""
    AppSession._on_scriptrunner_event = _note  # type: ignore[assignment, method-assign]
    AppSession.flush_browser_queue = _flush_without_busy  # type: ignore[method-assign]


def _note(self: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, **facts: object) -> None:
    events = _events.setdefault(self, deque())
    handle: Callable[..., None] = self._handle_scriptrunner_event_on_event_loop
    events.append(partial(handle, sender, event, **facts))
    if event not in _NEVER_ALONE and not facts.get("fragment_ids_this_run"):
        self._call_soon_on_event_loop(partial(_handle_all, events))
    elif len(events) == 1:  # else the loop is about to look
        self._call_soon_on_event_loop(partial(_handle_later, self._event_loop, events))


def _handle_later(loop: AbstractEventLoop, events: deque[Callable[[], None]]) -> None:
    loop.call_later(_APART, _handle_all, events)


def _handle_all(events: deque[Callable[[], None]]) -> None:
    while events:
        events.popleft()()


def _flush_without_busy(self: AppSession) -> list[ForwardMsg]:
    messages = _without_cut_runs(_flush(self))
    busy = [message.session_status_changed for message in messages if message.HasField("session_status_changed")]
    begun = [message.metadata.run for message in messages if message.HasField("new_session")]
    if busy and busy[0].script_is_running and not busy[-1].script_is_running and all(run.fragment_ids for run in begun):
        return [message for message in messages if not message.HasField("session_status_changed")]
    return messages


def _without_cut_runs(messages: list[ForwardMsg]) -> list[ForwardMsg]:
    """Without runs of fragments that drew nothing before they ended for the run that follows."""
    others = [message for message in messages if not message.HasField("session_status_changed")]
    cut: set[int] = set()
    for begun, ended, following in zip(others, others[1:], others[2:], strict=False):
        is_cut = begun.metadata.run.fragment_ids and ended.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if begun.HasField("new_session") and is_cut and following.HasField("new_session"):
            cut |= {id(begun), id(ended)}
    return [message for message in messages if id(message) not in cut]
