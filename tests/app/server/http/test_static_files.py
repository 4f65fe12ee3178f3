"""Streamlit's scripts and style sheets: the same bytes as in its package, compressed for who takes that."""

import gzip
import re
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit import config
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from app.server.http import static_files
from app.server.http.addresses import routes
from app.server.http.static_files import CompressedFiles
from app.server.patches.index_page import STATIC, index_page, plotly_script

_NAMED = re.findall(r'(?:src|href)="\./static/((?:js|css)/[^"]+)"', index_page())


def _server() -> TestClient:
    base = config.get_option("server.baseUrlPath")
    streamlits = create_streamlit_static_assets_routes(base or None)
    app = Starlette(routes=[*routes(["first"]), *streamlits], middleware=[Middleware(CompressedFiles)])
    return TestClient(app)


@pytest.fixture
def server() -> TestClient:
    return _server()


@pytest.fixture
def server_below() -> Iterator[TestClient]:
    """The same below /tok."""
    config.set_option("server.baseUrlPath", "tok")
    yield _server()
    config.set_option("server.baseUrlPath", "")


def test_what_the_page_names_is_compressed_and_the_same(server: TestClient) -> None:
    sent = 0
    for name in _NAMED:
        content = (STATIC / "static" / name).read_bytes()
        packed = server.get(f"/static/{name}", headers={"Accept-Encoding": "deflate, gzip;q=0.5, br"})
        plain = server.get(f"/static/{name}", headers={"Accept-Encoding": "identity"})
        assert packed.content == plain.content == content  # the client unpacks
        assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
        assert int(plain.headers["content-length"]) == len(content)
        for answer in (packed, plain):
            assert answer.headers["vary"] == "Accept-Encoding" and "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-type"].startswith("text/css" if name.endswith("css") else "text/javascript")
        sent += int(packed.headers["content-length"])
    assert len(_NAMED) > 50 and sent < 600_000


def test_plotly_is_marked_as_called_at_once(server: TestClient) -> None:
    name = plotly_script().removeprefix("./static/")
    content = (STATIC / "static" / name).read_text(encoding="utf-8")
    sent = server.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"}).text
    (begin,), (end,) = re.findall("typeof self<`u`.self:.,[(]", sent), re.findall("window.Plotly=.,.}[)][)]", sent)
    assert sent.replace(begin, begin[:-1]).replace(end, end[:-1]) == content


def test_a_file_is_compressed_once(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def compress(content: bytes, **options: int) -> bytes:
        sizes.append(len(content))
        return gzip.compress(content, **options)

    monkeypatch.setattr(static_files, "gzip", type("_Counting", (), {"compress": staticmethod(compress)}))
    static_files._compressed.cache_clear()
    for _ in range(3):
        assert server.get(f"/static/{_NAMED[0]}", headers={"Accept-Encoding": "gzip"}).status_code == 200
    assert sizes == [(STATIC / "static" / _NAMED[0]).stat().st_size]


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "br, gzip ; q=0.000", "xgzip", "*;q=0"])
def test_who_takes_no_gzip_gets_none(server: TestClient, accepted: str) -> None:
    answer = server.get(f"/static/{_NAMED[0]}", headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers
    assert answer.content == (STATIC / "static" / _NAMED[0]).read_bytes()


def test_a_part_is_one_of_the_file_as_it_is(server: TestClient) -> None:
    asked = {"Accept-Encoding": "gzip", "Range": "bytes=10-19"}
    answer = server.get(f"/static/{_NAMED[0]}", headers=asked)
    assert answer.status_code == 206 and "content-encoding" not in answer.headers
    assert answer.content == (STATIC / "static" / _NAMED[0]).read_bytes()[10:20]


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_what_a_browser_has_is_not_sent_again(server: TestClient, accepted: str) -> None:
    address, asked = f"/static/{_NAMED[0]}", {"Accept-Encoding": accepted}
    tag = server.get(address, headers=asked).headers["etag"]
    again = server.get(address, headers={**asked, "If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = "identity" if accepted == "gzip" else "gzip"
    assert server.get(address, headers={"Accept-Encoding": other, "If-None-Match": tag}).status_code == 200


def test_head_says_what_get_would_send(server: TestClient) -> None:
    for accepted in ("gzip", "identity"):
        asked = {"Accept-Encoding": accepted}
        head, whole = (call(f"/static/{_NAMED[0]}", headers=asked) for call in (server.head, server.get))
        assert head.status_code == 200
        assert dict(head.headers) == dict(whole.headers)
    assert server.post(f"/static/{_NAMED[0]}").status_code == 405


@pytest.mark.parametrize(
    "name", ["js/nothing.js", "js/..%2fcss%2findex.css", "js/%2e%2e", "js/..%5c..%5cindex.html", "css/%00.css", "js/"]
)
def test_no_other_path_is_opened(server: TestClient, name: str) -> None:
    assert "content-encoding" not in server.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"}).headers


def test_fonts_are_streamlits_own_answer(server: TestClient) -> None:
    font = next((STATIC / "static" / "media").glob("*.woff2"))
    answer = server.get(f"/static/media/{font.name}", headers={"Accept-Encoding": "gzip"})
    assert answer.content == font.read_bytes() and "content-encoding" not in answer.headers


def test_below_a_path_too(server_below: TestClient) -> None:
    answer = server_below.get(f"/tok/static/{_NAMED[0]}", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"


def test_the_first_page_is_compressed(server: TestClient) -> None:
    answer = server.get("/", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip" and int(answer.headers["content-length"]) < 15_000
    assert {"Accept-Encoding", "Accept-Language"} == set(answer.headers["vary"].split(", "))
    assert "SourceSans" not in answer.text
