"""How this process fares: `/metrics`, in the text format of Prometheus, for an operator's programs alone.

Counts, times and sizes, and nothing of who visitors are or what they write. Streamlit's `/_stcore/metrics` is closed:
anybody might ask it, and it measures the data of all sessions each time.
"""

import hmac
import logging
import time
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.runtime import Runtime
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

from app.server.library import opened
from app.server.limits import PREFIX
from app.server.store.store import LibraryError
from app.server.work.jobs import registry
from app.server.work.turns import TURNS

METRICS = "/metrics"
TOKEN_VARIABLE = f"{PREFIX}METRICS_TOKEN"
_SHORTEST_TOKEN = 16
_log = logging.getLogger(__name__)

_METRICS = CollectorRegistry()
ProcessCollector(registry=_METRICS)
PAGE_RUNS = Histogram(
    "thunder_tok_page_run_seconds",
    "Runs of pages, from the wait for a turn to the end.",
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=_METRICS,
)


class _Present(Collector):
    """What is looked up when somebody asks."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        stats = Runtime.instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])[ACTIVE_SESSIONS_FAMILY]
        n_sessions = sum(stat.value for stat in stats if isinstance(stat, GaugeStat))
        yield GaugeMetricFamily("thunder_tok_sessions", "Visitors' pages that are connected.", n_sessions)
        yield GaugeMetricFamily("thunder_tok_open_page_runs", "Runs that wait or have not ended.", TURNS.n_open)
        work = GaugeMetricFamily("thunder_tok_work", "Work for worker processes.", labels=("kind", "state"))
        for labels, n_tasks in registry().counts().items():
            work.add_metric(labels, n_tasks)
        yield work
        library, error = opened()
        if library is None and error is None:  # switched off
            return
        began, n_bytes = time.monotonic(), None
        try:
            n_bytes = None if library is None else library.size()
        except LibraryError:
            _log.warning("the library does not answer the metrics")
        yield GaugeMetricFamily("thunder_tok_database_up", "Whether the library answers.", n_bytes is not None)
        if n_bytes is not None:
            seconds = time.monotonic() - began
            yield GaugeMetricFamily("thunder_tok_database_ping_seconds", "How long that took.", seconds)
            yield GaugeMetricFamily("thunder_tok_database_bytes", "Size of what visitors store.", n_bytes)


_METRICS.register(_Present())


def metrics_routes(environment: Mapping[str, str]) -> list[Route]:
    """The route, at the same address whatever prefix the pages have; none without a token in the environment."""
    token = environment.get(TOKEN_VARIABLE, "").strip()
    if len(token) < _SHORTEST_TOKEN:
        if token:
            _log.warning("%s has fewer than %d characters: no metrics", TOKEN_VARIABLE, _SHORTEST_TOKEN)
        return []
    expected = f"Bearer {token}".encode()

    def metrics(request: Request) -> Response:
        """The metrics; without the token there is no such page."""
        if not hmac.compare_digest(request.headers.get("authorization", "").encode("latin-1"), expected):
            return PlainTextResponse("Not Found", 404)
        headers = {"Cache-Control": "no-store"}
        return Response(generate_latest(_METRICS), headers=headers, media_type="text/plain; version=0.0.4")

    return [Route(METRICS, metrics)]
