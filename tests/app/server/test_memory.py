"""What the server keeps in memory is bounded, and nobody's text goes where a table would do."""

import pandas as pd
import pytest

from app.server import shared as shared_module
from app.server.memory import Budget, Entry
from app.server.shared import Shared, shared, size_of


def _use(budget: Budget, dropped: list[str], name: str, size: int, can_return: bool) -> None:
    budget.use({name: Entry(size, lambda: dropped.append(name), can_return)})


def test_what_can_be_made_again_goes_first_then_what_was_used_longest_ago() -> None:
    budget, dropped = Budget(10), list[str]()
    for name, can_return in (("text a", False), ("model a", True), ("text b", False), ("model b", True)):
        _use(budget, dropped, name, 2, can_return)
    _use(budget, dropped, "model a", 2, True)
    _use(budget, dropped, "large", 5, True)
    assert dropped == ["model b", "model a"]
    _use(budget, dropped, "larger", 8, True)
    assert dropped == ["model b", "model a", "large", "text a"]


def test_what_is_in_use_stays_and_what_has_gone_takes_nothing() -> None:
    budget, dropped = Budget(10), list[str]()
    _use(budget, dropped, "huge", 100, True)
    assert dropped == []
    budget.use({"gone": Entry(9, lambda: dropped.append("gone"), lives=lambda: False)})
    assert dropped == ["huge"]
    _use(budget, dropped, "next", 10, True)
    assert dropped == ["huge"]


_made: list[int] = []


@shared(100)
def _square(number: int, _model: object) -> list[int]:
    _made.append(number)
    return [number * number] * 1000


def test_shared_results_are_made_once_and_again_when_memory_was_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(_square, Shared)
    _square.clear()
    _made.clear()
    room = 2 * size_of([0] * 1000) + 100
    budget = Budget(room)
    monkeypatch.setattr(shared_module, "memory", lambda: budget)
    assert _square(3, object()) is _square(3, object())
    _square(4, object())
    _square(3, object())
    assert _made == [3, 4]
    _square(5, object())  # 4 goes: it was used longest ago
    _square(3, object())
    assert _made == [3, 4, 5]
    _square(4, object())
    assert _made == [3, 4, 5, 4]
    _square.clear()


def test_sizes_of_tables_and_of_what_holds_them() -> None:
    table = pd.DataFrame({"token": ["나무"] * 1000, "score": [0.5] * 1000})
    size = int(table.memory_usage(deep=True).sum())
    assert size <= size_of(table) <= size_of({"a": [table]}) <= size + 1000
    assert size_of([0] * 1000) >= 8000
