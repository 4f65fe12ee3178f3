"""Tokenizers of the hub in the app: fetched by a worker, then a file that the visitor has brought, on every page."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.server.limits import Limits
from app.server.work.jobs import registry
from app.session import state
from tests.conftest import wait_until
from tests.hub_server import HubServer, endless, send
from tests.pages import go_to, open_page, refresh
from tests.test_hub import bpe

pytestmark = pytest.mark.usefixtures("registry", "prepared")


def _ask(app: AppTest, model: str) -> AppTest:
    app.text_input(key="hub.model").set_value(model)
    app.button(key="hub.load").click().run()
    assert not app.exception
    return app


def _problem(app: AppTest) -> str:
    assert "cannot be fetched" in app.error[0].value
    return app.text[-1].value


def test_a_tokenizer_of_the_hub_is_the_model_of_the_session(hub: HubServer) -> None:
    hub.files["owner/name"] = {"tokenizer.json": bpe()}
    app = refresh(_ask(open_page("train", lang="en"), "owner/name"))
    assert app.session_state[state.MODEL].startswith("file.")
    assert any("owner/name" in one.value.replace("\\", "") for one in app.success)
    # A second visitor waits for nobody, with no hub at all.
    hub.files.clear()
    other = _ask(open_page("train", lang="en"), "owner/name")
    assert other.session_state[state.MODEL] == app.session_state[state.MODEL]
    assert len(hub.asked) == 1


def test_it_can_be_stopped(hub: HubServer) -> None:
    hub.files["a/b"] = {"tokenizer.json": endless(b"x" * 30_000, 0.01)}
    app = _ask(open_page("train", lang="en"), "a/b")
    wait_until(lambda: registry().view(app.session_state["hub.job"]).result)
    app.run()
    assert "MB are here" in str(app.get("progress")[0].proto)
    app.button(key="hub.cancel").click().run()
    assert registry().is_idle
    app.run()
    assert not app.error and not app.exception and "hub.job" not in app.session_state


@pytest.mark.parametrize(("model", "said"), [
    ("a b", "is no id of a model"),
    ("a/large", "THUNDER_TOK_MAX_UPLOAD_MB"),
    ("a/wrong", "no tokenizer file that is known"),
    ("a/missing", "The hub has no model a/missing"),
])  # fmt: skip
def test_what_cannot_be_fetched(hub: HubServer, model: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(upload_mb=1))
    hub.files["a/large"] = {"tokenizer.json": send(b"x", 1_000_001)}
    hub.files["a/wrong"] = {"tokenizer.json": b"<html>"}
    app = refresh(_ask(open_page("train", lang="en"), model))
    assert said in _problem(app)
    assert said in _problem(app.run())  # until something else is asked for


def test_a_hub_that_is_switched_off_is_not_offered(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_TOK_HUB", "off")
    assert not [one for one in open_page("train", lang="en").text_input if one.key == "hub.model"]
