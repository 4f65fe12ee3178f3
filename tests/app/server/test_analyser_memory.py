"""A loaded analyser in the memory budget: counted, dropped for others, loaded again when it is asked for."""

import pytest

from app.server import background, remember
from app.server.memory import Budget, Entry
from app.server.remember import forget
from engine.corpus.morphemes import analysers


def test_it_is_dropped_where_others_need_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = [True]
    program = analysers.ANALYSERS["mecab"]._replace(
        size=500, is_loaded=lambda: loaded[0], unload=lambda: loaded.__setitem__(0, False)
    )
    monkeypatch.setitem(analysers.ANALYSERS, "test", program)
    budget = Budget(1000)
    monkeypatch.setattr(remember, "memory", lambda: budget)
    name = remember.loading_name("test")
    first = background.in_background(name, None, lambda: 1)
    remember.note_use("test")
    budget.use({"model": Entry(400, lambda: None)})
    assert loaded == [True]
    budget.use({"text": Entry(300, lambda: None)})
    assert loaded == [False]
    assert background.in_background(name, None, lambda: 2) is not first  # the next page waits for it again
    remember.note_use("test")  # not loaded: nothing to count
    budget.use({"other": Entry(300, lambda: None)})
    forget(name)
