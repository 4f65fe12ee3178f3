"""A server in this process, and a browser that is connected to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from starlette.testclient import TestClient, WebSocketTestSession
from streamlit.runtime import Runtime
from streamlit.testing.v1.util import patch_config_options

from tests.app.server.patches.asking import sessions, wait_for_rest


@pytest.fixture
def browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[WebSocketTestSession]:
    """A connection to a server in this process, which runs the script that a test names."""
    monkeypatch.setattr(Runtime, "_instance", None)
    (tmp_path / "page.py").write_text(request.param)
    with (
        patch_config_options({"runner.fastReruns": False, "browser.gatherUsageStats": False}),  # as app/.streamlit says
        TestClient(st.App(str(tmp_path / "page.py"))) as client,
        client.websocket_connect("/_stcore/stream", subprotocols=["streamlit"]) as socket,
    ):
        yield socket
        connected = sessions()
        for session in connected:
            client.portal.call(Runtime.instance().close_session, session.id)
        wait_for_rest(connected)  # closes the sessions' own event loops
