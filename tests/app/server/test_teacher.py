"""The teacher's door."""

import pytest

from app.server import teacher
from app.server.teacher import Door
from app.server.visitors import NOBODY, Visitor

PUPIL, OTHER = Visitor("10.0.0.1", "pupil"), Visitor("10.0.0.1", "other")


@pytest.fixture(autouse=True)
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long answers were kept back; nobody waits."""
    waited: list[float] = []
    monkeypatch.setattr(teacher.time, "sleep", waited.append)
    return waited


def test_only_the_password_opens() -> None:
    door = Door("비밀 password")
    assert door.exists and door.opens("비밀 password", NOBODY)
    for wrong in ("", "비밀", "비밀 password ", "\ud800"):
        assert not door.opens(wrong, NOBODY)


def test_without_a_password_nobody_enters() -> None:
    door = Door("")
    assert not door.exists and not door.opens("", NOBODY)


def test_whatever_a_pupil_tries_the_teacher_enters_at_once(delays: list[float]) -> None:
    door = Door("right")
    for number in range(500):
        assert not door.opens("wrong", Visitor("10.0.0.1", str(number)))
        assert not door.opens("wrong", PUPIL)
    delays.clear()
    assert door.opens("right", OTHER) and door.opens("right", PUPIL) and door.opens("right", NOBODY)
    assert delays == []


def test_failures_are_answered_later_each_time(delays: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(teacher.time, "monotonic", lambda: now)
    door = Door("right")
    for _ in range(7):
        door.opens("wrong", PUPIL)
        door.opens("right", PUPIL)
    assert delays == [0.5, 1, 2, 4, 8, 8, 8]
    assert not door.opens("wrong", OTHER) and delays[-1] == 0.5
    now += 59
    assert not door.opens("wrong", PUPIL) and delays[-1] == 8
    now += 60
    assert not door.opens("wrong", PUPIL) and delays[-1] == 0.5
