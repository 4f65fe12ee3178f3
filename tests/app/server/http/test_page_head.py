"""What other sites read of a link: title, sentence and image of every view."""

import re
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest
import streamlit
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.server.http.addresses import routes
from app.texts.catalogue import LANGUAGES, translate
from tests.menu import PAGES, VIEWS

_ADDRESSES = [
    (page, view) for page in PAGES for view in ("", *(VIEWS[page][1] if VIEWS.get(page, ("",))[0] == "view" else ()))
]


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=routes([*PAGES])), headers={"Accept-Language": "en-US"})


def _tags(page: str) -> dict[str, str]:
    found = re.findall('<meta (?:property|name)="([^"]+)" content="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_says_where_a_link_leads(client: TestClient, language: str) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for page, view in _ADDRESSES:
        text = client.get(f"/{page if page != PAGES[0] else ''}?lang={language}&view={view}").text
        tags = _tags(text)
        title = unescape(re.findall("<title>(.*?)</title>", text)[0])
        assert tags["og:title"] == title and translate("frame.title", language) in title
        assert tags["description"] == tags["og:description"] and len(tags["description"]) > 10
        assert not set(tags["description"]) & set("[*{`"), tags["description"]
        assert f'<html lang="{language}">' in text
        assert title not in seen or seen[title][0] == page, (title, page, view)
        seen[title] = (page, view)
    assert len(seen) > len(PAGES)


def test_a_page_whose_picture_is_a_chart_asks_for_plotly_at_once(client: TestClient) -> None:
    (address,) = re.findall('modulepreload" fetchpriority="low" .*?href="./(.*?)">', client.get("/cost").text)
    assert Path(streamlit.__file__).with_name("static").joinpath(address).is_file()
    assert address not in client.get("/lattice").text


def test_the_image_is_one_of_the_view(client: TestClient) -> None:
    tags = _tags(client.get("/growth?view=matrix&lang=ko").text)
    assert tags["og:image"] == "http://testserver/preview/ko/growth.matrix.png"
    proxied = client.get("/cost", headers={"X-Forwarded-Proto": "https"}).text
    assert _tags(proxied)["og:image"] == "https://testserver/preview/en/cost.png"
    for name in ("ko/growth.matrix", "en/cost", "en/explore"):
        answer = client.get(f"/preview/{name}.png")
        assert answer.headers["content-type"] == "image/png"
        image = Image.open(BytesIO(answer.content)).convert("L")
        assert image.size == (1200, 630) and len(answer.content) < 100_000
        # The title is there, in letters: some of it is dark, most of it paper.
        title = image.crop((60, 120, 700, 210))
        dark = sum(title.histogram()[:100])
        assert 0.01 * 640 * 90 < dark < 0.5 * 640 * 90


@pytest.mark.parametrize("name", ["fr/cost", "en/nope", "en/cost.nope", "en/frame", "en/..%2Fcost"])
def test_an_unknown_image_is_missing(client: TestClient, name: str) -> None:
    assert client.get(f"/preview/{name}.png").status_code == 404


def test_an_unknown_view_has_the_head_of_the_page(client: TestClient) -> None:
    text = client.get("/growth?view=<script>&lang=en").text
    assert "<title>Vocabulary size" in text and "<script>&" not in text


def test_a_hostile_host_stays_text(client: TestClient) -> None:
    text = client.get("/cost", headers={"Host": 'x"><script>alert(1)</script>'}).text
    assert "<script>alert" not in text
