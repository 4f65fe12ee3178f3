"""Identifying visitors, to divide shared resources between them."""

import hashlib
import ipaddress
import logging
from collections.abc import Mapping
from typing import NamedTuple

from app.server.limits import PREFIX

PROXY_VARIABLE = f"{PREFIX}TRUSTED_PROXY"
_UVICORN_VARIABLE = "FORWARDED_ALLOW_IPS"
_log = logging.getLogger(__name__)


class Visitor(NamedTuple):
    """Who sends a request. Not a session: one browser may open any number of these.

    Parameters
    ----------
    address : the network of the connection, see `network`; a whole class may share one, so it alone limits nobody.
    browser : the secret stored in the browser; empty if it has not sent one, then the visitor is anonymous.
    """

    address: str = ""
    browser: str = ""

    def hashed(self) -> "Visitor":
        """The same visitor, as others may know them."""
        return Visitor(*(part and hashlib.sha256(part.encode()).hexdigest()[:32] for part in self))


NOBODY = Visitor()


def network(address: str | None) -> str:
    """The network of an address: for IPv6 its first 64 bits, since one host usually has all addresses of that network.

    Streamlit gives None for unknown addresses and for the local machine.
    """
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return str(parsed)


def region(network: str) -> str:
    """The provider's part of a `network`, of which one customer may have many: 32 bits of IPv6, 16 of IPv4."""
    try:
        near = ipaddress.ip_network(network)
    except ValueError:
        return ""
    return str(near.supernet(new_prefix=16 if near.version == 4 else 32))


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the server process: forwarded addresses are trusted only from the proxy in PROXY_VARIABLE.

    By default uvicorn, which serves the app, trusts any connection from the local machine. What is neither an address
    nor a network is logged: it trusts nobody.
    """
    proxies = environment.get(PROXY_VARIABLE, "").strip()
    for proxy in [] if proxies in ("", "*") else map(str.strip, proxies.split(",")):
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            _log.warning("%s: %r is no address or network such as 172.30.85.2 or 10.0.0.0/8", PROXY_VARIABLE, proxy)
    return {**environment, _UVICORN_VARIABLE: proxies}
