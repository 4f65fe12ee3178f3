"""The report of a class: for its lecturer alone, and right."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from app.classroom.own_question import OwnQuestion
from app.classroom.print import handout, report
from app.classroom.print.report import Item, binned, hardest, items_of
from app.classroom.questions.choice import Choice
from app.classroom.questions.question import Option
from app.classroom.room.posed_question import PosedQuestion, asked_at, own_step
from app.classroom.store.records import Room, RoomState
from app.classroom.store.rooms import rooms_of
from app.server.store.opening import SqliteStore

_ME = "lecturer"
_OWNS = (
    OwnQuestion("word", "왜? <b>", ""),
    OwnQuestion("cuts", "", "고구마는", right="고구마|는"),
    OwnQuestion("numbers", "", ""),
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    store = SqliteStore(tmp_path)
    monkeypatch.setattr(handout, "library", lambda: store)
    monkeypatch.setattr(report, "library", lambda: store)
    return store


def _class(store: SqliteStore, *, attendance: bool = False) -> Room:
    """Ten students: four of them predict right, and nine answer the check right."""
    room = rooms_of(store).open(_ME, "ko", RoomState(owns=_OWNS, attendance=attendance))
    asked = {
        "bpe.ko": ["달-리"] * 4 + ["마-시"] * 6,
        "bpe.ko.check": ["달리다"] * 9 + ["x"],
        own_step(1): ["<script>"] * 10,
        own_step(2): ["3"] * 7 + ["2"] * 3,
        own_step(3): [str(number) for number in range(10)],
    }
    for step, answers in asked.items():
        room = rooms_of(store).change(room._replace(step=step, is_open=True), _ME)
        for number, answer in enumerate(answers):
            rooms_of(store).answer(room.id, step, f"phone {number}", answer)
    return room


def test_a_share_has_wilsons_interval() -> None:
    # Four of ten; Brown, Cai and DasGupta, Statistical Science 16 (2001), give Wilson's formula.
    question = Choice((Option("a", "a"), Option("b", "b")), ("a",))
    item = Item("s", PosedQuestion(question, "", {}), ["a"] * 4 + ["b"] * 6, 4)
    assert item.interval() == pytest.approx((0.1682, 0.6873), abs=1e-4)
    assert item._replace(right=0).interval() == pytest.approx((0, 0.2775), abs=1e-4)
    assert item._replace(right=10).interval() == pytest.approx((0.7225, 1), abs=1e-4)


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=40), st.sampled_from([0.1, 1, 5]))
def test_numbers_fall_into_at_most_twelve_ranges(units: list[int], step: float) -> None:
    ranges = binned([unit * step for unit in units], step)
    assert len(ranges) <= 12 and sum(count for _, count in ranges) == len(units)
    for (first, last), count in ranges:
        assert count == sum(first - step / 2 < unit * step < last + step / 2 for unit in units)


def test_items_are_in_order_and_the_hardest_come_first(store: SqliteStore) -> None:
    room = _class(store)
    items = items_of(room, rooms_of(store).answers(room.id))
    assert [(item.step, item.right) for item in items] == [
        ("bpe.ko", 4),
        ("bpe.ko.check", 9),
        ("own.1", None),
        ("own.2", 7),
        ("own.3", None),
    ]
    assert [item.step for item in hardest(items)] == ["bpe.ko", "own.2", "bpe.ko.check"]


def test_answers_are_in_words(store: SqliteStore) -> None:
    room = _class(store)
    cuts, numbers = asked_at(room, own_step(2)), asked_at(room, own_step(3))
    assert cuts is not None and numbers is not None
    assert cuts.in_words((3,)) == "고구마|는" and numbers.in_words((7.0,)) == "7"
    english = asked_at(room, "words.en")
    assert english is not None and english.in_words((39.0,)) == "39%"
    order = asked_at(room, "pays.en.check")
    assert order is not None and order.in_words(("de", "ko")) == "German < Korean"


def test_the_lecturer_reads_the_report_and_nobody_else(store: SqliteStore) -> None:
    client = TestClient(Starlette(routes=[Route("/report", report.report)]))
    room = _class(store)
    address = f"/report?room={room.id}&lang=ko&key="
    whole = client.get(address + rooms_of(store).lecturer_key(room.id))
    assert whole.status_code == 200 and whole.headers["cache-control"] == "no-store"
    assert "10명이 질문 5개에 답 50개" in whole.text and "40%, 95% 구간 17–69%" in whole.text
    assert "고구마|는" in whole.text and "중앙값 4.5" in whole.text
    assert "&lt;script&gt;" in whole.text and whole.text.count("<script") == 1 and "<b>왜" not in whole.text
    for key in ("", "x", "\udcff"):
        assert client.get("/report", params={"room": room.id, "key": key.encode("utf-8", "replace")}).status_code == 404
    rooms_of(store).end(room.id, _ME)
    assert client.get(address + "x").status_code == 404


def test_codes_are_listed_only_if_wanted_and_belong_to_nobody(store: SqliteStore) -> None:
    without, room = _class(store), _class(store, attendance=True)
    codes = rooms_of(store).participants(room.id)
    assert len(set(codes)) == 10 and codes == sorted(codes)
    assert rooms_of(store).participation_code(room.id, "phone 3") in codes
    assert not set(codes) & set(rooms_of(store).participants(without.id))  # another room, another code
    page = report.report_page(room.id, "en")
    assert all(code in page for code in codes)
    assert not any(code in report.report_page(without.id, "en") for code in rooms_of(store).participants(without.id))


def test_a_room_without_answers_has_a_report(store: SqliteStore) -> None:
    room = rooms_of(store).open(_ME, "en", RoomState())
    assert "0 students sent 0 answers" in report.report_page(room.id, "en")
