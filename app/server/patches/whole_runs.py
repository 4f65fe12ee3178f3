"""Every click takes effect and every run is shown in full, whatever the browser requests next.

Streamlit aborts a run at its next access to the session once the browser requests another. Callbacks of a click are
part of a run: they could be cut short or skipped for good, because the browser reports a click only once.

The event loop sends a run's output and its end. If another run begins before all is sent, Streamlit discards the rest:
the page stays half old, half new, until the next click. It counts on the new run to draw the same again, which need not
be: a callback may have it end at once for a run of other fragments.

What callbacks ask for ends the run that they are called in, also where requests were merged and the run was to draw
what somebody else asked for.

Streamlit merges requests that wait, and the merged one opens the page of the newest. A fragment asks by itself (a
component answers, a timer fires) and names the page that the browser still shows, which would undo a click in the menu.

Streamlit keeps whatever value a browser names, for as long as the session: 20 MB for each message of 12 MB.

Upstream: https://github.com/streamlit/streamlit/issues/8365;
https://github.com/streamlit/streamlit/pull/16765 mends what callbacks ask for, not what a run still has to send.
"""

from collections import deque
from weakref import WeakKeyDictionary

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state.common import is_element_id

RELIES_ON = {
    "streamlit/runtime/app_session.py": (
        "request_rerun",
        "_scriptrunner",
        "_event_loop",
        "session_state",
        "_clear_queue",
        "_browser_queue",
    ),
    "streamlit/runtime/forward_msg_queue.py": ("_delta_index_map",),
    "streamlit/runtime/scriptrunner/script_runner.py": ("_maybe_handle_execution_control_request", "_requests"),
    "streamlit/runtime/scriptrunner_utils/script_requests.py": ("_state", "_rerun_data", "fragment_id_queue"),
    "streamlit/runtime/scriptrunner_utils/script_run_context.py": ("has_script_started",),
    "streamlit/runtime/state/common.py": ("is_element_id",),
    "streamlit/runtime/state/session_state.py": ("_new_widget_state", "widget_metadata"),
}

_SECONDS = 0.002
_end_where_asked = ScriptRunner._maybe_handle_execution_control_request
_begin = AppSession.request_rerun
# Requests of each session that are not yet started, oldest first.
_waiting: WeakKeyDictionary[AppSession, deque[ClientState | None]] = WeakKeyDictionary()


def keep_runs_whole() -> None:
    """From now on, abort a run only after its callbacks, and start the next one only after its output is sent."""
    ScriptRunner._maybe_handle_execution_control_request = _end_after_click  # type: ignore[method-assign]
    AppSession.request_rerun = _begin_after_last  # type: ignore[method-assign]
    AppSession._clear_queue = _keep_unsent  # type: ignore[method-assign]


def _end_after_click(self: ScriptRunner) -> None:
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
        if request is not None and request.fragment_id and last is not None:
            _open_the_page_asked_for(request, last._requests)
        _begin(session, request)


def _open_the_page_asked_for(request: ClientState, waiting: ScriptRequests) -> None:
    """Have a fragment's request open the page of the request that waits, if that is one for a whole page."""
    page = waiting._rerun_data
    if waiting._state is ScriptRequestType.RERUN and not page.fragment_id_queue:
        request.page_script_hash, request.page_name = page.page_script_hash, page.page_name
        request.query_string = page.query_string
