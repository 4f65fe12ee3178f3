"""`python -m app.serve 2 --port=8501`: several processes of the app on this machine, with Caddy in front of them.

A process that dies is started again. SIGHUP restarts all, one after the other: the proxy sends visitors to the others
until the new process is ready.
"""

import argparse
import asyncio
import json
import logging
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import cast
from urllib.error import HTTPError
from urllib.request import urlopen

from app import ROOT
from app.__main__ import is_free, require_packages, server_arguments
from app.server.http.readiness import READY
from app.server.limits import PREFIX, PROCESSES_VARIABLE, limits_from, variable, with_preset
from app.server.store.opening import check_library, is_on_server
from app.server.visitors import PROXY_VARIABLE, server_environment
from engine.errors import InputError
from engine.messages import locale_language

_HERE = "127.0.0.1"
# Where a machine compiles the kernels first, pages are slow, but the server is ready.
_START_SECONDS = 120.0
# Longer than between two checks of the proxy (deploy/Caddyfile): a process that starts listens before it answers.
_PAUSE_SECONDS, _POLL_SECONDS = 2.0, 0.2
# For two checks, then for runs that are open, then for phones that wait for news.
_NOTICE_SECONDS, _RUN_SECONDS, _END_SECONDS = 3.0, 15.0, 12.0
_DIVIDED = ("jobs", "queued")  # limits of the machine, unless the processes share a queue
_log = logging.getLogger(__name__)


