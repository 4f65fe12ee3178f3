"""What a browser says that it kept."""

import pytest

from app.components.browser import read_progress


@pytest.mark.parametrize(
    "text", [None, 3, "", "null", "[1]", '{"a": 1}', '{"a": [1]}', "[" * 10_000, '{"a": "' + "x" * 20_000 + '"}']
)
def test_what_is_no_progress_is_none(text: object) -> None:
    assert read_progress(text) == {}


def test_only_texts_are_read() -> None:
    assert read_progress('{"en.bpe": {"guess": "e-s", "stage": 3}, "x": null}') == {"en.bpe": {"guess": "e-s"}}
