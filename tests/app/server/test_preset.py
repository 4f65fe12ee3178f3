"""A preset sets what a public demonstration needs, and nothing that the operator has set."""

import logging

import pytest

from app.__main__ import server_arguments
from app.server.limits import PRESETS, Limits, limits_from, with_preset
from app.server.store.opening import library_place

_DEMO = {"THUNDER_TOK_PRESET": " demo "}


def test_a_demonstration_has_tighter_limits_and_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = with_preset(_DEMO)
    limits, usual = limits_from(environment), Limits()
    for name in ("upload_mb", "corpus_mb", "vocab", "jobs", "jobs_per_visitor", "queued", "job_seconds"):
        assert getattr(limits, name) < getattr(usual, name), name
    assert library_place(environment) is None
    assert server_arguments(environment)[-1] == "--server.maxUploadSize=5"
    from engine.public.hub import is_hub_open

    monkeypatch.setenv("THUNDER_TOK_HUB", environment["THUNDER_TOK_HUB"])
    assert not is_hub_open()
    for word, is_open in (("", True), ("on", True), ("No", False), (" 0 ", False), ("false", False)):
        monkeypatch.setenv("THUNDER_TOK_HUB", word)
        assert is_hub_open() is is_open


def test_what_the_operator_sets_is_kept() -> None:
    environment = with_preset({**_DEMO, "THUNDER_TOK_MAX_VOCAB": "9000", "THUNDER_TOK_LIBRARY": "/data"})
    assert limits_from(environment).vocab == 9000 and str(library_place(environment)) == "/data"
    assert with_preset({"PATH": "/bin"}) == {"PATH": "/bin"}


def test_an_unknown_preset_is_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert with_preset({"THUNDER_TOK_PRESET": "class"}) == {"THUNDER_TOK_PRESET": "class"}
    assert all(word in caplog.text for word in ("THUNDER_TOK_PRESET", "class", *PRESETS))
