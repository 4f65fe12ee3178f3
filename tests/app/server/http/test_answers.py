"""What the server tells the browser with every answer, and which addresses there are."""

import re
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import config
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from app.server.http.addresses import HiddenAddresses, Missing, routes
from app.server.http.headers import Headers, policy
from app.server.patches.index_page import index_page

_HEADERS = {"x-frame-options": "DENY", "x-content-type-options": "nosniff", "referrer-policy": "same-origin"}


async def _other(_: object) -> Response:
    return PlainTextResponse("Streamlit's")


def _server() -> TestClient:
    app = Starlette(
        routes=[*routes(["first", "second"]), Route("/{rest:path}", _other)],
        middleware=[Middleware(Headers), Middleware(HiddenAddresses)],
    )
    return TestClient(app, follow_redirects=False)


@pytest.fixture
def server() -> TestClient:
    """Two pages, and something below them."""
    return _server()


@pytest.fixture
def server_below() -> Iterator[TestClient]:
    """The same below /tok."""
    config.set_option("server.baseUrlPath", "tok")
    yield _server()
    config.set_option("server.baseUrlPath", "")


@pytest.mark.parametrize("address", ["/", "/first", "/second", "/_stcore/metrics", "/static/a.js", "/nowhere"])
def test_every_answer_has_the_headers(server: TestClient, address: str) -> None:
    answer = server.get(address)
    assert {name: answer.headers[name] for name in _HEADERS} == _HEADERS
    assert answer.headers["content-security-policy"] == policy()
    assert "camera=()" in answer.headers["permissions-policy"]


def test_the_policy_names_no_other_machine_and_no_inline_script() -> None:
    rules = dict(rule.split(" ", 1) for rule in policy().split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"
    assert "'unsafe-inline'" not in rules["script-src"]
    assert "*" not in policy() and "http" not in policy()
    # The page's own scripts and ours, each by its hash; nothing else runs inline.
    assert rules["script-src"].count("'sha256-") == len(re.findall("<script>", index_page())) == 2
    assert not re.search(r"\son[a-z]+=", index_page())


@pytest.mark.parametrize("query", ["", "?text=%EA%B0%80&model=ko~vocab_size-800"])
def test_the_name_of_the_first_page_leads_to_it_with_its_query(server: TestClient, query: str) -> None:
    answer = server.get(f"/first{query}")
    assert (answer.status_code, answer.headers["location"]) == (307, f"./{query}")


def test_a_page_knows_where_its_server_is(server: TestClient) -> None:
    for address in ("/", "/second?lang=en"):
        page = server.get(address).text
        assert page.index("BACKEND_BASE_URL") < page.index('type="module"')


def test_what_no_page_asks_for_is_not_there(server: TestClient) -> None:
    for address in (
        "/_stcore/metrics",
        "/_stcore/agent/mcp",
        "/_stcore/agent/openapi.json",
        "/auth/login",
        "/oauth2callback",
        "/component/any/index.html",
        "/_stcore/script-health-check",
    ):
        for method in ("GET", "POST", "OPTIONS", "HEAD"):
            assert server.request(method, address).status_code == 404, (method, address)
    for address in ("/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/a/b", "/media/a.csv"):
        assert server.get(address).text == "Streamlit's"


def test_so_it_is_below_a_path(server_below: TestClient) -> None:
    assert server_below.get("/tok/_stcore/metrics").status_code == 404
    assert "BACKEND_BASE_URL" in server_below.get("/tok/").text
    assert "BACKEND_BASE_URL" in server_below.get("/tok/second").text
    assert server_below.get("/tok/first?a=b").headers["location"] == "./?a=b"


@pytest.fixture(params=["", "/tok"])
def base(request: pytest.FixtureRequest) -> Iterator[str]:
    """What stands in front of every address."""
    config.set_option("server.baseUrlPath", request.param)
    yield request.param
    config.set_option("server.baseUrlPath", "")


def test_where_nothing_is_a_page_says_so_in_both_languages(base: str) -> None:
    app = Starlette(
        routes=[
            *routes(["first", "second"]),
            Route(f"{base}/_stcore/health", _other),
            *create_streamlit_static_assets_routes(base),
        ],
        middleware=[Middleware(Headers), Middleware(HiddenAddresses), Middleware(Missing)],
    )
    with TestClient(app, follow_redirects=False) as client:
        for address, first in (("/nothing", "./"), ("/a/b.html?c=d", "./../"), ("/static/none.js", "./../")):
            for method in ("GET", "HEAD"):
                answer = client.request(method, base + address)
                assert answer.status_code == 404 and answer.headers["x-frame-options"] == "DENY"
            said = client.get(base + address).text
            assert f'href="{first}"' in said and "첫 화면" in said and "first page" in said and "<script" not in said
        script = re.findall(r'src="\./(static/js/[^"]+)"', index_page())[0]
        for address in ("/", "/second?lang=en", f"/{script}", "/favicon.png", "/favicon.ico", "/_stcore/health"):
            assert client.get(base + address).status_code == 200, address
        assert client.get(f"{base}/second/").headers["location"].endswith("/second")
        assert client.get(f"{base}/first").status_code == 307