class Child:
    """A process that is started again whenever it ends."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._name, self._command, self._environment = name, command, environment
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(*self._command, env=self._environment)

    async def keep(self) -> None:
        """Start it again whenever it has ended; for ever."""
        while True:
            if self._process is not None:
                code = await self._process.wait()
                _log.warning("%s has ended (%d) and is started again", self._name, code)
            await asyncio.sleep(_PAUSE_SECONDS)
            try:
                await self.start()
            except InputError as error:
                _log.warning("%s", error)

    def signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def stop(self) -> None:
        """End it within seconds, whatever it does."""
        if self._process is None:
            return
        self.signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self.signal(signal.SIGKILL)
            await self._process.wait()


class Backend(Child):
    """A process of the app at a port of this machine."""

    def __init__(self, port: int, environment: Mapping[str, str]) -> None:
        address = (f"--server.port={port}", f"--server.address={_HERE}")
        command = [sys.executable, "-m", *server_arguments(environment), *address]
        super().__init__(f"the process at port {port}", command, server_environment(environment))
        self._port = port

    async def start(self) -> None:
        """Start it, and wait until it is ready.

        Raises
        ------
        InputError : it ends, or is not ready in time; then it is ended.
        """
        await super().start()
        try:
            await self._until_ready()
        except InputError:
            await self.stop()
            raise

    async def replace(self) -> None:
        """Have visitors sent elsewhere, let its runs end, end it, and wait until `keep` has started it again.

        Raises
        ------
        InputError : it is not ready in time.
        """
        leaving = self._process
        self.signal(signal.SIGUSR1)
        await asyncio.sleep(_NOTICE_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_RUN_SECONDS):
                while (await self._readiness()).get("runs"):
                    await asyncio.sleep(_POLL_SECONDS)
        await self.stop()
        while self._process is leaving:
            await asyncio.sleep(_POLL_SECONDS)
        await self._until_ready()

    async def _until_ready(self) -> None:
        """Wait for it.

        Raises
        ------
        InputError : it has ended, or is not ready in time.
        """
        process = self._process
        with suppress(TimeoutError):
            async with asyncio.timeout(_START_SECONDS):
                while process is not None and process.returncode is None:
                    if (await self._readiness()).get("reason") == "":
                        return
                    await asyncio.sleep(_POLL_SECONDS)
        raise InputError("serve.unready", port=self._port, seconds=_START_SECONDS)

    async def _readiness(self) -> dict[str, object]:
        """What it says at its address for proxies; nothing if it does not answer."""
        return await asyncio.to_thread(_read, f"http://{_HERE}:{self._port}{READY}")


def _read(url: str) -> dict[str, object]:
    try:
        with urlopen(url, timeout=_POLL_SECONDS * 10) as answer:
            return cast(dict[str, object], json.load(answer))
    except HTTPError as refused:
        return cast(dict[str, object], json.load(refused))
    except OSError:
        return {}


def shared_environment(environment: Mapping[str, str], n_processes: int) -> dict[str, str]:
    """The environment of each process: they share the machine's limits, and trust the proxy."""
    bounds = limits_from(environment)
    names = () if is_on_server(environment) else _DIVIDED
    divided = {variable(name): str(max(1, getattr(bounds, name) // n_processes)) for name in names}
    return {PROXY_VARIABLE: _HERE, **environment, **divided, PROCESSES_VARIABLE: str(n_processes)}


async def serve(n_processes: int, port: int, environment: Mapping[str, str]) -> None:
    """Serve until cancelled, at `port`; the processes have the ports after it.

    Raises
    ------
    InputError : a port is taken, Caddy is missing, or a process does not get ready.
    """
    caddy, ports = shutil.which("caddy"), range(port + 1, port + 1 + n_processes)
    if caddy is None:
        raise InputError("serve.no_caddy")
    for number, address in ((port, ""), *((each, _HERE) for each in ports)):
        if not is_free(number, address):
            raise InputError("serve.port", port=number, first=port, last=ports[-1])
    shared = shared_environment(environment, n_processes)
    backends = [Backend(each, shared) for each in ports]
    upstreams = " ".join(f"{_HERE}:{each}" for each in ports)
    proxy = Child(
        "Caddy",
        [caddy, "run", "--config", str(ROOT / "deploy" / "Caddyfile"), "--adapter", "caddyfile"],
        {f"{PREFIX}SITE": f":{port}", **environment, f"{PREFIX}UPSTREAMS": upstreams},
    )
    is_asked, children = _on_signals(), [proxy, *backends]
    keeping: list[asyncio.Task[None]] = []
    try:
        # The first alone: it compiles kernels, and mends a damaged library.
        await backends[0].start()
        await asyncio.gather(*(backend.start() for backend in backends[1:]))
        await proxy.start()
        keeping += [asyncio.create_task(child.keep()) for child in children]
        _log.warning("%d processes at http://localhost:%d", n_processes, port)
        while True:
            await is_asked.wait()
            is_asked.clear()
            await _replace(backends)
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*(child.stop() for child in children))


async def _replace(backends: Sequence[Backend]) -> None:
    try:
        for backend in backends:
            await backend.replace()
        _log.warning("all processes were restarted")
    except InputError as error:  # the others stay as they are
        _log.warning("%s", error)


def _on_signals() -> asyncio.Event:
    """Set on SIGHUP; SIGINT, SIGTERM and the end of the terminal, which sends SIGHUP too, cancel the current task."""
    is_asked, loop = asyncio.Event(), asyncio.get_running_loop()
    cancel, has_terminal = cast("asyncio.Task[None]", asyncio.current_task()).cancel, sys.stdin.isatty()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, cancel)
    loop.add_signal_handler(
        signal.SIGHUP, lambda: cancel() if has_terminal and not sys.stdin.isatty() else is_asked.set()
    )
    return is_asked


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m app.serve", description=__doc__)
    parser.add_argument("processes", type=int, choices=range(1, 65), metavar="N")
    parser.add_argument("--port", type=int, default=8501)
    options = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(message)s")
    environment = with_preset(os.environ)
    try:
        require_packages()
        check_library(environment)
        with suppress(asyncio.CancelledError):
            asyncio.run(serve(options.processes, options.port, environment))
    except InputError as error:
        sys.stderr.write(f"{error.text(locale_language())}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
