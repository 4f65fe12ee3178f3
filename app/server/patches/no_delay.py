"""Answers leave the server at once.

Streamlit binds its socket without naming the protocol, and asyncio disables Nagle's algorithm only if it is named. So
the last packet of an answer waits until the browser acknowledges the one before, which browsers delay by 40 ms: longer
than most pages take.

Upstream: https://github.com/Kludex/uvicorn/issues/3149, the same in uvicorn.
"""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

RELIES_ON = {"streamlit/web/server/starlette/starlette_server.py": ("socket.socket(",)}


def send_at_once() -> None:
    """Disable Nagle's algorithm for the TCP sockets of this process; sockets accepted from now on inherit it."""
    for descriptor in _sockets():
        # Sockets other than TCP refuse the option.
        with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as one:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _sockets() -> list[int]:
    """Open sockets of this process, if the system lists them."""
    found = []
    with suppress(OSError):
        for path in Path("/dev/fd").iterdir():
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(int(path.name)).st_mode):
                    found.append(int(path.name))
    return found
