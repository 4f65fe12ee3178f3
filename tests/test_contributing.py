"""What CONTRIBUTING.md and the README name is there."""

import re

import pytest

from tests.conftest import ROOT

# A path in backticks: it has a folder, and no placeholder.
_PATH = re.compile(r"`((?:app|assets|docs|engine|tests)/[\w./-]+)`")


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_every_file_that_is_named_exists(page: str) -> None:
    named = _PATH.findall((ROOT / page).read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_names_in_contributing_are_those_of_the_code() -> None:
    for path, name in (
        ("engine/pruning_scores.py", "PRUNING_SCORES"),
        ("app/views/compare/ablation_tables.py", "SCORES"),
        ("tests/naive.py", "def scores_of"),
        ("engine/config.py", "def defaults_of"),
        ("app/texts/catalogue.py", "LANGUAGES"),
        ("app/session/url.py", "class UrlValue"),
    ):
        assert name in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {name}"
