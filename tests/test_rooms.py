"""Rooms of classes: what is kept, what phones are told, and what nobody is told."""

import asyncio
import json
import random
import sqlite3
import time
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from app.server.room import address, join
from app.server.room.asked import asked, own_step, step_of
from app.server.room.live import Live
from app.server.room.told import told
from app.session import state
from app.texts.lessons import LESSONS, PLANS
from engine.errors import InputError
from engine.lessons.class_answers import (
    class_answer,
    cut_shares,
    krippendorff_alpha,
    most_disputed,
    pairwise_agreement,
)
from engine.lessons.merge_vote import merge_vote
from engine.lessons.own_question import KINDS, OwnQuestion, read_own_question
from engine.lessons.questions import Choice, Cuts, Numbers, Option, cut_f1, cut_places
from engine.lessons.simulated import simulated_answer
from engine.store.sqlite import rooms as table
from engine.store.sqlite.database import FILE
from engine.store.sqlite.sqlite_store import SqliteStore
from engine.store.store import ClosedError, Room, RoomLimitError, UnknownIdError
from tests.pages import open_page

_ME, _PHONE = "lecturer", "a" * 24


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path)


def _asking(store: SqliteStore, step: str = "tokens.ko", **state: object) -> Room:
    room = store.rooms.open(_ME, "ko", {})
    return store.rooms.change(room._replace(step=step, is_open=True, state={"done": [], **state}), _ME)


# ---- the store


def test_an_answer_counts_once_and_is_told_again(store: SqliteStore) -> None:
    room = _asking(store)
    assert store.rooms.answer(room.id, "tokens.ko", "p", "1.3") == "1.3"
    assert store.rooms.answer(room.id, "tokens.ko", "p", "2") == "1.3"
    assert store.rooms.own_answer(room.id, "tokens.ko", "p") == "1.3"
    assert [(one.student, one.content) for one in store.rooms.answers(room.id)] == [(1, "1.3")]
    assert SqliteStore(store.folder).rooms.n_answers(room.id, "tokens.ko") == 1


@pytest.mark.parametrize("change", [{"step": "bpe.ko"}, {"is_open": False}, {"ends": 1}])
def test_what_is_over_takes_no_answer(store: SqliteStore, change: dict[str, object]) -> None:
    room = _asking(store)
    store.rooms.answer(room.id, "tokens.ko", "early", "1")
    store.rooms.change(room._replace(**change), _ME)
    with pytest.raises(ClosedError):
        store.rooms.answer(room.id, "tokens.ko", "late", "1")
    # Whoever answered in time is told so.
    assert store.rooms.answer(room.id, "tokens.ko", "early", "1") == "1"


def test_only_the_lecturer_steers(store: SqliteStore) -> None:
    room = _asking(store)
    for act in (
        lambda: store.rooms.change(room, "student"),
        lambda: store.rooms.hide(room.id, "student", 1),
        lambda: store.rooms.keep(room.id, "student"),
        lambda: store.rooms.delete(room.id, "student"),
    ):
        with pytest.raises(UnknownIdError):
            act()
    assert store.rooms.find(room.id) == room
    assert not store.rooms.owns(room.id, "student")


