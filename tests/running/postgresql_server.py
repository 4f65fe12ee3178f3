"""A PostgreSQL server of the tests: Debian's programs, a cluster in a temporary folder, reached by a socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from app.server.store.schema import TABLES

_FAST = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c listen_addresses="


def programs() -> Path | None:
    """Folder of the newest server's programs; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).resolve().parent if named else None


class PostgresqlServer:
    """A running server, which can be killed and started again."""

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self.bin, self.folder = bin_folder, folder
        # The programs refuse to run as root.
        self._user = None if os.getuid() else "postgres" if _is_user("postgres") else "nobody"
        if self._user:
            shutil.chown(folder, self._user)
        self._run("initdb", "--auth=trust", "--username=tok", "--no-sync", "--encoding=UTF8", "--locale=C")
        self.start()

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://tok@/{name}?host={self.folder}"

    def start(self) -> None:
        options = f"{_FAST} -c unix_socket_directories={self.folder}"
        self._run("pg_ctl", "start", "--wait", "--silent", "--log", str(self.folder / "log"), "--options", options)

    def kill(self) -> None:
        """End the server's processes as a crash does: nothing is written any more."""
        self._run("pg_ctl", "stop", "--mode=immediate", "--silent", "--wait")

    def tool(self, name: str, *arguments: str) -> bytes:
        """Run one of the server's programs for clients; what it printed."""
        return subprocess.run([self.bin / name, *arguments], check=True, capture_output=True).stdout

    def _run(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [self.bin / name, "--pgdata", str(self.folder / "data"), *arguments],
            user=self._user,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def _is_user(name: str) -> bool:
    return any(entry.pw_name == name for entry in pwd.getpwall())


@contextmanager
def running() -> Iterator[PostgresqlServer]:
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        try:
            server = PostgresqlServer(bin_folder, Path(folder))
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"PostgreSQL's server does not start here ({type(error).__name__})")
        try:
            yield server
        finally:
            server.kill()


def empty(url: str) -> str:
    """The address, of a database whose tables are empty, if it has any."""
    with psycopg.connect(url) as db:
        if db.execute("SELECT to_regclass('thunder_tok')").fetchone() != (None,):
            db.execute(f"TRUNCATE {', '.join(TABLES)}, work RESTART IDENTITY")
    return url
