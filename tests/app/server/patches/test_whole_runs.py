"""Runs that are cut short, or overtaken: what the browser asked for is done and shown, whatever it asks for next."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import WebSocketTestSession
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner, ScriptRunnerEvent
from streamlit.testing.v1 import AppTest

from app.server.patches.whole_runs import keep_runs_whole
from tests.app.server.patches.asking import ask, drawn, drawn_next, field_and_fragment, sessions, wait_for_rest


@pytest.fixture(autouse=True)
def _kept_whole() -> None:
    keep_runs_whole()


def _clicked() -> None:
    import streamlit as st
    from streamlit.proto.WidgetStates_pb2 import WidgetStates
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    def work() -> None:
        get_script_run_ctx().script_requests.request_rerun(RerunData(widget_states=WidgetStates()))
        st.session_state["done"] = st.session_state.get("done", 0) + 1

    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    st.button("Work", key="work", on_click=work)


def test_what_a_click_calls_runs_to_its_end() -> None:
    app = AppTest.from_function(_clicked, default_timeout=60).run()
    assert "done" not in app.session_state
    app.button(key="work").click().run()
    assert not app.exception and app.session_state["done"] == 1


def _opened() -> None:
    import streamlit as st

    from app.session import state
    from app.session.url import UrlValue, some_of

    number = st.session_state.setdefault("number", 0)
    url = UrlValue(f"models{number}", f"shown{number}", some_of("abcdef"), ".".join, ["a", "b"])
    url.publish(url.adopt())
    st.session_state.setdefault(state.PENDING, {f"model{number}": "ko" for number in range(100)})
    state.carry_in_url(f"model{number}")
    assert (url.value, st.session_state[f"model{number}"]) == (list("abcdef"), "ko")
    st.session_state.number = number + 1
    if number < 99:
        st.rerun()


def test_nothing_is_lost_wherever_a_run_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other run is cut, each one look later; the one after it finds all there, and goes on to the next values."""
    look = ScriptRunner._maybe_handle_execution_control_request
    link = {f"models{number}": "a.b.c.d.e.f" for number in range(100)}
    runs: list[object] = []
    cuts, looks = 0, count()

    def cut_there(self: ScriptRunner) -> None:
        nonlocal cuts, looks
        run = getattr(get_script_run_ctx(suppress_warning=True), "parallel_coordinator", None)
        if run not in runs[-1:]:
            runs.append(run)
            looks = count()
        if len(runs) % 2 and next(looks) == cuts:
            cuts += 1
            self._requests.request_rerun(RerunData(urlencode(link)))
        look(self)

    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", cut_there)
    app = AppTest.from_function(_opened, default_timeout=60)
    app.query_params.update(link)
    app.run()
    assert not app.exception, app.exception
    assert app.session_state["number"] == 100 and cuts > 20


_PAGE = """
import streamlit as st

st.session_state.runs = st.session_state.get("runs", 0) + 1

@st.fragment
def part():
    st.text("part")

part()
st.text(f"run {st.session_state.runs}")
"""


# A menu; the first page, once it is drawn, is at work until the file is there.
_MENU = """
from pathlib import Path

import streamlit as st
from tests.conftest import wait_until

@st.fragment
def part():
    st.text("part")

def first():
    st.text("first")
    wait_until(lambda: Path(__file__).with_name("done").exists())

def second():
    st.text("second")

page = st.navigation([st.Page(first), st.Page(second)])
part()
page.run()
"""


# The second of two parts.
_SECOND = """
runs = st.session_state.setdefault("runs", [])

@st.fragment(key="second")
def second():
    runs.append("second")
    st.text(f"second {len(runs)}")

first()
second()
"""

# The field of the first part has the second drawn instead, once it is set; a run of the first takes its time.
_PARTS = """
from pathlib import Path

import streamlit as st
from tests.conftest import wait_until

def rest():
    st.rerun(["second"])

@st.fragment(key="first")
def first():
    runs.append("first")
    st.text(f"first {len(runs)}")
    st.text_input("Field", key="field", on_change=rest)
    if len(runs) > 2:
        wait_until(lambda: Path(__file__).with_name("done").exists())
"""

