"""A key of the session state is spelled out in one file; all others import its constant or call a function for it."""

import ast

import pytest

from tests.app.sources import parsed
from tests.session_keys import repeated_keys


def _repeated(sources: dict[str, str]) -> list[str]:
    return repeated_keys({name: ast.parse(source) for name, source in sources.items()})


def test_no_key_stands_in_two_files() -> None:
    assert repeated_keys(parsed("app")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('st.session_state["lattice.text"] = text', '_TEXT = "lattice.text"\nst.text_area(key=_TEXT)'),
        ('A, B = "lattice.text", 2\nst.session_state.get(A)', 'URL = UrlValue("text", "lattice.text", str, str, "")'),
        ('"lattice.text" in st.session_state', 'url_text("text", key, "")\nkey = "lattice.text"'),
        ('st.session_state.update({"lattice.text": 1})', 'st.slider("a", key="lattice.text")'),
        ('st.session_state["lattice.text"]', 'key = f"lattice.{name}"\nUrlValue(name, key, str, str, "")'),
        ('st.session_state[f"lattice.text.{k}"]', 'def _key(name):\n    return f"lattice.{name}"'),
    ],
)
def test_a_repeated_key_is_found(one: str, other: str) -> None:
    (found,) = _repeated({"a/one.py": one, "b/other.py": other})
    assert found.removeprefix("lattice.text").lstrip(".") == ": a/one.py, b/other.py"


@pytest.mark.parametrize(
    "other",
    [
        'st.text_area(key="lattice.other")',
        'label = t("lattice.text")',
        "from one import TEXT\nst.session_state[TEXT]",
        # Names of buttons, which nobody reads.
        'st.button(key=f"lattice.{name}")\nst.text_area(key="lattice.other")',
    ],
)
def test_what_is_no_repeated_key(other: str) -> None:
    one = 'TEXT = "lattice.text"\nst.session_state[TEXT] = ""\nst.text_area(key=TEXT)'
    assert _repeated({"a/one.py": one, "b/other.py": other}) == []


def test_files_of_one_page_may_share_its_name() -> None:
    one, other = 'st.session_state["train.seen"]', 'def _key(name):\n    return f"train.{name}"'
    assert _repeated({"views/train/one.py": one, "views/train/other.py": other}) == []
    assert _repeated({"parts/one.py": one, "parts/other.py": other})
