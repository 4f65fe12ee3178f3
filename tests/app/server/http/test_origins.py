"""Requests under another host's name, and changes that a page of another site asks for."""

import logging

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from app.server.http.origins import HOSTS_VARIABLE, URL_VARIABLE, SameOrigin, allowed_hosts

_HOST = "tok.example.org"


@pytest.fixture
def client() -> TestClient:
    async def answer(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await request.body() or b"-")

    async def greet(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()

    hosts = allowed_hosts({HOSTS_VARIABLE: f"{_HOST}, *.example.edu"})
    layers = [Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False), Middleware(SameOrigin)]
    methods = ["GET", "POST", "PUT", "DELETE"]
    routes = [Route("/any", answer, methods=methods), WebSocketRoute("/socket", greet)]
    return TestClient(Starlette(routes=routes, middleware=layers), base_url=f"http://{_HOST}")


def test_other_names_are_refused(client: TestClient) -> None:
    for name in (_HOST, f"{_HOST}:8443", "a.example.edu", "localhost:8501", "127.0.0.1:8501", "[::1]:8501"):
        assert client.get("/any", headers={"Host": name}).status_code == 200, name
        with client.websocket_connect("/socket", headers={"Host": name}):
            pass
    for name in ("evil.example", f"www.{_HOST}", f"{_HOST}.evil.example", "example.edu", "localhost.evil.example", "["):
        assert client.get("/any", headers={"Host": name}).status_code == 400, name
        with pytest.raises(WebSocketDenialResponse), client.websocket_connect("/socket", headers={"Host": name}):
            pass


def test_any_name_is_allowed_unless_some_are_set(caplog: pytest.LogCaptureFixture) -> None:
    assert allowed_hosts({}) == allowed_hosts({HOSTS_VARIABLE: " "}) == ["*"]
    own = ["localhost", "127.0.0.1", "[::1]"]
    assert allowed_hosts({HOSTS_VARIABLE: "Tok.Example.org [fe80::1]"}) == ["tok.example.org", "[fe80::1]", *own]
    public = {URL_VARIABLE: "https://tok.example.org:8443/x"}
    assert allowed_hosts({HOSTS_VARIABLE: "a.example", **public}) == ["a.example", "tok.example.org", *own]
    with caplog.at_level(logging.WARNING):
        # A mistake does not open the server.
        assert allowed_hosts({HOSTS_VARIABLE: "https://a.example,*,a*.example"}) == own
    assert len(caplog.records) == 3


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_change_that_another_site_asks_for_is_refused(client: TestClient, method: str) -> None:
    for ours in (
        {},  # a program
        {"Origin": f"http://{_HOST}"},
        {"Origin": f"https://{_HOST}:8443"},  # a proxy passes the name alone
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://a.proxy.example"},
        {"Sec-Fetch-Site": "none"},
    ):
        assert client.request(method, "/any", headers=ours).status_code == 200, ours
    for foreign in (
        {"Origin": "https://evil.example"},
        {"Origin": f"https://{_HOST}.evil.example"},
        {"Origin": "null"},  # a page in a sandbox
        {"Origin": "https://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": f"http://{_HOST}"},
    ):
        assert client.request(method, "/any", headers=foreign).status_code == 403, foreign
        assert client.get("/any", headers=foreign).status_code == 200


def test_the_public_address_is_the_same_site(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, "https://class.example")
    assert client.post("/any", headers={"Origin": "https://class.example"}).status_code == 200
    assert client.post("/any", headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("url", ["tok.example.org", "ftp://tok.example.org", "https://"])
def test_a_public_address_that_is_none_is_logged(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for text, expected in ((url, 1), ("https://tok.example.org", 0), ("", 0)):
        caplog.clear()
        monkeypatch.setenv(URL_VARIABLE, text)
        SameOrigin(None)  # type: ignore[arg-type]
        assert caplog.text.count("is no address such as") == expected
