"""Which addresses are of the internet, and not of a network that only this machine can reach."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# Addresses that end in one of IPv4: "compatible" ones, and those that a NAT64 translates (RFC 4291, RFC 6052).
_END_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")  # RFC 8215


def is_public(address: str) -> bool:
    """Whether an address leads into the internet; one that holds addresses of IPv4 leads to these."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return _is_public(parsed)
    held = _held(parsed)
    if held:
        return all(map(_is_public, held))
    return _is_public(parsed) and not parsed.is_site_local and parsed not in _LOCAL_NAT64


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _held(address: IPv6Address) -> list[IPv4Address]:
    if any(address in network for network in _END_IN_IPV4):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    found = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    return [one for one in found if one]
