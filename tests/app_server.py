"""The app on a port of this machine, which can be killed and started again over the same library."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class AppServer:
    """A server that runs from now until `stop`; `settings` are environment variables."""

    def __init__(self, library: str, **settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "THUNDER_TOK_LIBRARY": library, **settings}
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app/main.py", f"--server.port={self.port}",
             "--server.address=127.0.0.1"],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._environment,
        )  # fmt: skip
        for _ in range(600):
            with suppress(OSError):
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
                return process
            time.sleep(0.1)
        raise TimeoutError("the app did not start within a minute")

    def restart(self) -> None:
        """Without a word to anybody, as after a power cut."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)
        self._process = self._start()

    def stop(self) -> None:
        """As the terminal does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
