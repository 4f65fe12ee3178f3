"""What the server keeps in memory is bounded, and nobody's text goes where a table would do."""

import time
from concurrent.futures import Future, ThreadPoolExecutor

import pandas as pd
import pytest

from app.server import remember as remember_module
from app.server.memory import Budget, Entry
from app.server.remember import remember, size_of


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


def _square(number: int, made: list[int], is_shared: bool = True) -> list[int]:
    """A thousand times the square, of three numbers at most; `made` are those that it was worked out for."""

    def make() -> list[int]:
        time.sleep(0.02)
        made.append(number)
        return [number * number] * 1000

    return remember("test", number, make, 3, is_shared=is_shared)


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> Budget:
    """The memory has room for two of these results, and nothing was remembered yet."""
    budget = Budget(2 * size_of([0] * 1000) + 100)
    monkeypatch.setattr(remember_module, "memory", lambda: budget)
    monkeypatch.setattr(remember_module, "_places", {})
    monkeypatch.setattr(remember_module.st, "session_state", {})
    return budget


@pytest.mark.parametrize("is_shared", [True, False])
def test_results_are_made_once_and_again_when_memory_was_short(budget: Budget, is_shared: bool) -> None:
    made: list[int] = []
    assert _square(3, made, is_shared) is _square(3, made, is_shared)
    for number in (4, 3, 5, 3, 4):  # for 5, 4 goes: it was used longest ago
        _square(number, made, is_shared)
    assert made == [3, 4, 5, 4]
    _square(4, made, not is_shared)
    assert made == [3, 4, 5, 4, 4]


def test_threads_that_want_one_result_make_it_once_and_only_so_many_are_kept(budget: Budget) -> None:
    made: list[int] = []
    with ThreadPoolExecutor(4) as threads:
        assert len(set(map(id, threads.map(lambda _: _square(1, made), range(4))))) == len(made) == 1
    budget._max_bytes = 1 << 20
    for number in (2, 3, 4, 2, 1):
        _square(number, made)
    assert made == [1, 2, 3, 4, 1]


def test_work_in_progress_takes_memory_once_it_is_done(budget: Budget) -> None:
    future: Future[list[int]] = Future()
    remember("test", "future", lambda: future, is_shared=True)
    assert not budget._entries
    future.set_result([0])
    assert remember("test", "future", Future, is_shared=True) is future and budget._entries


def test_sizes_of_tables_and_of_what_holds_them() -> None:
    table = pd.DataFrame({"token": ["나무"] * 1000, "score": [0.5] * 1000})
    size = int(table.memory_usage(deep=True).sum())
    assert size <= size_of(table) <= size_of({"a": [table]}) <= size + 1000
    assert size_of([0] * 1000) >= 8000
