"""A class on one server: `python tests/load.py [--sessions 30] [--trainers 5] [--seconds 120]`.

Starts the app on a free port of this machine and talks to it as browsers do, over websockets: every session opens
pages one after another and runs them again, as a click does; some of them open models that have to be trained. Prints
how long the server took for each run, how many runs failed, and the server's memory over time.
"""

import argparse
import asyncio
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.typing import Subprotocol

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("explore", "lattice", "scores", "rounds", "token", "boundaries", "fertility", "growth", "compare", "train",
         "learn_bpe", "learn_unigram", "learn_bytes", "learn_failures")  # fmt: skip
# What a reader of a page needs at least before the next click.
_PAUSE = (1.0, 4.0)
_TIMEOUT = 60.0


class Result(NamedTuple):
    """What a run of the load came to. Times are in seconds, memory in MB."""

    times: list[float]
    errors: list[str]
    memory: list[float]

    def percentile(self, share: float) -> float:
        """The time that this share of the runs stayed below."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Session:
    """One visitor: a websocket and the runs it asked for."""

    def __init__(self, url: str, seed: int, trains: bool, result: Result) -> None:
        self._url = url.replace("http", "ws") + "/_stcore/stream"
        self._dice = random.Random(seed)
        self._trains = trains
        self._result = result

    async def live(self, until: float) -> None:
        """Click until the time is over."""
        protocols = [Subprotocol("streamlit")]
        async with websockets.connect(self._url, subprotocols=protocols, max_size=None) as socket_:
            while time.monotonic() < until:
                await asyncio.wait_for(self._run(socket_, self._dice.choice(PAGES)), _TIMEOUT)
                for _ in range(self._dice.randint(0, 2)):
                    await asyncio.sleep(self._dice.uniform(*_PAUSE))
                    await asyncio.wait_for(self._run(socket_, None), _TIMEOUT)
                await asyncio.sleep(self._dice.uniform(*_PAUSE))

    async def _run(self, socket_: websockets.ClientConnection, page: str | None) -> None:
        """Ask for a run and wait for its end; without a page the last one runs again."""
        if page is not None:
            query = "lang=ko"
            if self._trains:
                page = "explore"
                query += f"&with=none&model=ko.news.essay~vocab_size-{self._dice.randint(800, 3000)}"
            self._state = (query, page)
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = self._state
        began = time.monotonic()
        await socket_.send(message.SerializeToString())
        is_finished = False
        async for data in socket_:
            forward = ForwardMsg()
            forward.ParseFromString(data if isinstance(data, bytes) else data.encode())
            if forward.WhichOneof("type") == "delta" and forward.delta.new_element.WhichOneof("type") == "exception":
                self._result.errors.append(f"{self._state[1]}: {forward.delta.new_element.exception.message[:200]}")
            if forward.WhichOneof("type") == "script_finished":
                is_finished = True
                break
        if not is_finished:
            raise ConnectionError(f"{self._state[1]}: the server closed the connection in the middle of a run")
        self._result.times.append(time.monotonic() - began)


async def _watch_memory(pid: int, until: float, result: Result) -> None:
    while time.monotonic() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        result.memory.append(int(status.partition("VmRSS:")[2].split()[0]) / 1024)
        await asyncio.sleep(2)


async def _all(url: str, pid: int, sessions: int, trainers: int, seconds: float) -> Result:
    result = Result([], [], [])
    until = time.monotonic() + seconds
    visitors = [_Session(url, seed, seed < trainers, result) for seed in range(sessions)]
    outcomes = await asyncio.gather(
        *(visitor.live(until) for visitor in visitors), _watch_memory(pid, until, result), return_exceptions=True
    )
    result.errors.extend(repr(outcome) for outcome in outcomes if isinstance(outcome, BaseException))
    return result


def run_load(sessions: int, trainers: int, seconds: float) -> Result:
    """Start the app, put the load on it, stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for arguments in (["engine", "warmup"], ["app.prepare"]):
        subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as library:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app/main.py", f"--server.port={port}",
             "--server.address=127.0.0.1"],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "THUNDER_TOK_LIBRARY": library},
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(f"{url}/_stcore/health")
            return asyncio.run(_all(url, server.pid, sessions, trainers, seconds))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the app did not start within 30 s")


def report(result: Result) -> str:
    """The figures in a few lines."""
    memory = result.memory or [0.0]
    half = memory[len(memory) // 2 :]
    return (
        f"{len(result.times):,} runs, {len(result.errors)} errors\n"
        f"server time of a run: median {statistics.median(result.times):.2f} s, p95 {result.percentile(0.95):.2f} s, "
        f"longest {max(result.times):.2f} s\n"
        f"memory of the server: {memory[0]:.0f} MB first, {half[0]:.0f} MB half-way, {memory[-1]:.0f} MB at the end\n"
        + "".join(f"error: {error}\n" for error in result.errors[:10])
    )


def main() -> None:
    """Read the options and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--trainers", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    sys.stdout.write(report(run_load(options.sessions, options.trainers, options.seconds)))


if __name__ == "__main__":
    main()
