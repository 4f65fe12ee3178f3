"""`/metrics` says how the process fares, in a format that Prometheus's own parser reads, and to operators only."""

import asyncio
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError

import pytest
import websockets
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.stats import GaugeStat
from websockets.typing import Subprotocol

from app.server.http import metrics
from app.server.library import Opened
from app.server.limits import Limits
from app.server.store.opening import SqliteStore
from app.server.store.store import LibraryError
from app.server.work.jobs import Registry
from app.server.work.work_kinds import KINDS, Errand
from tests.app_server import AppServer

_TOKEN = "0123456789abcdef"
_SECRET = "비밀로쓴글"


def _parsed(text: str) -> dict[str, Metric]:
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for family in families.values():
        assert family.documentation and family.type in ("gauge", "counter", "histogram"), family.name
    return families


def _values(family: Metric) -> dict[str, float]:
    """By name and labels."""
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in family.samples}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    server = AppServer(str(tmp_path_factory.mktemp("library")), THUNDER_TOK_METRICS_TOKEN=_TOKEN)
    yield server
    server.stop()


def _ask(server: AppServer, address: str = "/metrics", **headers: str) -> str:
    with urllib.request.urlopen(
        urllib.request.Request(f"{server.url}{address}", headers=headers), timeout=20
    ) as answer:
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        return str(answer.read().decode())


def test_nobody_without_the_token_is_answered(server: AppServer) -> None:
    for address, headers in (
        ("/metrics", {}),
        ("/metrics", {"Authorization": "Bearer 0123456789abcdeg"}),
        ("/metrics", {"Authorization": f"Basic {_TOKEN}"}),
        ("/metrics", {"Authorization": "Bearer \xfc"}),
        (f"/metrics?token={_TOKEN}", {}),
        ("/_stcore/metrics", {"Authorization": f"Bearer {_TOKEN}"}),
    ):
        with pytest.raises(HTTPError, match="404"):
            _ask(server, address, **headers)


def test_a_visit_is_counted_and_not_told_about(server: AppServer) -> None:
    async def visit() -> str:
        address = server.url.replace("http", "ws") + "/_stcore/stream"
        async with websockets.connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:
            message = BackMsg()
            message.rerun_script.query_string, message.rerun_script.page_name = f"lang=ko&text={_SECRET}", "explore"
            await socket.send(message.SerializeToString())
            async for data in socket:
                forward = ForwardMsg()
                forward.ParseFromString(data if isinstance(data, bytes) else data.encode())
                if forward.WhichOneof("type") == "script_finished":
                    break
            return await asyncio.to_thread(_ask, server, Authorization=f"Bearer {_TOKEN}")

    text = asyncio.run(visit())
    assert _SECRET not in text and "127.0.0.1" not in text
    families = _parsed(text)
    values = {name: value for family in families.values() for name, value in _values(family).items()}
    assert values["thunder_tok_sessions"] == 1
    assert values["thunder_tok_page_run_seconds_count"] >= 1
    assert 0 < values["thunder_tok_page_run_seconds_sum"] < 600
    assert values["thunder_tok_page_run_seconds_bucket +Inf"] == values["thunder_tok_page_run_seconds_count"]
    assert values["process_resident_memory_bytes"] > 50e6 and values["process_cpu_seconds_total"] > 0
    assert values["thunder_tok_database_up"] == 1 and values["thunder_tok_database_bytes"] == 0
    assert 0 < values["thunder_tok_database_ping_seconds"] < 20
    assert {f"thunder_tok_work {kind} {state}" for kind in KINDS for state in ("queued", "running")} <= set(values)


def test_there_are_no_metrics_without_a_token_that_is_hard_to_guess(caplog: pytest.LogCaptureFixture) -> None:
    assert metrics.metrics_routes({}) == metrics.metrics_routes({metrics.TOKEN_VARIABLE: "  "}) == []
    assert not caplog.records
    assert metrics.metrics_routes({metrics.TOKEN_VARIABLE: _TOKEN[1:]}) == []
    assert "THUNDER_TOK_METRICS_TOKEN has fewer than 16 characters" in caplog.text and _TOKEN[1:] not in caplog.text


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> Callable[[Opened], dict[str, Metric]]:
    """The metrics of this process with a library."""
    client = TestClient(Starlette(routes=metrics.metrics_routes({metrics.TOKEN_VARIABLE: _TOKEN})))
    sessions = {metrics.ACTIVE_SESSIONS_FAMILY: [GaugeStat(metrics.ACTIVE_SESSIONS_FAMILY, 3)]}
    runtime = SimpleNamespace(stats_mgr=SimpleNamespace(get_stats=lambda names: sessions))
    monkeypatch.setattr(metrics.Runtime, "instance", lambda: runtime)

    def families(library: Opened) -> dict[str, Metric]:
        monkeypatch.setattr(metrics, "opened", lambda: library)
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {_TOKEN}"})
        assert answer.status_code == 200
        return _parsed(answer.text)

    return families


def test_a_library_that_does_not_answer_or_is_off(
    ask: Callable[[Opened], dict[str, Metric]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    text = store.texts.save("글 " * 1000, "me")
    families = ask(Opened(store))
    assert _values(families["thunder_tok_database_bytes"])["thunder_tok_database_bytes"] == store.size() > 0
    assert not any(text in str(family) for family in families.values())

    def fail() -> int:
        raise LibraryError("library.server_down")

    monkeypatch.setattr(store, "size", fail)
    for library in (Opened(store), Opened(error=LibraryError("library.unreachable", place="", detail=""))):
        families = ask(library)
        assert _values(families["thunder_tok_database_up"]) == {"thunder_tok_database_up": 0}
        assert "thunder_tok_database_bytes" not in families and "thunder_tok_database_ping_seconds" not in families
    families = ask(Opened())
    assert not any("database" in name for name in families)
    assert _values(families["thunder_tok_sessions"]) == {"thunder_tok_sessions": 3}


def test_work_is_counted_by_kind_and_state(
    ask: Callable[[Opened], dict[str, Metric]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = (sys.executable, "-c", "import sys; sys.stdin.read()")
    registry = Registry(tmp_path, Limits(jobs=1), command=waits)
    monkeypatch.setattr(metrics, "registry", lambda: registry)
    for _ in range(3):
        registry.submit(Errand("exporting", {}))
    values = _values(ask(Opened())["thunder_tok_work"])
    registry.close()
    assert values.pop("thunder_tok_work exporting running") == 1
    assert values.pop("thunder_tok_work exporting queued") == 2
    assert len(values) == 2 * len(KINDS) - 2 and not any(values.values())
