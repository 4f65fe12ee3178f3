"""Several processes with Caddy in front of them: who goes where, and what a killed process and a restart change."""

import asyncio
import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Page, sync_playwright

from app import serve
from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.http.metrics import TOKEN_VARIABLE
from app.server.store.opening import open_store
from engine.errors import InputError
from tests.app_server import ROOT, AppServer, free_ports
from tests.browser.chromium import FLAGS, find_chromium
from tests.load.wire import Wire

_COOKIE, _TOKEN = "thunder_tok", "0123456789abcdef"
_needs_caddy = pytest.mark.skipif(
    shutil.which("caddy") is None, reason="Caddy is not installed (apt-get install caddy)"
)
_MENU = ".st-key-menu a"
_RESTARTED = "all processes were restarted"


# What Python runs first in each process: while there is a file `next` beside it, the next release, which has expanded
# the schema, is started in place of this one.
_RELEASE = f"""
import pathlib, sys
if pathlib.Path(__file__).with_name("next").exists():
    sys.path.insert(0, {str(ROOT)!r})
    from app.server.store import schema
    schema.MIGRATIONS += (("ALTER TABLE answer ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'",),)
    schema.VERSION += 1
"""


class Servers(AppServer):
    """Two processes over a library, which print to a file in the folder."""

    def __init__(self, library: Path | str, folder: Path) -> None:
        self.library = library
        self._log_file, self.next_release = folder / "log", folder / "next"
        (folder / "sitecustomize.py").write_text(_RELEASE)
        settings = {"THUNDER_TOK_MODEL": "ko", TOKEN_VARIABLE: _TOKEN, "PYTHONPATH": str(folder)}
        super().__init__(str(library), log=self._log_file, processes=2, **settings)

    def log(self) -> str:
        return self._log_file.read_text()

    def port_of(self, cookie: str) -> int:
        """The port of the process that a browser with this cookie is sent to."""
        hashes = {hmac.new(b"", f"127.0.0.1:{port}".encode(), hashlib.sha256).hexdigest(): port for port in self.ports}
        return hashes[cookie]

    @property
    def ports(self) -> list[int]:
        return [self.port + 1, self.port + 2]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    place: Path | str = folder / "library"
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        server.tool("createdb", f"--maintenance-db={server.url()}", folder.name)  # its schema becomes a later one
        place = server.url(folder.name)
    servers = Servers(place, folder)
    yield servers
    began = time.monotonic()
    servers.interrupt()
    assert time.monotonic() - began < 15


def _visitor(url: str) -> tuple[Callable[[], str], urllib.request.OpenerDirector]:
    """A browser's cookie after each of its requests."""
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def cookie() -> str:
        return next(str(one.value) for one in jar if one.name == _COOKIE)

    opener.open(f"{url}/join").close()
    return cookie, opener


@_needs_caddy
@pytest.mark.slow(seconds=80)
def test_visitors_spread_and_each_keeps_its_process(servers: Servers) -> None:
    visitors = [_visitor(servers.url) for _ in range(16)]
    spread = Counter(cookie() for cookie, _ in visitors)
    assert len(spread) == 2
    for _ in range(5):
        for _, opener in visitors:
            with opener.open(f"{servers.url}/glossary") as answer:
                assert answer.status == 200 and _COOKIE not in str(answer.headers.get_all("Set-Cookie"))
    assert Counter(cookie() for cookie, _ in visitors) == spread


@_needs_caddy
@pytest.mark.slow(seconds=80)
def test_operators_ask_each_process_for_its_metrics_and_the_proxy_gives_none(servers: Servers) -> None:
    headers = {"Authorization": f"Bearer {_TOKEN}"}
    for port in servers.ports:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert b"thunder_tok_database_up 1.0\n" in answer.read()
    for path in ("/metrics", "//metrics", "/%6Detrics", "/x/../metrics", "/METRICS"):
        with pytest.raises(HTTPError, match="404"):
            urllib.request.urlopen(urllib.request.Request(servers.url + path, headers=headers), timeout=20)


def _open(page: Page, url: str) -> str:
    """Open a page; the cookie that the browser has then."""
    page.goto(url)
    page.wait_for_selector(_MENU)
    page.wait_for_selector("[data-testid=stApp][data-test-connection-state=CONNECTED]")
    return next(one["value"] for one in page.context.cookies() if one["name"] == _COOKIE)


@_needs_caddy
@pytest.mark.slow(seconds=80)
@pytest.mark.parametrize("servers", ["sqlite"], indirect=True)  # on the other database all are restarted below
def test_who_loses_a_process_goes_on_with_another_and_it_returns(
    servers: Servers, wait_until: Callable[..., None]
) -> None:
    store = open_store(servers.library)
    room = rooms_of(store).open("lecturer" * 4, "ko", RoomState())
    rooms_of(store).change(room._replace(step="tokens.ko", is_open=True), "lecturer" * 4)
    rooms_of(store).answer(room.id, "tokens.ko", "phone" * 4, "1.3", 1)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = chromium.new_page()
        page.set_default_timeout(60_000)
        cookie = _open(page, servers.url)
        port = servers.port_of(cookie)
        servers.backends()[port].kill()
        other = _open(page, servers.url)
        assert servers.port_of(other) != port
        chromium.close()
    assert [one.content for one in rooms_of(store).answers(room.id)] == ["1.3"]
    store.database.close()

    wait_until(lambda: serve._read(f"http://127.0.0.1:{port}/ready"))


