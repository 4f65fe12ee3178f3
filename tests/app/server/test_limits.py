"""Limits come from the environment, and every one has its sentence."""

from dataclasses import fields

import pytest

from app.server.limits import LimitError, Limits, limits_from, variable
from app.texts.catalogue import LANGUAGES, translate

NAMES = [limit.name for limit in fields(Limits)]


@pytest.mark.parametrize("name", NAMES)
def test_every_limit_can_be_set_and_is_explained(name: str) -> None:
    assert getattr(limits_from({variable(name): " 7 "}), name) == 7
    assert variable(name) in str(LimitError(name, 7))
    for language in LANGUAGES:
        assert "7" in translate(f"limits.{name}", language, value=7)


@pytest.mark.parametrize("text", ["", "0", "-1", "many", "1.5", "٣", "1000000000", "9" * 5000])
def test_what_is_no_number_is_ignored(text: str) -> None:
    assert limits_from({variable("vocab"): text}) == Limits()
