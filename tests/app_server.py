"""The app on a port of this machine, which can be killed and started again over the same library."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError

ROOT = Path(__file__).resolve().parent.parent


class AppServer:
    """A server that runs from now until `stop`; `settings` are environment variables.

    `open_files` is the (soft, hard) limit of its descriptors; `log` takes what it prints.
    """

    def __init__(
        self, library: str, open_files: tuple[int, int] | None = None, log: Path = Path(os.devnull), **settings: str
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "THUNDER_TOK_LIBRARY": library, **settings}
        self._open_files, self._log = open_files, log
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "streamlit",
                    "run",
                    "app/main.py",
                    f"--server.port={self.port}",
                    "--server.address=127.0.0.1",
                ],
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
        """As the terminal does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
