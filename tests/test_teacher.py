"""The teacher's door."""

import pytest

from app.server import teacher
from app.server.teacher import Door


def test_only_the_password_opens() -> None:
    door = Door("비밀 password")
    assert door.exists and door.opens("비밀 password")
    for wrong in ("", "비밀", "비밀 password ", "\ud800"):
        assert not door.opens(wrong)


def test_without_a_password_nobody_enters() -> None:
    door = Door("")
    assert not door.exists and not door.opens("")


def test_attempts_are_limited_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(teacher.time, "monotonic", lambda: now)
    door = Door("right", max_attempts=2, per_seconds=60)
    assert [door.opens(word) for word in ("right", "a", "right", "b", "right")] == [True, False, True, False, False]
    assert door.seconds_to_wait() == 60
    now = 161.0
    assert door.seconds_to_wait() == 0 and door.opens("right")
