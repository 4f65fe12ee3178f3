"""What was read from a file is on a page under the file's name only: not once it is removed, or another is refused."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import go_to, open_page, settle

pytestmark = [pytest.mark.usefixtures("shared_registry"), pytest.mark.slow]

_SEEN = ("caption", "code", "dataframe", "info", "metric", "selectbox", "success", "table", "warning")
# By the key of the field: its page, a file or several that it takes, and one that it refuses.
_FIELDS: dict[str, tuple[str, dict[str, str], Any, Any]] = {
    "fertility.parallel": (
        "cost",
        {"more": "fairness", "measured": "languages", "sentences": "own", "public": "none", "shipped": "none"},
        [("나무.txt", "안녕\n고마워요\n".encode(), ""), ("xx.txt", b"hello\nthanks\n", "")],
        [("ko.txt", b"a\n", ""), ("yy.txt", b"a\nb\n", "")],
    ),
    "boundaries.file": (
        "boundaries",
        {"gold": "own", "model": "toy~vocab_size-300"},
        ("나무.txt", "나무 에 꽃\n새 가\n나무 가\n새 꽃\n".encode(), ""),
        ("b.txt", b"\x1f\x8b....", ""),
    ),
    "morphology.file": (
        "morphology",
        {"gold": "own", "shipped": "none", "public": "gpt2"},
        ("나무.txt", "나무에\t나무+에\n꽃이\t꽃+이\n".encode(), ""),
        ("b.tsv", "나는 집에".encode(), ""),
    ),
    "morpheme.dictionary": (
        "explore",
        {"text": "~나는 갓생을 산다", "morphemes": "true"},
        ("나무.txt", "갓생\tNNG\n".encode(), ""),
        ("b.txt", b"PK\x03\x04....", ""),
    ),
}


def _view(app: AppTest) -> list[str]:
    """Everything that may depend on a file."""
    assert not app.exception
    return [repr(getattr(one, "value", one)) for kind in _SEEN for one in app.get(kind)]


def _names(app: AppTest) -> bool:
    return any("나무" in caption.value.replace("\\", "") for caption in app.caption)


@pytest.mark.parametrize("key", _FIELDS)
def test_a_file_leaves_nothing_once_it_is_removed_or_another_is_refused(key: str) -> None:
    page, params, file, refused = _FIELDS[key]
    app = settle(open_page(page, lang="ko", **params))
    before = _view(app)
    app.file_uploader(key=key).set_value(file).run()
    assert _view(app) != before
    app.file_uploader(key=key).set_value([] if isinstance(file, list) else None).run()
    assert _view(app) == before
    app.file_uploader(key=key).set_value(file).run()
    app.file_uploader(key=key).set_value(refused).run()
    assert app.error and set(_view(app)) <= set(before)
    app.run()
    assert app.error, "the refused file is still in its field"


@pytest.mark.parametrize("key", _FIELDS)
def test_a_file_that_a_visit_elsewhere_took_out_of_its_field_is_named_and_can_be_removed(key: str) -> None:
    page, params, file, _ = _FIELDS[key]
    app = settle(open_page(page, lang="ko", **params))
    before = _view(app)
    app.file_uploader(key=key).set_value(file).run()
    app = go_to(go_to(app, "glossary"), page)
    assert not app.file_uploader(key=key).value and _names(app) and _view(app) != before
    app.button(key=f"{key}.remove").click().run()
    assert not _names(app) and _view(app) == before
