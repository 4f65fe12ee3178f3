"""Runs take turns: in order, handed on after an error too, and nobody waits for long work."""

import threading
from collections.abc import Callable

import pytest

from app.server.work.turns import Turns

_NEVER = 600.0


def _line(turns: Turns) -> int:
    return len(turns._line)


def test_one_at_a_time_in_the_order_in_which_they_came(wait_until: Callable[..., None]) -> None:
    turns, order, inside = Turns(_NEVER), [], []

    def run(name: int) -> None:
        with turns.turn():
            inside.append(name)
            order.append((name, len(inside)))
            inside.remove(name)

    runs = [threading.Thread(target=run, args=(name,)) for name in range(20)]
    with turns.turn():
        for number, one in enumerate(runs):
            one.start()
            wait_until(lambda number=number: _line(turns) == number + 2)
        assert order == []
    for one in runs:
        one.join()
    assert order == [(name, 1) for name in range(20)]
    assert _line(turns) == 0


def test_an_error_hands_the_turn_on() -> None:
    turns = Turns(_NEVER)
    with pytest.raises(ZeroDivisionError), turns.turn():
        raise ZeroDivisionError
    with turns.turn():
        assert _line(turns) == 1


def test_long_work_holds_nobody_up() -> None:
    turns, is_over = Turns(0.01), threading.Event()
    done = []

    def work() -> None:
        with turns.turn():
            is_over.wait()
            done.append("long")

    def run() -> None:
        with turns.turn():
            done.append("short")

    long = [threading.Thread(target=work) for _ in range(3)]
    for one in long:
        one.start()
    short = [threading.Thread(target=run) for _ in range(5)]
    for one in short:
        one.start()
    for one in short:
        one.join()
    assert done == ["short"] * 5
    is_over.set()
    for one in long:
        one.join()
    assert done[5:] == ["long"] * 3
    assert _line(turns) == 0
