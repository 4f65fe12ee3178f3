"""What a browser asks of the server, and what it is sent."""

from starlette.testclient import WebSocketTestSession
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession

from tests.conftest import wait_until


def ask(
    browser: WebSocketTestSession, fragment: str = "", page: str = "", goes_back: bool = False, **values: str
) -> None:
    message = BackMsg()
    message.rerun_script.fragment_id, message.rerun_script.page_script_hash = fragment, page
    message.rerun_script.is_history_navigation = goes_back
    for name, value in values.items():
        message.rerun_script.widget_states.widgets.add(id=name, string_value=value)
    browser.send_bytes(message.SerializeToString())


def drawn(browser: WebSocketTestSession) -> tuple[list[str], str]:
    """The texts of a run, and the id of its fragment."""
    texts, fragment, forward = [], "", ForwardMsg()
    while not forward.HasField("script_finished"):
        forward.ParseFromString(browser.receive_bytes())
        fragment = forward.delta.fragment_id or fragment
        texts += [forward.delta.new_element.text.body] * forward.delta.new_element.HasField("text")
    return texts, fragment


def drawn_next(browser: WebSocketTestSession) -> list[str]:
    """The texts of the next run that draws any: of one cut before that, the browser need not be told."""
    texts: list[str] = []
    while not texts:
        texts = drawn(browser)[0]
    return texts


def field_and_fragment(browser: WebSocketTestSession) -> tuple[str, str]:
    """Ids of the first field that a run draws, and of its fragment."""
    field, fragment, forward = "", "", ForwardMsg()
    while not forward.HasField("script_finished"):
        forward.ParseFromString(browser.receive_bytes())
        if not field:
            field, fragment = forward.delta.new_element.text_input.id, forward.delta.fragment_id
    return field, fragment


def sessions() -> list[AppSession]:
    """Those of all browsers that are connected."""
    return [active.session for active in Runtime.instance()._session_mgr.list_active_sessions()]


def wait_for_rest(of: list[AppSession]) -> None:
    """Until the scripts' threads have ended and the event loop knows it: the browser learns of the end before that."""
    wait_until(lambda: all(session._scriptrunner is None for session in of))
