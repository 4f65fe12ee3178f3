"""What a run draws is delivered in one piece, unless it takes long."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from starlette.testclient import WebSocketTestSession
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from app.server.patches import deliveries
from app.server.patches.deliveries import deliver_together
from tests.app.server.patches.asking import ask, drawn, field_and_fragment, sessions, wait_for_rest

# A fragment that draws two texts, and is at work until the file is there.
_PAGE = """
from pathlib import Path

import streamlit as st
from tests.conftest import wait_until

@st.fragment
def part():
    st.text("first")
    wait_until(lambda: Path(__file__).with_name("done").exists())
    st.text("second")

part()
st.text("page")
"""


@pytest.fixture
def deliver(monkeypatch: pytest.MonkeyPatch) -> list[list[ForwardMsg]]:
    """What is delivered from now on."""
    delivered: list[list[ForwardMsg]] = []
    for name in ("_on_scriptrunner_event", "flush_browser_queue"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))  # restored afterwards
    deliver_together()
    flush = AppSession.flush_browser_queue

    def note(session: AppSession) -> list[ForwardMsg]:
        messages = flush(session)
        delivered.extend([messages] * bool(messages))
        return messages

    monkeypatch.setattr(AppSession, "flush_browser_queue", note)
    return delivered


def _kinds(messages: list[ForwardMsg]) -> list[str]:
    return [str(message.WhichOneof("type")) for message in messages]


@pytest.mark.parametrize("browser", [_PAGE], ids=["page"], indirect=True)
def test_a_short_run_is_delivered_in_one_piece(
    deliver: list[list[ForwardMsg]],
    browser: WebSocketTestSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: Callable[..., None],
) -> None:
    monkeypatch.setattr(deliveries, "_APART", 300.0)
    ask(browser)
    # Of a whole page the browser learns at once that the server is at work, and at the end that it no longer is.
    begun = [ForwardMsg.FromString(browser.receive_bytes()) for _ in range(2)]
    assert _kinds(begun) == ["new_session", "session_status_changed"]
    (tmp_path / "done").touch()
    texts, fragment = drawn(browser)
    assert texts == ["first", "second", "page"]
    wait_until(lambda: deliver and "script_finished" in _kinds(deliver[-1]))
    assert _kinds(deliver[-1])[-1] == "session_status_changed"
    del deliver[:]
    ask(browser, fragment)
    assert drawn(browser)[0] == ["first", "second"]
    (delivery,) = deliver
    assert {"new_session", "script_finished"} < set(_kinds(delivery))
    assert "session_status_changed" not in _kinds(delivery)


@pytest.mark.parametrize("browser", ["import streamlit as st\nfor n in range(100): st.text(n)"], indirect=True)
def test_the_event_loop_is_not_woken_for_every_element(
    deliver: list[list[ForwardMsg]], browser: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "_APART", 300.0)
    wake, n_calls = AppSession._call_soon_on_event_loop, count()

    def counted(session: AppSession, callback: Callable[[], None]) -> None:
        next(n_calls)
        wake(session, callback)

    monkeypatch.setattr(AppSession, "_call_soon_on_event_loop", counted)
    ask(browser)
    assert len(drawn(browser)[0]) == 100
    assert next(n_calls) < 10


@pytest.mark.parametrize("browser", [_PAGE], ids=["page"], indirect=True)
def test_what_a_long_run_has_drawn_is_delivered_before_it_ends(
    deliver: list[list[ForwardMsg]], browser: WebSocketTestSession, tmp_path: Path
) -> None:
    ask(browser)
    forward = ForwardMsg()
    while forward.delta.new_element.text.body != "first":
        forward.ParseFromString(browser.receive_bytes())
    (tmp_path / "done").touch()
    assert drawn(browser)[0] == ["second", "page"]
    assert len(deliver) > 1


# Setting the field has the other part drawn.
_REST = """
import streamlit as st

@st.fragment(key="field")
def field():
    st.text("field")
    st.text_input("Field", key="field", on_change=lambda: st.rerun(["other"]))

@st.fragment(key="other")
def other():
    st.text("other")

field()
other()
"""


@pytest.mark.parametrize("browser", [_REST], ids=["rest"], indirect=True)
def test_of_a_run_that_only_asks_for_another_nothing_is_said(
    deliver: list[list[ForwardMsg]], browser: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "_APART", 300.0)
    ask(browser)
    field, fragment = field_and_fragment(browser)
    wait_for_rest(sessions())
    del deliver[:]
    ask(browser, fragment, **{field: "typed"})
    assert drawn(browser)[0] == ["other"]
    (delivery,) = deliver
    assert _kinds(delivery) == ["new_session", "delta", "delta", "script_finished"]