def test_a_room_ends_after_a_day_unless_it_is_kept(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten, kept = _asking(store), _asking(store)
    store.rooms.answer(forgotten.id, "tokens.ko", "p", "1")
    store.rooms.keep(kept.id, _ME)
    tomorrow = time.time() + table.ROOM_SECONDS + 1
    monkeypatch.setattr(table.time, "time", lambda: tomorrow)
    with pytest.raises(UnknownIdError):
        store.rooms.find(forgotten.id)
    assert [room.id for room in store.rooms.owned(_ME)] == [kept.id]
    store.rooms.open("somebody", "ko", {})
    with sqlite3.connect(store.folder / FILE) as db:
        assert db.execute("SELECT count(*) FROM answer").fetchone() == (0,)


def test_of_a_student_nothing_is_kept_that_leads_elsewhere(store: SqliteStore) -> None:
    first, second = _asking(store), _asking(store)
    for room in (first, second):
        store.rooms.answer(room.id, "tokens.ko", "the secret of a phone", "1")
    with sqlite3.connect(store.folder / FILE) as db:
        names = [name for (name,) in db.execute("SELECT student FROM answer")]
    assert len(set(names)) == 2
    assert not any("phone" in name for name in names)


def test_limits(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(table.MAX_OWNED):
        room = _asking(store)
    with pytest.raises(RoomLimitError, match="end one"):
        store.rooms.open(_ME, "ko", {})
    monkeypatch.setattr(table, "MAX_STUDENTS", 2)
    for student in ("a", "b"):
        store.rooms.answer(room.id, "tokens.ko", student, "1")
    with pytest.raises(RoomLimitError, match="full"):
        store.rooms.answer(room.id, "tokens.ko", "c", "1")
    monkeypatch.setattr(table, "MAX_ROOMS", 1)
    with pytest.raises(RoomLimitError, match="server"):
        store.rooms.open("another", "ko", {})
    store.rooms.delete(room.id, _ME)
    with pytest.raises(UnknownIdError):
        store.rooms.answers(room.id) or store.rooms.find(room.id)


# ---- answers taken together


def _slow_alpha(answers: list[tuple[int, ...]], places: tuple[int, ...]) -> float | None:
    """By the definition: disagreement within units over disagreement of all values, each pair counted both ways."""
    units = [[place in answer for answer in answers] for place in places]
    values = [value for unit in units for value in unit]
    observed = sum(2 * sum(a != b for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in units) / len(values)
    pairs = 2 * sum(a != b for a, b in combinations(values, 2))
    expected = pairs / (len(values) * (len(values) - 1))
    return 1 - observed / expected if expected else None


@given(st.lists(st.sets(st.sampled_from([1, 2, 4, 5])), min_size=2, max_size=6))
def test_agreement_is_what_its_definition_says(sets: list[set[int]]) -> None:
    question = Cuts("가나다 라마바")
    answers = [tuple(sorted(one)) for one in sets if one <= set(cut_places(question.text))]
    if len(answers) < 2:
        return
    f1 = [cut_f1(a, b) for a, b in combinations(answers, 2)]
    assert pairwise_agreement(question, answers) == pytest.approx(sum(f1) / len(f1))
    slow = _slow_alpha(answers, cut_places(question.text))
    fast = krippendorff_alpha(question, answers)
    assert (slow is None) == (fast is None)
    assert slow is None or fast == pytest.approx(slow)


def test_the_class_as_one() -> None:
    cuts = Cuts("abcd")
    answers = [(1,), (1, 2), (2,), (1, 3)]
    assert cut_shares(cuts, answers) == {1: 0.75, 2: 0.5, 3: 0.25}
    assert class_answer(cuts, answers) == (1, 2)
    disputed = most_disputed(cut_shares(cuts, answers))
    assert disputed is not None
    assert disputed.place == 2
    choice = Choice((Option("a"), Option("b")))
    assert class_answer(choice, ["b", "a", "a"]) == "a"
    assert class_answer(choice, []) is None
    assert class_answer(Numbers(("x",), 0, 9, 1, ()), [(1.0,), (2.0,), (9.0,)]) == (2.0,)
    assert pairwise_agreement(choice, ["a", "a", "b"]) == pytest.approx(1 / 3)


_EVERY = [question for lesson in LESSONS.values() for question in (*lesson.questions.values(), *lesson.checks.values())]
_EVERY += [
    OwnQuestion(kind, "?", content).question
    for kind, content in zip(KINDS, ("a cat", "x\ny", "", "x\ny\nz", "", "low:5 lower:2"), strict=True)
]


def test_simulated_students_answer_everything_wholly() -> None:
    dice = random.Random(0)
    for question in _EVERY:
        for _ in range(5):
            answer = simulated_answer(question, "ko", dice)
            assert question.is_complete(answer)
            assert question.read(question.write(answer)) == answer


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("cuts", "a b"),
        ("cuts", "x" * 130),
        ("choice", "one"),
        ("order", "\n".join("abcdefghij")),
        ("merge", "a:3"),
        ("?", ""),
    ],
)
def test_an_own_question_says_what_is_wrong_with_it(kind: str, content: str) -> None:
    with pytest.raises(InputError):
        _ = OwnQuestion(kind, "", content).question
    assert read_own_question({"kind": kind, "prompt": "", "content": content}) is None


def test_a_vote_runs_the_real_algorithm() -> None:
    corpus = "low:5 lower:2 newest:6 widest:3"
    vote = merge_vote(corpus, ())
    assert [(row.pair, row.frequency) for row in vote.pairs[:2]] == [(("e", "s"), 9), (("s", "t"), 9)]
    assert vote.question.right == ("e\u00a0+\u00a0s", "s\u00a0+\u00a0t")
    assert vote.n_tokens == 5 * 3 + 2 * 5 + 6 * 6 + 3 * 6
    after = merge_vote(corpus, ("l\u00a0+\u00a0o",))
    assert after.n_tokens == vote.n_tokens - 7
    assert after.bpe_tokens == vote.n_tokens - 9
    assert ("lo", "w") in [row.pair for row in after.pairs]


# ---- what phones are told


@pytest.mark.parametrize("language", ["ko", "en"])
def test_before_the_reveal_a_phone_is_told_nothing_of_others(store: SqliteStore, language: str) -> None:
    for lesson in PLANS["90"]:
        for is_check in (False, True):
            room = _asking(store, step_of(lesson, language, is_check))._replace(language=language)
            found = asked(room)
            if found is None:
                assert is_check and not LESSONS[lesson].checks
                store.rooms.delete(room.id, _ME)
                continue
            assert "**" not in found.prompt and "](" not in found.prompt
            view = told(room, [])
            assert "result" not in view
            assert not {"right", "gold", "shares", "tally"} & set(view["question"])
            store.rooms.delete(room.id, _ME)


@pytest.fixture
def client(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    class Opened:
        rooms = store.rooms

    monkeypatch.setattr(join, "library", lambda: Opened)
    monkeypatch.setattr(join, "LIVE", Live())
    monkeypatch.setattr(join, "_WRONG_SECONDS", 0.0)
    join._line.cache_clear()
    join._views.clear()
    return TestClient(Starlette(routes=join.join_routes("")))


def _send(client: TestClient, room: Room, answer: str, step: str = "tokens.ko", student: str = _PHONE) -> object:
    return client.post(
        "/join/answer", content=json.dumps({"room": room.id, "student": student, "step": step, "answer": answer})
    )


def _state(client: TestClient, room: Room, student: str = _PHONE) -> dict[str, object]:
    return client.get(f"/join/state?room={room.id}&after=0", headers={"X-Student": student}).json()


def test_a_phone_answers_once_and_sees_the_class_when_it_is_shown(client: TestClient, store: SqliteStore) -> None:
    room = _asking(store)
    view = _state(client, room)
    assert view["mine"] is None and view["question"]["kind"] == "cuts"
    assert _send(client, room, "1").json() == {"kept": "1"}
    assert _send(client, room, "2").json() == {"kept": "1"}
    _send(client, room, "3", student="b" * 24)
    view = _state(client, room)
    assert view["mine"] == "1" and "result" not in view
    assert "3" not in json.dumps({name: view[name] for name in view if name not in ("version", "question", "prompt")})
    store.rooms.change(room._replace(is_open=False, state={"done": ["tokens.ko"], "revealed": True}), _ME)
    result = _state(client, room)["result"]
    assert result["n"] == 2
    assert dict(map(tuple, result["shares"]))[1] == 0.5
    assert _send(client, room, "1", student="c" * 24).status_code == 409


def test_what_students_wrote_reaches_no_phone(client: TestClient, store: SqliteStore) -> None:
    room = _asking(store, step_of("exit", "ko"))
    _send(client, room, "<img src=x onerror=alert(1)>", room.step)
    store.rooms.change(room._replace(is_open=False, state={"done": [room.step], "revealed": True}), _ME)
    view = _state(client, room, "b" * 24)
    assert view["result"] == {"n": 1}
    assert "img" not in json.dumps(view)


@pytest.mark.parametrize("answer", ["99", "1.x", "", "1" * 5000, "\ud800", "none.none"])
def test_what_is_no_answer_is_not_kept(client: TestClient, store: SqliteStore, answer: str) -> None:
    room = _asking(store)
    assert _send(client, room, answer).status_code in (400, 409, 413)
    assert store.rooms.answers(room.id) == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"room": 1}', b"\xff", b'{"room": "../../etc", "student": "x"}'])
def test_other_requests_are_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/join/answer", content=body).status_code in (400, 404)
    assert client.post("/join/find", content=body).status_code in (400, 404, 429)
    assert client.get("/join/state?room=x").status_code == 404
    assert client.get(f"/join/state?room={'x' * 16}").status_code == 400


def test_codes_cannot_be_guessed(client: TestClient, store: SqliteStore) -> None:
    room = _asking(store)
    code = f" {room.code.lower()[:2]} {room.code.lower()[2:]} "
    assert client.post("/join/find", json={"code": code}).json() == {"room": room.id}
    for _ in range(40):
        status = client.post("/join/find", json={"code": "IIII"}).status_code
    assert status == 429
    assert client.post("/join/find", json={"code": room.code}).status_code == 429
    assert _state(client, room)["code"] == room.code  # who is in stays in, and the QR code holds the id


def test_a_phone_hears_of_a_change_at_once() -> None:
    live = Live()
    room = Room("r" * 16, "ABCD", "ko", "", False, 0, {}, 2, 0)

    async def wait() -> float:
        began = time.monotonic()
        asyncio.get_running_loop().call_later(0.1, live.changed, room)
        await live.wait(room.id, "p", 1, 20)
        return time.monotonic() - began

    assert asyncio.run(wait()) < 10
    assert live.n_present(room.id) == 1


def test_the_page_of_a_phone_is_small_and_speaks_its_language(client: TestClient) -> None:
    korean = client.get("/join", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"})
    english = client.get("/join?lang=en", headers={"Accept-Language": "ko-KR"})
    assert "교실" in korean.text and "교실" not in english.text
    script = client.get("/join.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert len(korean.content) + len(script.content) < 60_000
    # Nothing of what others write is ever read as markup.
    assert "innerHTML" not in script.text and "insertAdjacentHTML" not in script.text


# ---- where phones reach the server


def test_the_address_is_one_that_phones_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "network_address", lambda: "203.0.113.7")
    set_ = {address.URL_VARIABLE: "https://tok.example.org/app/"}
    assert address.join_address("http://localhost:8501/lessons", set_) == ("https://tok.example.org/app", "set")
    assert address.join_address("https://class.example.org/lessons", {}) == ("https://class.example.org", "browser")
    assert address.join_address("http://localhost:8501/lessons", {}) == ("http://203.0.113.7:8501", "network")
    assert address.join_address("http://127.0.0.1:8501/", {}).found == "network"
    monkeypatch.setattr(address, "network_address", lambda: "")
    assert address.join_address("http://[::1]:8501/", {}).found == "none"


# ---- the lecturer's page


def _at(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    from app.server import library as kept

    monkeypatch.setattr(kept, "opened", lambda: kept.Opened(store))
    return open_page("lessons", {state.OWNER: "k" * 32}, lang="ko", plan="50")


def _press(app: AppTest, key: str) -> None:
    app.button(key=key).click()
    app.run()
    assert not app.exception


def _room_of(app: AppTest, store: SqliteStore) -> Room:
    return store.rooms.find(app.session_state["lessons.room"])


@pytest.mark.slow
def test_a_class_alone_with_simulated_students(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _at(store, monkeypatch)
    _press(app, "lessons.room.open")
    for lesson in PLANS["50"]:
        room = _room_of(app, store)
        assert (room.step, room.is_open) == (step_of(lesson, "ko"), True)
        _press(app, "lessons.room.simulate")
        assert store.rooms.n_answers(room.id, room.step) == 20
        if lesson == "exit":
            _press(app, "lessons.room.reveal")
            break
        assert not _room_of(app, store).state["revealed"]
        _press(app, "lessons.reveal")
        room = _room_of(app, store)
        assert room.state["revealed"] and not room.is_open
        _press(app, "lessons.understand")
        assert _room_of(app, store).step == step_of(lesson, "ko", True)
        _press(app, "lessons.room.simulate")
        _press(app, "lessons.room.reveal")
        _press(app, "lessons.next")
    room = _room_of(app, store)
    first = next(button for button in app.button if button.key and button.key.startswith("lessons.room.hide."))
    first.click()
    app.run()
    assert sum(answer.is_hidden for answer in store.rooms.answers(room.id)) == 1
    _press(app, "lessons.room.end")
    with pytest.raises(UnknownIdError):
        store.rooms.find(room.id)


def test_the_lecturer_asks_and_the_class_merges(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _at(store, monkeypatch)
    _press(app, "lessons.room.open")
    app.selectbox(key="lessons.room.own.kind").select("merge").run()
    app.text_area(key="lessons.room.own.content").input("low:5 lower:2 newest:6").run()
    _press(app, "lessons.room.own.ask")
    room = _room_of(app, store)
    assert room.step == own_step(1)
    store.rooms.answer(room.id, room.step, "p", "l\u00a0+\u00a0o")
    _press(app, "lessons.room.reveal")
    _press(app, "lessons.room.vote")
    room = _room_of(app, store)
    assert room.step == own_step(2) and room.is_open
    found = asked(room)
    assert found is not None
    assert "lo w ×5" in found.given
    _press(app, "lessons.room.back")
    assert _room_of(app, store).step == step_of("tokens", "ko")


def test_somebody_elses_room_is_not_steered(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    room = _asking(store)
    app = _at(store, monkeypatch)
    app.query_params["room"] = room.id
    app.session_state["lessons.room"] = room.id
    app.run()
    assert not app.exception
    assert room.code in app.info[0].value
    assert store.rooms.find(room.id) == room
