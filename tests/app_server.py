"""The app on a port of this machine, which can be killed and started again over the same library.

Or several processes of it with a proxy in front of them, as `make serve` starts them.
"""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.error import HTTPError

import psutil  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent


def free_ports(n: int) -> int:
    """The first of so many consecutive free ports."""
    for _ in range(100):
        with ExitStack() as open_ports, suppress(OSError, OverflowError):
            first = open_ports.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            for port in range(first + 1, first + n):
                open_ports.enter_context(socket.create_server(("127.0.0.1", port)))
            return int(first)
    raise OSError("no consecutive free ports")


def _cpu_seconds(process: psutil.Process) -> float:
    """What a process and all processes below it have computed."""
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += sum(each.cpu_times()[:2])
    return total


def cpu_seconds_here() -> float:
    """What this process, its browsers and its servers have computed."""
    return _cpu_seconds(psutil.Process())


class AppServer:
    """A server that runs from now until `stop`; `settings` are environment variables.

    `open_files` is the (soft, hard) limit of its descriptors; `log` takes what it prints. `python -m app.serve` starts
    it if there is more than one of its `processes`.
    """

    def __init__(
        self,
        library: str,
        open_files: tuple[int, int] | None = None,
        log: Path = Path(os.devnull),
        processes: int = 1,
        **settings: str,
    ) -> None:
        self._processes = processes
        self.port = free_ports(processes if processes == 1 else processes + 1)
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "THUNDER_TOK_LIBRARY": library, **settings}
        self._open_files, self._log = open_files, log
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *self._module()],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                env=self._environment,
                preexec_fn=self._limit,
            )
        for _ in range(600):
            with suppress(OSError):
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
                return process
            time.sleep(0.1)
        raise TimeoutError("the app did not start within a minute")

    def _module(self) -> list[str]:
        if self._processes > 1:
            return ["app.serve", str(self._processes), f"--port={self.port}"]
        return ["streamlit", "run", "app/main.py", f"--server.port={self.port}", "--server.address=127.0.0.1"]

    def backends(self) -> dict[int, psutil.Process]:
        """The processes of the app, by port."""
        if self._processes == 1:
            return {self.port: psutil.Process(self.pid)}
        children = psutil.Process(self.pid).children()
        ports = {child: re.findall(r"--server\.port=(\d+)", " ".join(child.cmdline())) for child in children}
        return {int(port[0]): child for child, port in ports.items() if port}

    def cpu_seconds(self) -> tuple[float, float]:
        """What the app with its workers, and the proxy, have computed so far."""
        app = sum(_cpu_seconds(process) for process in self.backends().values())
        return app, (_cpu_seconds(psutil.Process(self.pid)) - app if self._processes > 1 else 0.0)

    def memory(self) -> float:
        """Resident memory of the processes of the app, without workers, MB."""
        return sum(process.memory_info().rss for process in self.backends().values()) / (1 << 20)

    def readiness(self) -> tuple[int, dict[str, object]]:
        """Status and content of its address for proxies."""
        try:
            with urllib.request.urlopen(f"{self.url}/ready", timeout=5) as answer:
                return answer.status, json.load(answer)
        except HTTPError as refused:
            return refused.code, json.load(refused)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _limit(self) -> None:
        if self._open_files:
            resource.setrlimit(resource.RLIMIT_NOFILE, self._open_files)

    def restart(self) -> None:
        """Without a word to anybody, as after a power cut."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)
        self._process = self._start()

    def stop(self) -> None:
        """As a service manager does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def interrupt(self) -> None:
        """As Ctrl+C does."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)
