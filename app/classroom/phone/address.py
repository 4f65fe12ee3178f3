"""The address at which phones in the room reach this server."""

import ipaddress
import os
import socket
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from streamlit import config

from app.server.http.origins import URL_VARIABLE
from app.server.request import base_path


class JoinAddress(NamedTuple):
    """An address, and where it comes from: `set`, `browser`, `network`; `none` if phones cannot reach it."""

    url: str
    found: str


def join_address(browser_url: str, environment: Mapping[str, str] = os.environ) -> JoinAddress:
    """The address for the QR code, up to and including the base path.

    In order: the address set by PUBLIC_URL; the one in the lecturer's browser, unless it is the local machine; this
    machine's address in its network.

    Parameters
    ----------
    browser_url : of the lecturer's page.
    """
    public = environment.get(URL_VARIABLE, "").strip().rstrip("/")
    if public.startswith(("http://", "https://")):
        return JoinAddress(public, "set")
    parts = urlsplit(browser_url)
    if parts.hostname and not _is_this_machine(parts.hostname):
        return JoinAddress(f"{parts.scheme}://{parts.netloc}{base_path()}", "browser")
    bound = str(config.get_option("server.address") or "")
    own = network_address()
    if not own or (bound and _is_this_machine(bound)):
        return JoinAddress(f"http://localhost:{_port()}{base_path()}", "none")
    return JoinAddress(f"http://{own}:{_port()}{base_path()}", "network")


def network_address() -> str:
    """This machine's IPv4 address in its network; empty if it has none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: this only looks up the route
            found = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if _is_this_machine(found) else found


def _port() -> int:
    return int(config.get_option("server.port") or 8501)


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback
