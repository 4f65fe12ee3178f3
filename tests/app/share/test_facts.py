"""What pages tell the Share menu: names of files, commands, and which file belongs to the picture."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from app import VERSION
from app.server.work.jobs import Registry
from app.share.facts import origin_name
from tests.pages import facts, open_page

_FILE = re.compile(rf"[\w.+-]+_v{re.escape(VERSION)}")


@pytest.fixture
def _no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.share.facts._noted", list)


@pytest.mark.usefixtures("_no_models")
def test_a_name_has_the_texts_and_the_version() -> None:
    assert origin_name((), ["0123456789ab", "", "0123456789ab"]) == f"01234567_v{VERSION}"
    assert origin_name((), ()) == f"v{VERSION}"
    many = origin_name((), [f"{number:08x}" for number in range(5)])
    assert many == f"00000000-00000001-00000002-and-2_v{VERSION}"


def test_a_name_has_the_models_of_the_page_and_stays_short(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = ["GPT-4", "Thunder-Tok 32k", "긴 이름 " * 40, "x"]
    monkeypatch.setattr("app.share.facts._noted", lambda: titles)
    name = origin_name((), ["01234567"])
    assert name.startswith("GPT-4-Thunder-Tok-32k-긴-이름-") and name.endswith(f"_01234567_v{VERSION}")
    assert len(f"{name}.svg".encode()) < 230


def test_a_page_says_the_names_of_its_files_and_which_button_makes_them(registry: Registry) -> None:
    app = open_page("cost", lang="en")
    first, *_ = facts(app)
    assert first["csv"] == "st-key-csv-cost" and first["of"].startswith("GPT-2-GPT-4-")
    assert all(_FILE.fullmatch(one["of"]) for one in facts(app))
    assert _buttons(app) == ["<button"]


def _buttons(app: AppTest) -> list[str]:
    bodies = (str(node.proto.body) for node in app.get("html"))
    return [body.split()[0] for body in bodies if body.startswith("<button")]