# Setting the first field has the second part drawn, and before that is done the other field is set, which has the first
# drawn.
_MERGED = """
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

def rest():
    context = get_script_run_ctx()
    part, = context.fragment_ids_this_run
    values = WidgetStates()
    values.widgets.add(id=st.session_state.pick_id, string_value="picked")
    context.script_requests.request_rerun(
        RerunData(fragment_id=part, widget_states=values, page_script_hash=context.page_script_hash)
    )
    st.rerun(["second"])

def pick():
    st.rerun(["first"])

@st.fragment(key="first")
def first():
    runs.append("first")
    st.text(f"first {len(runs)}")
    st.text_input("Field", key="field", on_change=rest)
    st.text_input("Pick", key="pick", on_change=pick)
    drawn = get_script_run_ctx().session_state._state._new_widget_state.widget_metadata
    st.session_state.pick_id, = (name for name in drawn if name.endswith("pick"))
"""


class _BusyLoop:
    """An event loop that does not come to what runs of the browser's session tell it until it is at rest again."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        (self._session,) = sessions()
        wait_for_rest([self._session])  # it is to come to all that the runs before told it
        self._soon, self._asked_for = AppSession._call_soon_on_event_loop, AppSession.request_rerun
        self.held: list[Callable[[], None]] = []
        self.asked: list[object] = []

        def hold(session: AppSession, callback: Callable[[], None]) -> None:
            if session is self._session:
                self.held.append(callback)
            else:  # of a test before this one
                self._soon(session, callback)

        def count(session: AppSession, state: object) -> None:
            self._asked_for(session, state)
            self.asked.extend([state] * (session is self._session))

        patch.setattr(AppSession, "_call_soon_on_event_loop", hold)
        patch.setattr(AppSession, "request_rerun", count)

    def is_idle(self) -> bool:
        """Whether all runs have ended."""
        last = self._session._scriptrunner  # None if a timer of the run before has told of this one's end, too
        return bool(self.held) and (last is None or not last._script_thread.is_alive())

    def rest(self) -> None:
        """All that it was told, at once: nothing of it is sent in between."""
        self._soon(self._session, lambda: [callback() for callback in self.held])


@pytest.mark.parametrize("browser", [_PAGE], ids=["one page"], indirect=True)
def test_what_is_not_sent_yet_is_sent_before_the_next_run(
    browser: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., None]
) -> None:
    ask(browser)
    texts, fragment = drawn(browser)
    assert texts == ["part", "run 1"]
    with monkeypatch.context() as patch:
        loop = _BusyLoop(patch)
        ask(browser)
        wait_until(loop.is_idle)
        ask(browser, fragment)
        wait_until(lambda: len(loop.asked) > 1)
    loop.rest()
    assert "run 2" in drawn(browser)[0]
    assert drawn(browser)[0] == ["part"]


@pytest.mark.parametrize("browser", [_PARTS + _SECOND], ids=["parts"], indirect=True)
def test_what_a_fragment_drew_is_sent_though_its_next_run_is_cut(
    browser: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., None], tmp_path: Path
) -> None:
    ask(browser)
    field, fragment = field_and_fragment(browser)
    with monkeypatch.context() as patch:
        loop = _BusyLoop(patch)
        ask(browser, fragment)
        wait_until(lambda: loop.held)
        ask(browser, fragment, **{field: "typed"})
        wait_until(lambda: len(loop.asked) > 1)
        (tmp_path / "done").touch()
        wait_until(loop.is_idle)
    loop.rest()
    assert [drawn_next(browser) for _ in range(2)] == [["first 3"], ["second 4"]]


@pytest.mark.parametrize("browser", [_MERGED + _SECOND], ids=["merged"], indirect=True)
def test_what_was_to_be_drawn_is_drawn_though_another_click_asks_for_something_else(
    browser: WebSocketTestSession,
) -> None:
    ask(browser)
    field, fragment = field_and_fragment(browser)
    ask(browser, fragment, **{field: "typed"})
    assert drawn_next(browser) == ["first 3", "second 4"]


def _first_page(browser: WebSocketTestSession) -> tuple[list[str], str]:
    """Hashes of the pages, and the id of a fragment, of a run that has drawn the first page and goes on."""
    fragment, pages, texts, forward = "", [], [], ForwardMsg()
    while "first" not in texts:
        forward.ParseFromString(browser.receive_bytes())
        fragment = forward.delta.fragment_id or fragment
        texts.append(forward.delta.new_element.text.body)
        pages += [page.page_script_hash for page in forward.navigation.app_pages]
    return pages, fragment


@pytest.mark.parametrize("of_fragment", [True, False], ids=["fragment", "field"])
@pytest.mark.parametrize("browser", [_MENU], ids=["menu"], indirect=True)
def test_a_click_in_the_menu_outlasts_what_the_page_before_it_asks_for(
    browser: WebSocketTestSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_fragment: bool
) -> None:
    monkeypatch.setattr("app.server.patches.whole_runs._MOVE_SECONDS", 300.0)
    ask(browser)
    (shown, wanted), fragment = _first_page(browser)
    ask(browser, page=wanted)
    ask(browser, fragment if of_fragment else "", page=shown)
    (tmp_path / "done").touch()
    drawn(browser)
    assert drawn(browser)[0] == ["part", "second"]
    if not of_fragment:  # the click was answered, but the browser may not know it yet
        ask(browser, page=shown)
        assert drawn(browser)[0] == ["part", "second"]


@pytest.mark.parametrize("browser", [_MENU], ids=["menu"], indirect=True)
def test_a_visitor_may_go_back_at_once(browser: WebSocketTestSession, tmp_path: Path) -> None:
    (tmp_path / "done").touch()
    ask(browser)
    (shown, wanted), _ = _first_page(browser)
    drawn(browser)
    ask(browser, page=wanted)
    assert drawn(browser)[0] == ["part", "second"]
    ask(browser, page=shown, goes_back=True)
    assert drawn(browser)[0] == ["part", "first"]


# What the session has after a field was drawn, its id first.
_FIELD = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

st.text_input("Field", key="field")
state = get_script_run_ctx().session_state._state
st.text(next(iter(state._new_widget_state.widget_metadata)))
st.text(st.session_state.field)
names = {*state._new_widget_state.states, *state._old_state, *state._new_session_state}
st.text(sorted(name for name in names if not name.startswith("$$STREAMLIT")))
"""


