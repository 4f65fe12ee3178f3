"""What a lecturer does to a room, and takes back."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.classroom.page import room as steered
from app.classroom.store.records import Room
from app.classroom.store.rooms import rooms_of
from app.server import library as kept
from app.server.store.opening import SqliteStore
from app.server.store.store import UnknownIdError
from app.session import state
from app.texts.catalogue import translate
from tests.pages import open_page

_ME = "k" * 32


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    store = SqliteStore(tmp_path)
    monkeypatch.setattr(kept, "opened", lambda: kept.Opened(store))
    return store


def _press(app: AppTest, key: str) -> None:
    app.button(key=f"lessons.{key}").click()
    app.run()
    assert not app.exception


def _has(app: AppTest, key: str) -> bool:
    return any(button.key == f"lessons.{key}" for button in app.button)


@pytest.fixture
def app(store: SqliteStore) -> AppTest:
    app = open_page("lessons", {state.OWNER: _ME}, lang="ko", plan="50")
    _press(app, "room.open")
    return app


def _room(app: AppTest, store: SqliteStore) -> Room:
    return rooms_of(store).find(app.session_state["lessons.room"])


@pytest.mark.slow
def test_a_reveal_is_undone_within_ten_seconds(
    app: AppTest, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not _has(app, "room.undo")
    _press(app, "room.simulate")
    _press(app, "reveal")
    assert not _room(app, store).is_open
    _press(app, "room.undo")
    room = _room(app, store)
    assert room.is_open and room.state.done == () and room.state.stage == "predict"
    app.run()
    assert _has(app, "reveal") and not _has(app, "understand")  # the page has followed
    assert len(rooms_of(store).answers(room.id)) == 20
    _press(app, "reveal")
    monkeypatch.setattr(steered, "UNDO_SECONDS", -1)
    _press(app, "understand")
    assert not _has(app, "room.undo")


@pytest.mark.slow
def test_answers_are_cleared_and_asked_again_and_that_is_undone(app: AppTest, store: SqliteStore) -> None:
    _press(app, "room.simulate")
    _press(app, "reveal")
    _press(app, "room.ask_again")
    room = _room(app, store)
    assert room.is_open and rooms_of(store).answers(room.id) == [] and room.state.stage == "predict"
    assert _has(app, "reveal")
    _press(app, "room.undo")
    room = _room(app, store)
    assert not room.is_open and len(rooms_of(store).answers(room.id)) == 20 and room.state.stage == "reveal"


@pytest.mark.slow
def test_a_late_tick_of_a_toggle_changes_nothing(app: AppTest, store: SqliteStore) -> None:
    for name in ("paused", "roam", "attendance"):
        toggle = app.toggle(key=f"lessons.room.{name}")
        toggle.set_value(True).run()
        assert getattr(_room(app, store).state, name)
        app.toggle(key=f"lessons.room.{name}").set_value(True).run()
        assert getattr(_room(app, store).state, name)
    assert translate("room.is_paused", "ko") in " ".join(node.value for node in app.markdown)


@pytest.mark.slow
def test_a_room_that_was_ended_is_resumed(app: AppTest, store: SqliteStore) -> None:
    _press(app, "room.simulate")
    room = _room(app, store)
    _press(app, "room.end")
    _press(app, "room.end_sure")
    with pytest.raises(UnknownIdError):
        rooms_of(store).find(room.id)
    _press(app, "room.resume")
    assert _room(app, store).id == room.id and len(rooms_of(store).answers(room.id)) == 20
    assert not _has(app, "room.resume")


@pytest.mark.slow
def test_a_room_is_emptied_for_another_class(app: AppTest, store: SqliteStore) -> None:
    _press(app, "room.simulate")
    _press(app, "reveal")
    code = _room(app, store).code
    _press(app, "room.end")
    _press(app, "room.use_again")
    room = _room(app, store)
    assert room.code == code and rooms_of(store).answers(room.id) == []


@pytest.mark.slow
def test_the_notes_window_tells_what_is_not_projected(store: SqliteStore) -> None:
    link = {"lang": "ko", "plan": "50", "lesson": "bpe"}
    app = open_page("lessons", {state.OWNER: _ME}, **link)
    _press(app, "room.open")
    _press(app, "room.simulate")
    notes = open_page("lessons", {state.OWNER: _ME}, notes="true", room=app.session_state["lessons.room"], **link)
    following = translate("lessons.then", "ko", name="Unigram", minutes=9).partition("*")[0]
    for window, is_private in ((app, False), (notes, True)):
        assert any(node.value.startswith(following) for node in window.markdown) == is_private
        assert bool(window.get("plotly_chart")) == is_private  # the answers so far
