"""The plan of a class, edited on the page Class: saved, opened by a colleague as a copy, and read from a file."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.classroom import stored_plans
from app.classroom.lessons import PLANS
from app.classroom.page import plan_editor
from app.classroom.plan import MARK
from app.classroom.print.handout import handout_page
from app.classroom.stored_plans import find_plan
from app.server.store.opening import SqliteStore
from app.session import state
from tests.pages import open_page


@pytest.fixture(autouse=True)
def _library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path)
    monkeypatch.setattr(stored_plans, "library", lambda: store)
    monkeypatch.setattr(plan_editor, "library", lambda: store)


def _editor(**params: str) -> AppTest:
    app = open_page("lessons", {"lessons.edit.open": True}, lang="en", **params)
    assert app.text_input(key=_key(app, "title")).value
    return app


def _key(app: AppTest, name: str) -> str:
    number = app.session_state["lessons.edit.round"]
    return f"lessons.edit.{number}.{name}"


def _field(app: AppTest, name: str) -> str:
    return _key(app, f"{app.session_state['lessons.edit.at']}.{name}")


def _save(app: AppTest) -> str:
    """Save as a browser that has sent its secret does."""
    app.session_state[state.OWNER] = "lecturer-secret-0123456789"
    app.run()
    app.button(key="lessons.edit.save").click().run()
    assert not app.exception
    return str(app.session_state["lessons.plan"])


def test_a_plan_is_edited_saved_and_opened_as_a_copy() -> None:
    app = _editor(plan="20")
    app.button(key="lessons.edit.down").click().run()
    app.number_input(key=_field(app, "minutes")).set_value(9).run()
    app.text_area(key=_field(app, "notes")).set_value("ask *twice*").run()
    app.button(key="lessons.edit.add_own").click().run()
    app.selectbox(key=_field(app, "kind")).set_value("cuts").run()
    assert app.button(key="lessons.edit.save").disabled  # there is no sentence yet
    app.text_input(key=_field(app, "prompt")).set_value("Where would <b>you</b> cut?").run()
    app.text_area(key=_field(app, "content")).set_value("undo it").run()
    app.text_area(key=_field(app, "right")).set_value("un|do it").run()
    app.text_input(key=_key(app, "title")).set_value("My class").run()
    name = _save(app)
    plan = find_plan(name)
    assert plan.title == "My class" and plan.minutes == 26
    assert list(plan.by_name) == ["pays", "tokens", "exit", "own-1"]
    assert plan.by_name["tokens"].notes == "ask *twice*"
    assert f"plan={name}" in " ".join(one.value for one in app.markdown)
    assert "Where would &lt;b&gt;you&lt;/b&gt; cut?" in handout_page(name, "en", has_answers=True)

    own = open_page("lessons", lang="en", plan=name, lesson="own-1")
    assert any("undo" in one.value or "cut?" in one.value for one in own.header)
    colleague = _editor(plan=name, lesson="pays")
    assert colleague.text_input(key=_key(colleague, "title")).value == "My class"
    (removing,) = [one for one in colleague.button if "edit.remove" in str(one.key)]
    removing.click().run()
    assert removing.key not in [one.key for one in colleague.button]  # a second click finds no button
    colleague.session_state[state.OWNER] = "colleague-secret-012345678"
    colleague.run()
    colleague.button(key="lessons.edit.save").click().run()
    assert colleague.session_state["lessons.plan"] != name
    assert find_plan(name) == plan


def test_an_uploaded_plan_is_checked() -> None:
    app = _editor()
    file = PLANS["75"].to_json()
    app.file_uploader(key="lessons.edit.file").set_value(("plan.json", file.encode(), "application/json")).run()
    assert app.session_state["lessons.edit.draft"] == PLANS["75"]
    hostile = {**json.loads(file), "title": "a\u202eb"}
    for content in (b"\xff\xfe", b"{" * 9999, json.dumps(hostile).encode(), json.dumps({MARK: 9}).encode()):
        app.file_uploader(key="lessons.edit.file").set_value(("plan.json", content, "application/json")).run()
        assert not app.exception and app.session_state["lessons.edit.draft"] == PLANS["75"]
        assert app.toast[0].value


def test_a_link_to_no_plan_opens_the_usual_one() -> None:
    app = open_page("lessons", lang="en", plan="0" * 24)
    assert app.session_state["lessons.plan"] == "50"
    assert any("no longer on the server" in one.value for one in app.warning)