@pytest.mark.parametrize("browser", [_FIELD], ids=["field"], indirect=True)
def test_a_browser_sets_only_what_the_page_hasdrawn(browser: WebSocketTestSession) -> None:
    forged = {"teacher": "yes", "$$ID-none": "a", "$$ID-none-field": "b"}
    ask(browser)
    (field, _, keys), _ = drawn(browser)
    for values in ({field: "typed"} | forged, {}):
        ask(browser, **values)
        assert drawn(browser)[0] == [field, "typed", keys]


# A fragment inside a container; when a run of it alone ends, the whole page is asked for.
_INSIDE = """
import streamlit as st

@st.fragment
def part():
    st.text("part")

st.text("first")
with st.container():
    st.text("second")
    part()
st.text("last")
"""


@pytest.mark.parametrize("browser", [_INSIDE], ids=["inside"], indirect=True)
def test_a_page_asked_for_while_a_fragment_ends_is_drawn_where_it_was(
    browser: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(browser)
    places, fragment = _places(browser)
    finish = ScriptRunner._on_script_finished

    def ask_for_all(self: ScriptRunner, context: Any, event: ScriptRunnerEvent, *rest: Any) -> None:
        if event is ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS:
            assert self.request_rerun(RerunData(page_script_hash=context.page_script_hash))
        finish(self, context, event, *rest)

    monkeypatch.setattr(ScriptRunner, "_on_script_finished", ask_for_all)
    ask(browser, fragment)
    assert _places(browser)[0] == {"part": places["part"]}
    assert _places(browser)[0] == places


def _places(browser: WebSocketTestSession) -> tuple[dict[str, list[int]], str]:
    """Where a run draws its texts, and the id of its fragment."""
    places, fragment, forward = {}, "", ForwardMsg()
    while not forward.HasField("script_finished"):
        forward.ParseFromString(browser.receive_bytes())
        fragment = forward.delta.fragment_id or fragment
        if forward.delta.new_element.HasField("text"):
            places[forward.delta.new_element.text.body] = list(forward.metadata.delta_path)
    return places, fragment
