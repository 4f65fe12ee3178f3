"""The shards on a Dask cluster: every state, every result and every pairwise sum is a task.

Dask decides where a task runs, keeps its result there and knows its inputs: if a worker dies, its shards are recomputed
on other workers. Data for all shards, such as the tokens' weights, is a separate task, sent once and passed on from
worker to worker. The sums are tasks along the tree of `shard_tree`, so only the last one is fetched.
"""

import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any

from engine._jit import engine_hash
from engine.errors import InputError
from engine.scale.workers import Work, Workers

_LOCAL = re.compile(r"local:([1-9][0-9]?)")
_ADDRESS = re.compile(r"([a-z]+://)?[^/\s]+:[1-9][0-9]*")
_CONNECT = 10  # seconds

# A task is assumed to kill its workers after this many worker deaths.
_MOST_DEATHS = 5


def dask_workers(address: str) -> Workers:
    """Workers of the scheduler at an address, or `local:N`: N processes on this machine.

    Raises
    ------
    InputError : Dask is not installed, or there is no scheduler.
    """
    try:
        import distributed
    except ImportError:
        raise InputError("scale.no_dask") from None
    import dask

    dask.config.set(
        {
            "distributed.admin.large-graph-warning-threshold": "1TB",  # large graphs are expected
            "distributed.scheduler.allowed-failures": _MOST_DEATHS,
            "distributed.comm.timeouts.connect": _CONNECT,
            "distributed.comm.retry.count": 0,
            "distributed.scheduler.work-stealing": False,  # moving a shard costs more than it gains
        }
    )
    local = _LOCAL.fullmatch(address)
    cluster = None
    try:
        if local is None and (address.startswith("local:") or not _ADDRESS.fullmatch(address)):
            raise ValueError("neither tcp://host:8786 nor local:1 to local:99")
        if local is None:
            sys.stderr.write(f"connecting to {address} (at most {_CONNECT} s)\n" * sys.stderr.isatty())
        else:
            cluster = distributed.LocalCluster(
                n_workers=int(local[1]),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        client = distributed.Client(cluster or address, timeout=_CONNECT, set_as_default=False)
        if not client.scheduler_info(n_workers=-1)["workers"]:
            client.wait_for_workers(1, timeout=_CONNECT)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        if cluster is not None:
            cluster.close()
        raise InputError("scale.no_scheduler", address=address, detail=str(error) or type(error).__name__) from None
    if cluster is None:
        _check_sources(client, address)
    return _Cluster(client, cluster, address)


def _check_sources(client: Any, address: str) -> None:
    """Refuse workers with other engine sources, which could give a different model or fail midway."""
    found = client.run(engine_hash, on_error="return")
    others = sorted(worker for worker, answer in found.items() if answer != engine_hash())
    if others:
        client.close(timeout=1)
        raise InputError("scale.other_engine", count=len(others), address=address, worker=others[0])


class _Cluster:
    """Workers whose states are futures.

    Parameters
    ----------
    client : of distributed.
    cluster : stopped on close; None for an external scheduler.
    address : of the scheduler, for messages.
    """

    def __init__(self, client: Any, cluster: Any, address: str) -> None:
        self._client = client
        self._cluster = cluster
        self._address = address
        self._states: list[Any] = []

    def each(self, work: Work, items: Iterable[Any], *shared: Any) -> list[Any]:
        """See Workers."""
        with self._reachable():
            broadcast = self._broadcast(shared)
            futures = [self._submit(_apply, work, item, broadcast) for item in items]
            return list(self._client.gather(futures))

    def completed(self, work: Work, items: Iterable[Any], *shared: Any) -> Iterator[tuple[int, Any]]:
        """See Workers."""
        from distributed import as_completed

        with self._reachable():
            broadcast = self._broadcast(shared)
            numbers = {self._submit(_apply, work, item, broadcast): number for number, item in enumerate(items)}
            waiting = as_completed(list(numbers), loop=self._client.loop)
            while numbers:
                future = next(waiting)
                yield numbers.pop(future), future.result()

    def begin(self, n_shards: int) -> None:
        """See Workers."""
        self._states = list(range(n_shards))

    def change(self, work: Work, *shared: Any) -> None:
        """See Workers."""
        with self._reachable():
            broadcast = self._broadcast(shared)
            self._states = [self._submit(_apply, work, state, broadcast) for state in self._states]

    def ask(self, work: Work, merge: Callable[[Any, Any], Any], *shared: Any) -> Any:
        """See Workers."""
        with self._reachable():
            broadcast = self._broadcast(shared)
            level = [self._submit(_apply, work, state, broadcast) for state in self._states]
            while len(level) > 1:
                rest = level[len(level) & ~1 :]
                level = [self._submit(merge, a, b) for a, b in list(pairwise(level))[::2]] + rest
            return level[0].result()

    def close(self) -> None:
        """See Workers."""
        self._states = []
        if self._cluster is not None:
            _kill_workers(self._cluster)
        for part in (self._client, self._cluster):
            with suppress(Exception):
                part.close(timeout=1)

    def _broadcast(self, shared: tuple[Any, ...]) -> Any:
        """Data for all shards, as one future."""
        return self._submit(_tuple, *shared)

    def _submit(self, work: Work, *arguments: Any) -> Any:
        return self._client.submit(work, *arguments, pure=False)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            yield
        except KilledWorker:
            raise InputError("scale.workers_die", times=_MOST_DEATHS) from None
        except (CommClosedError, CancelledError):
            raise self._lost() from None
        except RuntimeError:
            if self._client.status == "running":
                raise
            raise self._lost() from None

    def _lost(self) -> InputError:
        return InputError("scale.lost", address=self._address)


def _kill_workers(cluster: Any) -> None:
    """Kill the processes of a local cluster; a graceful shutdown takes many seconds."""
    for nanny in cluster.workers.values():
        nanny.close_gracefully()  # prevents a restart of the worker
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


def _apply(work: Work, state: Any, shared: tuple[Any, ...]) -> Any:
    return work(state, *shared)


def _tuple(*shared: Any) -> tuple[Any, ...]:
    return shared
