"""The examples of docs/query.md find what the page says."""

import re

import pytest

from engine.corpus.morphemes.analysers import ANALYSERS
from engine.query.build import searched_text
from engine.query.parse import parse_query
from engine.query.text import SearchedText
from engine.shipped.catalogue import load_shipped
from tests.conftest import ROOT

_PAGE = (ROOT / "docs/query.md").read_text(encoding="utf-8")
_TABLE = _PAGE.split("## Twenty examples")[1]
_ROWS = re.findall(
    r"^\| `(.+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", _PAGE.split("## Twenty examples")[1], re.MULTILINE
)


@pytest.fixture(scope="module")
def text() -> SearchedText:
    if not ANALYSERS["mecab"].is_installed:
        pytest.skip("needs python-mecab-ko")
    lines = _PAGE.split("a test runs them):\n\n```\n")[1].split("\n```")[0].splitlines()
    return searched_text(load_shipped("thunder-tok-32k"), lines, ["morphemes", "words"], "mecab")


def test_there_are_twenty() -> None:
    assert len(_ROWS) == 20 == len({row[0] for row in _ROWS})
    assert all(re.search("[가-힣]", korean) for _, _, korean, _ in _ROWS)


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_an_example_finds_what_it_says(row: tuple[str, ...], text: SearchedText) -> None:
    found = text.find(parse_query(row[0].replace("\\|", "|")))
    places = zip(found.line.tolist(), found.begin.tolist(), found.end.tolist(), strict=True)
    assert ", ".join(text.lines[line].encode()[begin:end].decode().strip() for line, begin, end in places) == row[3]
