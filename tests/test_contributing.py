"""What CONTRIBUTING.md and the README name is there."""

import re

import pytest

from app.classroom.lessons import LESSONS
from app.main import _MENU
from app.texts.catalogue import LANGUAGES, translate
from engine.evidence.claims import SOURCES
from tests.conftest import ROOT
from tests.menu import LINKS, PAGES, VIEWS

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
        ("app/views/compare/ablation.py", "SCORES"),
        ("tests/naive.py", "def scores_of"),
        ("engine/config.py", "def defaults_of"),
        ("app/texts/catalogue.py", "LANGUAGES"),
        ("app/session/url.py", "class UrlValue"),
    ):
        assert name in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {name}"


def _row(cell: str) -> list[str]:
    """The names in a cell of the table of pages: what is in brackets is about them."""
    while (plain := re.sub(r" ?\([^()]*\)", "", cell)) != cell:
        cell = plain
    return [name for name in cell.strip().split("; ") if name]


def test_the_tour_has_the_pages_of_the_menu_in_its_order() -> None:
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \|$", text.partition("## Every page")[2].partition("\n## ")[0], re.MULTILINE
    )
    named = {section: _row(cell) for section, cell in rows if section != "entry"}
    menu = {
        translate(f"frame.entry.{entry}", "en"): [
            translate(f"frame.view.{page}_{view}" if view else f"frame.page.{page}", "en") for page, view in views
        ]
        if len(views) > 1
        else []
        for entry, (_, views) in _MENU.items()
    }
    assert named == menu and list(named) == list(menu)


def test_the_numbers_of_the_readme_are_true() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    sources = [source for source in SOURCES if source != "beyond"]  # our own claims
    for page in (text, tour):
        assert f"{words[len(LESSONS)]} lessons" in page and f"of {words[len(sources)]} sources" in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_is_called_what_its_link_is(lang: str) -> None:
    entries = {page: f"frame.entry.{entry}" for entry, (_, views) in _MENU.items() for page, _ in views[:1]}
    for page in PAGES:
        names = {translate(key, lang) for key in (f"frame.page.{page}", LINKS[page], entries.get(page)) if key}
        assert translate(f"{page}.title", lang) in names


def test_every_page_is_in_the_menu_and_every_view_in_the_catalogue() -> None:
    """So that what opens every page and every view (`tests/menu.py`) forgets none."""
    pages = {path.parent.name: path.read_text("utf-8") for path in (ROOT / "app" / "views").glob("*/page.py")}
    assert set(pages) == {*PAGES}
    tabs = {name for name, text in pages.items() if re.search(r"url_choice\(\s*\"tab\"", text)}
    views = {name for name, text in pages.items() if re.search(rf"heading\(\"{name}\", (?!sentence=)", text)}
    assert tabs == {name for name, (param, _) in VIEWS.items() if param == "tab"}
    assert views == {name for name, (param, _) in VIEWS.items() if param == "view"}
