"""One thread for what takes seconds: each key is worked out once, and what goes wrong is told to whoever asks."""

from itertools import count
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from app.server import background
from app.server.background import in_background
from app.server.work.kernels import KernelsNotReadyError
from engine.errors import InputError
from tests.pages import when_made

_KEYS = count()


@pytest.fixture(autouse=True)
def _kept_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these tests begin is not found by those of pages."""
    monkeypatch.setattr(background, "_results", background.FIFOCache(64))


def test_a_key_is_worked_out_once_and_the_page_does_not_wait() -> None:
    key, may_go, calls = ("test", next(_KEYS)), Event(), []

    def make() -> int:
        calls.append(1)
        assert may_go.wait(10)
        return 7

    first = in_background(key, make)
    assert not first.done() and in_background(key, make) is first and first in background.begun()
    may_go.set()
    assert first.result(10) == 7 and in_background(key, make).done() and len(calls) == 1


def test_what_goes_wrong_is_told() -> None:
    def fail() -> None:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        in_background(("test", next(_KEYS)), fail).result(10)


def test_what_goes_wrong_for_one_page_is_no_other_pages_business() -> None:
    failed = in_background(("test", next(_KEYS)), lambda: 1 // 0)
    assert failed in background.begun()
    assert when_made(AppTest.from_string("import streamlit as st; st.text('done')")).text[0].value == "done"


def test_only_so_many_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_results", background.FIFOCache(2))
    keys = [("test", next(_KEYS)) for _ in range(3)]
    for key in keys:
        in_background(key, lambda: 1).result(10)
    assert set(background._results) == set(keys[1:])


def test_what_lacked_a_kernel_is_tried_again() -> None:
    def fail() -> int:
        raise KernelsNotReadyError

    key = ("test", next(_KEYS))
    with pytest.raises(KernelsNotReadyError):
        in_background(key, fail).result(10)
    assert in_background(key, lambda: 7).result(10) == 7
