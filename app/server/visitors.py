"""Who asks: what the server tells visitors apart by where they have to share."""

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple

from app.server.limits import PREFIX

PROXY_VARIABLE = f"{PREFIX}TRUSTED_PROXY"
_UVICORN_VARIABLE = "FORWARDED_ALLOW_IPS"


class Visitor(NamedTuple):
    """Who asks. A session is nobody: one browser may have as many as it likes.

    Parameters
    ----------
    address : where the connection comes from, see `network`; a whole class may share one, so it alone limits nobody.
    browser : the secret that the browser keeps; empty where it has not told one, then nobody in particular asks.
    """

    address: str = ""
    browser: str = ""


NOBODY = Visitor()


def network(address: str | None) -> str:
    """What stands for an address: of IPv6 the first 64 bits, for whoever has one address there has all of these.

    Streamlit says None where it does not know, and for this very machine.
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


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the server process: forwarded addresses are believed from the proxy of PROXY_VARIABLE only.

    uvicorn, which serves the app, would believe whoever connects from this machine; its own variable says whom instead.
    """
    return {**environment, _UVICORN_VARIABLE: environment.get(PROXY_VARIABLE, "").strip()}
