"""`python -m app`, or `thunder-tok-app`: start the server.

Arguments are passed on to `streamlit run`: `python -m app --server.port=8080`.
"""

import errno
import os
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from app.server.limits import limits_from, with_preset
from app.server.store.opening import check_library
from app.server.visitors import server_environment
from engine.errors import InputError
from engine.messages import locale_language

_USUAL = 8501
_REFUSED = (errno.EADDRINUSE, errno.EACCES)


def check_port(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise an InputError if the port that was asked for is taken. If none was, Streamlit looks for a free one."""
    port = _option("port", arguments, environment)
    address = _option("address", arguments, environment)
    if re.fullmatch("-?[0-9]{1,9}", port) and not is_free(int(port), address):
        free = next((one for one in range(_USUAL, _USUAL + 100) if is_free(one, address)), 0)
        raise InputError("port.taken", port=port, free=free)


def _option(name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Streamlit's option `server.<name>`, from `--server.port=80`, `--server.port 80` or the environment."""
    flag = f"--server.{name}"
    value = environment.get(f"STREAMLIT_SERVER_{name.upper()}", "")
    for argument, following in pairwise([*arguments, ""]):
        if argument == flag:
            value = following
        elif argument.startswith(f"{flag}="):
            value = argument.partition("=")[2]
    return value


def is_free(port: int, address: str) -> bool:
    """Whether a server could listen there; true as well if something else is wrong, which Streamlit then reports."""
    if not 0 <= port < 65536:
        return False
    is_dual = not address and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if is_dual or ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family, dualstack_ipv6=is_dual).close()
    except OSError as error:
        return error.errno not in _REFUSED
    return True


# What the app imports and the engine does not, by its names there.
PACKAGES = (
    "anyio",
    "cachetools",
    "plotly",
    "prometheus_client",
    "resvg_py",
    "segno",
    "starlette",
    "streamlit",
    "uvicorn",
    "websockets",
)


def main() -> None:
    """Replace this process by the server, so that signals reach it."""
    environment = with_preset(os.environ)
    try:
        require_packages()
        check_port(sys.argv[1:], environment)
        check_library(environment)
    except InputError as error:
        sys.stderr.write(f"{error.text(locale_language())}\n")
        sys.exit(2)
    arguments = [sys.executable, "-m", *server_arguments(environment), *sys.argv[1:]]
    os.execve(sys.executable, arguments, server_environment(environment))


def require_packages() -> None:
    """Raise InputError if the package was installed without its extra `app`."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError("app.missing", packages=", ".join(missing))


def server_arguments(environment: Mapping[str, str]) -> list[str]:
    """Arguments of `python -m` that start the server; Streamlit itself rejects uploads above the limit."""
    upload = f"--server.maxUploadSize={limits_from(environment).upload_mb}"
    return ["streamlit", "run", str(Path(__file__).resolve().parent / "main.py"), upload]


if __name__ == "__main__":
    main()
