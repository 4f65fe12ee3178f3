"""docs/thunder-tok.md, in every language: its numbers are those of its corpus, and the code it links to exists."""

import math
import re
from pathlib import Path

import pytest

from research.site.code_links import on_page_markdown
from research.site.worked import PAGES, filled, toy_corpus, worked_numbers
from tests.conftest import ROOT

_TEXTS = {path.name: path.read_text(encoding="utf-8") for path in PAGES}
_CORPUS = toy_corpus(_TEXTS["thunder-tok.md"])
_LINKS = r"\[`(\w+)`\]\((\.\./engine/[\w/]+\.py)\)"


@pytest.fixture(scope="module")
def numbers() -> dict[str, str]:
    return worked_numbers(_CORPUS)


@pytest.mark.parametrize("name", _TEXTS)
def test_the_page_has_the_numbers_of_its_corpus(name: str, numbers: dict[str, str]) -> None:
    page = _TEXTS[name]
    assert toy_corpus(page) == _CORPUS
    assert filled(page, numbers) == page, "run: python -m research.site.worked"
    assert set(re.findall(r"<!--(\w+)-->", page)) == set(numbers)
    assert not re.search(r"^<!--", page, re.MULTILINE), "a line that begins so is HTML to the end"


def test_the_numbers_are_those_of_the_formulas(numbers: dict[str, str]) -> None:
    """By hand: the tokens whose segmentations are certain, and the sums that the page prints."""
    with_number = [line for line in _CORPUS if "2" in line]
    assert len(_CORPUS) == 34 and len(with_number) == len(set(with_number)) == 5
    p, be = 5 / 34, math.log2(5)
    assert numbers["be_number"] == f"`2` | {p:.4f} | {be:.4f} | {p * be:.4f}"
    phrase = sum("학교에 갔다." in line and "오늘" not in line for line in _CORPUS)
    assert numbers["weight_phrase"] == f"{phrase} × 8 = {phrase * 8}"
    _, uses, first, expected, _ = numbers["em_phrase"].split(" | ")
    assert int(uses) == phrase and float(expected) < phrase
    assert float(first) == round(phrase * 8 / int(numbers["total"].replace(",", "")), 4)
    terms = [float(term) for term in numbers["terms"].replace("−", "-").split()]
    assert len(terms) == numbers["encoded"].count("`") // 2
    assert sum(terms) == pytest.approx(float(numbers["best"].replace("−", "-")), abs=0.002)
    seed, after, last = (int(size) - 256 for size in numbers["sizes"].split(" → "))
    assert (seed, after, last) == (int(numbers["seed"]), int(numbers["left"]), 19)
    assert seed - after == int(numbers["rare"]) > math.ceil(seed / 4)
    assert after - last == int(numbers["quarter"]) == math.ceil(after / 4) == numbers["removed"].count("`") // 2


def test_every_step_links_to_its_code() -> None:
    assert len({tuple(re.findall(_LINKS, page)) for page in _TEXTS.values()}) == 1
    for page in _TEXTS.values():
        steps = re.split(r"^## \d\. ", page, flags=re.MULTILINE)[1:]
        assert len(steps) == 6
        for step in steps:
            links = re.findall(_LINKS, step)
            assert links
            for function, path in links:
                assert f"\ndef {function}(" in Path(ROOT / "docs" / path).read_text(encoding="utf-8"), function


def test_the_site_shows_the_code_that_the_page_links_to() -> None:
    for page in _TEXTS.values():
        site = on_page_markdown(page)
        links = re.findall(_LINKS, page)
        assert not re.search(_LINKS, site) and site.count("show_source: true") == len(links)
        for function, path in links:
            module = path.removeprefix("../").removesuffix(".py").replace("/", ".")
            assert f"\n::: {module}.{function}\n" in site
