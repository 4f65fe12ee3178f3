"""The picture in the first page's HTML: what it shows, in which language, and at which addresses."""

import html
import json
import re
import xml.etree.ElementTree as ET

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app import ASSETS
from app.server.http.addresses import Missing, routes
from app.server.http.headers import Headers
from app.server.patches.index_page import index_page
from app.texts.catalogue import translate
from engine.public.load import is_available
from research.shipped.pictures import GREETING, greeting
from tests.menu import PAGES

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def client() -> TestClient:
    middleware = [Middleware(Headers), Middleware(Missing)]
    return TestClient(Starlette(routes=routes([*PAGES]), middleware=middleware), headers={"Accept-Language": "en-US"})


def _pictures(page: str) -> list[ET.Element]:
    return [ET.fromstring(svg) for svg in re.findall("<svg.*?</svg>", page, re.DOTALL)]


@pytest.mark.skipif(not is_available("cl100k_base"), reason="GPT-4's vocabulary is not installed")
def test_the_tokens_are_those_of_the_tokenizers() -> None:
    assert json.loads(GREETING.read_text(encoding="utf-8")) == greeting()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_greeting_is_counted_in_every_width(client: TestClient, language: str) -> None:
    page = client.get(f"/?lang={language}").text
    rows = json.loads(GREETING.read_text(encoding="utf-8"))
    pictures = _pictures(page)
    assert [int(picture.get("width", "")) for picture in pictures] == [358, 540, 940]
    for picture in pictures:
        texts = ["".join(text.itertext()) for text in picture.iter(f"{_SVG}text")]
        sizes = [float(text.get("font-size", "")) for text in picture.iter(f"{_SVG}text")]
        assert [text for text, size in zip(texts, sizes, strict=True) if size == max(sizes)] == [
            str(len(row["tokens"])) for row in rows
        ]
        for row in rows:
            assert row["text"] in texts
        assert picture.findtext(f"{_SVG}title") == translate("first.heading", language)
        assert "GPT-4" in picture.findtext(f"{_SVG}desc", "")
    assert {"Hello", "안녕하세요"} <= {"".join(text.itertext()) for text in pictures[-1].iter(f"{_SVG}text")}
    korean_only = translate("first.korean_only", language, name=translate("shipped.thunder-tok-32k", language))
    said = [translate(key, language) for key in ("first.about", "frame.title", "explore.title")]
    for text in (*said, korean_only):
        assert html.escape(text) in page
    assert len(page) < 60_000 and "\ufffd" not in page


def test_it_is_beside_the_element_of_streamlit_and_brings_no_script(client: TestClient) -> None:
    page = client.get("/").text
    assert re.search(r'<div id="root"></div>\s*<main id="first-picture"', page)
    assert re.findall("<script.*?</script>", page, re.DOTALL) == re.findall(
        "<script.*?</script>", index_page(), re.DOTALL
    )
    assert "<title>Thunder-Tok Explorer</title>" in page and not re.search(r"\son\w+=", page)
    assert page.count("<h1>") == 1


@pytest.mark.parametrize(
    ("address", "accepted", "language"),
    [
        ("/", "ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("/", "fr-FR, en;q=0.8", "en"),
        ("/", "", "en"),
        ("/?lang=ko", "en", "ko"),
        ("/?lang=en", "ko", "en"),
        ("/?lang=xx", "ko", "ko"),
        ("/?lang=", "ko", "ko"),
        ("/?lang=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "ko", "ko"),
        ("/?lang=..%2F..%2Fetc%00&lang=%FF", "en", "en"),
    ],
)
def test_it_speaks_the_language_that_is_asked_for(
    client: TestClient, address: str, accepted: str, language: str
) -> None:
    answer = client.get(address, headers={"Accept-Language": accepted})
    assert answer.status_code == 200 and answer.headers["Content-Language"] == language
    assert answer.headers["Vary"] == "Accept-Language, Accept-Encoding"
    assert f'<html lang="{language}">' in answer.text and translate("first.about", language) in answer.text
    assert "alert(" not in answer.text and "etc" not in answer.text.partition("<main")[2]
    asked = f"?lang={language}" if address in ("/?lang=ko", "/?lang=en") else ""
    links = re.findall('<a href="./([^"]*)"', answer.text.partition("<main")[2])
    assert links == [f"{page}{asked}" for page in ("lattice", "rounds", "cost", "lessons")]
    assert {link.partition("?")[0] for link in links} <= set(PAGES)


@pytest.mark.parametrize(
    "address",
    ["/?text=abc", "/?lang=ko&with=none", "/?embed=true", "/?figure=strip&lang=en", "/?lang=ko&x", "/lattice"],
)
def test_a_link_that_means_something_else_does_not_show_it(client: TestClient, address: str) -> None:
    assert client.get(address).text.partition("<body")[2] == index_page().partition("<body")[2]


def test_its_files_are_where_the_package_has_them() -> None:
    assert GREETING == ASSETS / "pictures" / "greeting.json"
