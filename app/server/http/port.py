"""The port of the server, tried before anything slow: Streamlit would refuse it only after all preparations."""

import errno
import socket
from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.errors import InputError

_USUAL = 8501
_REFUSED = (errno.EADDRINUSE, errno.EACCES)


def check_port(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise an InputError if the port that was asked for is taken. If none was, Streamlit looks for a free one."""
    port = _option("port", arguments, environment)
    address = _option("address", arguments, environment)
    if port.isdecimal() and int(port) < 65536 and not _is_free(int(port), address):
        free = next((one for one in range(_USUAL, _USUAL + 100) if _is_free(one, address)), 0)
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


def _is_free(port: int, address: str) -> bool:
    """Whether a server could listen there; true as well if something else is wrong, which Streamlit then reports."""
    is_dual = not address and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if is_dual or ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family, dualstack_ipv6=is_dual).close()
    except OSError as error:
        return error.errno not in _REFUSED
    return True
