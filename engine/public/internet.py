"""Distinguish public internet addresses from those of networks that only this machine can reach."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# IPv6 addresses that end in an IPv4 address: "compatible" ones, and those of NAT64 (RFC 4291, RFC 6052).
_END_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")  # RFC 8215


def is_public(address: str) -> bool:
    """Whether an address is public; an IPv6 address with embedded IPv4 addresses is public if all of them are."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return _is_public(parsed)
    embedded = _embedded(parsed)
    if embedded:
        return all(map(_is_public, embedded))
    return _is_public(parsed) and not parsed.is_site_local and parsed not in _LOCAL_NAT64


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _embedded(address: IPv6Address) -> list[IPv4Address]:
    if any(address in network for network in _END_IN_IPV4):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    found = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    return [one for one in found if one]