async def _answer_all_the_time(url: str, room: str, name: str, is_over: asyncio.Event) -> tuple[int, list[int]]:
    """A phone that changes its answer again and again: the last one that was accepted, and unexpected statuses."""
    wire, accepted, turn, trouble = Wire(url), 0, 0, []
    while not is_over.is_set():
        turn += 1
        body = {"room": room, "student": name, "step": "tokens.ko", "answer": str(turn % 3 + 1), "turn": turn}
        status = 0
        while status != 200:
            try:
                status, content = await wire.post("/join/answer", json.dumps(body), 30)
            except ConnectionError:
                status = 0
            if status != 200:
                trouble.append(status)
                await asyncio.sleep(0.2)
        assert content == {"kept": str(turn % 3 + 1), "taken": True}
        accepted = turn
        await asyncio.sleep(0.2)
    wire.close()
    return accepted, trouble


@_needs_caddy
@pytest.mark.slow(seconds=80)
def test_no_answer_of_a_class_is_lost_while_all_are_upgraded_and_taken_back(servers: Servers) -> None:
    store = open_store(servers.library)
    room = rooms_of(store).open("lecturer" * 4, "ko", RoomState())
    rooms_of(store).change(room._replace(step="tokens.ko", is_open=True), "lecturer" * 4)
    names = [f"phone-{k:02d}-of-a-class-that-answers" for k in range(12)]

    async def run() -> list[tuple[int, list[int]]]:
        is_over = asyncio.Event()
        phones = [asyncio.create_task(_answer_all_the_time(servers.url, room.id, name, is_over)) for name in names]
        await asyncio.sleep(1)
        for change_release in (servers.next_release.touch, servers.next_release.unlink):
            # One process after the other: both releases serve meanwhile.
            change_release()
            n_restarts = servers.log().count(_RESTARTED)
            os.kill(servers.pid, signal.SIGHUP)
            async with asyncio.timeout(180):
                while servers.log().count(_RESTARTED) == n_restarts:
                    await asyncio.sleep(0.2)
            pids.append({process.pid for process in servers.backends().values()})
            await asyncio.sleep(1)
        is_over.set()
        return await asyncio.gather(*phones)

    pids = [{process.pid for process in servers.backends().values()}]
    results = asyncio.run(run())
    assert [len(each) for each in pids] == [2, 2, 2] and len(set.union(*pids)) == 6
    with store.database.reading() as db:
        assert db.execute("SELECT DISTINCT remark FROM answer").fetchall() == [("none",)]
    assert min(turn for turn, _ in results) > 10
    assert [trouble for _, trouble in results if trouble] == []
    stored = [
        rooms_of(store).own_answer(room.id, "tokens.ko", name, turn)
        for name, (turn, _) in zip(names, results, strict=True)
    ]
    assert [number for number, one in enumerate(stored) if one is None or not one.is_taken] == []
    store.database.close()


def _refusal(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "app.serve", *arguments],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    return done.stderr


def test_without_caddy_the_command_that_installs_it_is_named(tmp_path: Path) -> None:
    assert "apt-get install caddy" in _refusal("2", PATH=str(tmp_path))


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    (tmp_path / "caddy").write_text("#!/bin/sh\n")
    (tmp_path / "caddy").chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is used" in _refusal("2", f"--port={port}", PATH=str(tmp_path))


@pytest.mark.parametrize(("program", "seconds"), [("raise SystemExit(3)", 60.0), ("import time; time.sleep(600)", 1.0)])
def test_a_process_that_does_not_get_ready_is_named_and_ended(
    program: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.py").write_text(program)
    monkeypatch.setattr(serve, "server_arguments", lambda _: ["program"])
    monkeypatch.setattr(serve, "_START_SECONDS", seconds)

    async def start() -> int | None:
        backend = serve.Backend(free_ports(1), {**os.environ, "PYTHONPATH": str(tmp_path)})
        with pytest.raises(InputError) as refused:
            await backend.start()
        assert refused.value.code == "serve.unready"
        return backend._process.returncode if backend._process else None

    assert asyncio.run(start()) in (3, -signal.SIGTERM)


def test_the_machines_limits_are_shared() -> None:
    environment = serve.shared_environment({"THUNDER_TOK_MAX_JOBS": "3", "THUNDER_TOK_TRUSTED_PROXY": "10.0.0.1"}, 2)
    assert environment["THUNDER_TOK_MAX_JOBS"] == "1" and environment["THUNDER_TOK_MAX_QUEUED"] == "20"
    assert environment["THUNDER_TOK_PROCESSES"] == "2" and environment["THUNDER_TOK_TRUSTED_PROXY"] == "10.0.0.1"
    assert serve.shared_environment({}, 8)["THUNDER_TOK_MAX_JOBS"] == "1"
    # Of all together where they share a queue.
    shared = {"THUNDER_TOK_MAX_JOBS": "3", "THUNDER_TOK_LIBRARY": "postgresql://host/name"}
    assert serve.shared_environment(shared, 2)["THUNDER_TOK_MAX_JOBS"] == "3"
