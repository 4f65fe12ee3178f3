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


def test_a_key_is_worked_out_once_and_the_page_does_not_wait() -> None:
    key, may_go, calls = next(_KEYS), Event(), []

    def make() -> int:
        calls.append(1)
        assert may_go.wait(10)
        return 7

    first = in_background("test", key, make)
    assert not first.done() and in_background("test", key, make) is first and first in background.begun()
    may_go.set()
    assert first.result(10) == 7 and in_background("test", key, make).done() and len(calls) == 1


def test_what_goes_wrong_is_told() -> None:
    def fail() -> None:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        in_background("test", next(_KEYS), fail).result(10)


def test_what_goes_wrong_for_one_page_is_no_other_pages_business() -> None:
    failed = in_background("test", next(_KEYS), lambda: 1 // 0)
    assert failed in background.begun()
    assert when_made(AppTest.from_string("import streamlit as st; st.text('done')")).text[0].value == "done"


def test_what_lacked_a_kernel_is_tried_again() -> None:
    def fail() -> int:
        raise KernelsNotReadyError

    key = next(_KEYS)
    with pytest.raises(KernelsNotReadyError):
        in_background("test", key, fail).result(10)
    assert in_background("test", key, lambda: 7).result(10) == 7
