"""Every click takes effect and every run is shown in full, whatever the browser requests next.

Streamlit aborts a run at its next access to the session once the browser requests another. Callbacks of a click are
part of a run: they could be cut short or skipped for good, because the browser reports a click only once.

The event loop sends a run's output and its end. If another run begins before all is sent, Streamlit discards the rest:
the page stays half old, half new, until the next click. It counts on the new run to draw the same again, which need not
be: a callback may have it end at once for a run of other fragments.

What callbacks ask for ends the run that they are called in, also where requests were merged and the run was to draw
what somebody else asked for.

A request names the page that the browser shows, and the newest decides which page opens. Fields also ask by themselves:
a component answers, a timer fires, a click in the menu closes a popover. What they ask for right after that click would
undo it.

A fragment makes the containers around it the current ones, and its run ends without going back to the page's root. A
page that is asked for just as the fragment ends would be drawn once more inside them, by the same thread.

Streamlit keeps whatever value a browser names, for as long as the session: 20 MB for each message of 12 MB.

Upstream: https://github.com/streamlit/streamlit/issues/8365;
https://github.com/streamlit/streamlit/pull/16765 mends what callbacks ask for, not what a run still has to send, and
https://github.com/streamlit/streamlit/pull/8798 restores the root for what a run asks for itself.
"""

from collections import deque
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state.common import is_element_id

RELIES_ON = {
    "streamlit/delta_generator_singletons.py": ("context_dg_stack", "def get_default_dg_stack_value"),
    "streamlit/runtime/app_session.py": (
        "request_rerun",
        "_scriptrunner",
        "_event_loop",
        "session_state",
        "_clear_queue",
        "_browser_queue",
        "_pages_manager",
    ),
    "streamlit/runtime/forward_msg_queue.py": ("_delta_index_map",),
    "streamlit/runtime/scriptrunner/script_runner.py": (
        "_maybe_handle_execution_control_request",
        "_requests",
        "self._run_script(request.rerun_data)",
    ),
    "streamlit/runtime/scriptrunner_utils/script_requests.py": ("_state", "_rerun_data", "fragment_id_queue"),
    "streamlit/runtime/scriptrunner_utils/script_run_context.py": ("has_script_started",),
    "streamlit/runtime/state/common.py": ("is_element_id",),
    "streamlit/runtime/state/session_state.py": ("_new_widget_state", "widget_metadata"),
}

_SECONDS = 0.002
_MOVE_SECONDS = 1.0  # from a request for another page until the fields of the one before it are gone
_end_where_asked = ScriptRunner._maybe_handle_execution_control_request
_run = ScriptRunner._run_script
_begin = AppSession.request_rerun
# Requests of each session that are not yet started, oldest first.
_waiting: WeakKeyDictionary[AppSession, deque[ClientState | None]] = WeakKeyDictionary()
# The last request of each session for another page.
_moves: WeakKeyDictionary[AppSession, "_Move"] = WeakKeyDictionary()


def keep_runs_whole() -> None:
    """From now on, abort a run only after its callbacks, and start the next one only after its output is sent.

    Each starts at the page's root.
    """
    ScriptRunner._run_script = _run_from_root  # type: ignore[method-assign]
    ScriptRunner._maybe_handle_execution_control_request = _end_after_click  # type: ignore[method-assign]
    AppSession.request_rerun = _begin_after_last  # type: ignore[method-assign]
    AppSession._clear_queue = _keep_unsent  # type: ignore[method-assign]


def _run_from_root(self: ScriptRunner, rerun_data: RerunData) -> None:
    context_dg_stack.set(get_default_dg_stack_value())
    _run(self, rerun_data)


def _end_after_click(self: ScriptRunner) -> None:
    if self._requests._state is ScriptRequestType.CONTINUE:  # nothing was asked for: so at hundreds of steps of a run
        return
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and not context.has_script_started:
        return
    try:
        _end_where_asked(self)
    except RerunException as end:
        asked = end.rerun_data.fragment_id_queue
        merged = (context and context.fragment_ids_this_run) or []
        if asked and len(merged) > 1:
            asked.extend(part for part in merged if part not in asked)
        raise


def _keep_unsent(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    # What the next run draws must not take the place of what the last one drew: it is sent after the note of its start.
    self._browser_queue._delta_index_map = {}


def _begin_after_last(self: AppSession, client_state: ClientState | None) -> None:
    if client_state is not None:
        _keep_drawn(self, client_state)
    _waiting.setdefault(self, deque()).append(client_state)
    _begin_asked(self)


def _keep_drawn(session: AppSession, request: ClientState) -> None:
    """Drop values of fields that no run has drawn; before the first run, those that are no field's."""
    drawn = session.session_state._new_widget_state.widget_metadata
    values = list(request.widget_states.widgets)
    del request.widget_states.widgets[:]
    request.widget_states.widgets.extend(
        value for value in values if (value.id in drawn if drawn else is_element_id(value.id))
    )


def _begin_asked(session: AppSession) -> None:
    while asked := _waiting[session]:
        last = session._scriptrunner
        if last is not None and last._requests._state is ScriptRequestType.STOP:  # the loop then forgets it
            session._event_loop.call_later(_SECONDS, _begin_asked, session)
            return
        request = asked.popleft()
        if request is not None:
            _open_the_page_asked_for(session, request)
        _begin(session, request)


class _Move(NamedTuple):
    """A request for another page than the one that is shown."""

    left: str  # hash of the page that is shown
    request: ClientState
    ends: float  # by then the browser knows of the page asked for, if its run has begun


def _open_the_page_asked_for(session: AppSession, request: ClientState) -> None:
    """Let a request for the page that the visitor has just left open the page that they went to, unless it is Back."""
    move, page = _moves.get(session), request.page_script_hash
    if (
        move
        and page == move.left
        and not request.is_history_navigation
        and (_waits(session) or monotonic() < move.ends)
    ):
        request.page_script_hash, request.page_name = move.request.page_script_hash, move.request.page_name
        request.query_string = move.request.query_string
    elif page and page != session._pages_manager.current_page_script_hash:
        _moves[session] = _Move(session._pages_manager.current_page_script_hash, request, monotonic() + _MOVE_SECONDS)


def _waits(session: AppSession) -> bool:
    """Whether the run of a whole page waits."""
    requests = session._scriptrunner._requests if session._scriptrunner else None
    return (
        requests is not None
        and requests._state is ScriptRequestType.RERUN
        and not requests._rerun_data.fragment_id_queue
    )
