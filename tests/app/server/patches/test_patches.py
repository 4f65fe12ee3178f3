"""The folder of patches is what it says, and what no other test of a patch shows."""

import asyncio
import importlib
import re
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from app.server.patches.field_values import look_up_one_value
from app.server.patches.index_page import index_page
from app.server.patches.no_delay import send_at_once
from app.server.patches.session_loop import share_session_loop
from app.server.patches.upload_addresses import report_upload_addresses
from tests.running.canary import PACKAGES, missing_names, patch_names

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("name", patch_names())
def test_a_patch_says_where_upstream_discusses_it_and_what_it_relies_on(name: str) -> None:
    module = importlib.import_module(f"app.server.patches.{name}")
    assert re.search(r"\nUpstream: https://github\.com/\S+/(issues|pull)/\d+", str(module.__doc__))
    assert module.RELIES_ON and not list(missing_names(name))
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    assert any(f"app.server.patches.{name} import" in text for text in tests)


def test_a_name_that_is_gone_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.patches.session_loop.RELIES_ON", {"streamlit/runtime/app_session.py": ("_gone",)})
    assert list(missing_names("session_loop")) == ["streamlit/runtime/app_session.py: _gone"]


def test_nothing_else_of_the_app_reaches_into_streamlit() -> None:
    """No module outside the folder assigns to a library's class, or reads a private name of the session's runner."""
    private = re.compile(r"\b(AppSession|ScriptRunner|ScriptRequests)\b|^\s*\w+\.[a-z_]+ = .*method-assign", re.M)
    files = [path for path in (ROOT / "app").rglob("*.py") if path.parent.name != "patches"]
    assert len(files) > 300 and PACKAGES.is_dir()
    assert not [path for path in files if private.search(path.read_text(encoding="utf-8"))]


def test_sessions_share_one_loop_that_none_of_them_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[asyncio.AbstractEventLoop] = []

    def begin(session: SimpleNamespace) -> None:
        session._script_event_loop = asyncio.new_event_loop()
        begun.append(session._script_event_loop)

    monkeypatch.setattr(AppSession, "__init__", AppSession.__init__)  # restored afterwards
    monkeypatch.setattr("app.server.patches.session_loop._begin", begin)
    share_session_loop()
    sessions: list[Any] = [SimpleNamespace(), SimpleNamespace()]
    for session in sessions:
        AppSession.__init__(session)  # type: ignore[call-arg]
    assert len(begun) == 2 and all(loop.is_closed() for loop in begun)
    sessions[0]._script_event_loop.close()
    assert sessions[1]._script_event_loop is sessions[0]._script_event_loop
    assert not sessions[1]._script_event_loop.is_closed()


def _fields() -> None:
    import streamlit as st

    st.session_state.update({f"value {number}": number for number in range(200)})
    st.session_state["empty"] = None
    st.text_input("Empty", key="empty")
    st.text_input("Field", "usual", key="field")


def test_a_field_looks_up_no_value_but_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    look_up = Mock(side_effect=SessionState.__getitem__)
    monkeypatch.setattr(SafeSessionState, "filtered_state", SafeSessionState.filtered_state)  # restored afterwards
    look_up_one_value()
    monkeypatch.setattr(SessionState, "__getitem__", lambda state, key: look_up(state, key))
    app = AppTest.from_function(_fields).run()
    assert [field.value for field in app.text_input] == [None, "usual"]
    assert look_up.call_count < 100
    values = app.session_state._state.filtered_state
    assert values["value 7"] == 7 and len(values) == 202 and "value 200" not in values


def test_addresses_are_reported_to_whom_they_are_issued() -> None:
    manager, reported = MemoryUploadedFileManager("/there"), []
    report_upload_addresses(manager, lambda session, issued: reported.append((session, issued)))
    assert reported == [("mine", manager.get_upload_urls("mine", ["a.txt", "b.txt"]))]


def test_what_the_server_accepts_sends_at_once() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    address = listening.getsockname()
    with listening, socket.create_connection(address), listening.accept()[0] as accepted:
        assert not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        send_at_once()
        with socket.create_connection(address), listening.accept()[0] as after:
            assert after.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_no_rule_has_every_element_looked_at_after_a_change() -> None:
    # Below what a `:has` is about, an attribute that is on most elements has all of these styled anew.
    sheet = re.sub(r"/\*.*?\*/", "", index_page(), flags=re.DOTALL)
    below = re.findall(r":has\([^{]*?\)\s+(?=[\w.:\[])([^{]*)\{", sheet)
    assert len(below) > 5 and [selector for selector in below if "data-testid" in selector] == []
