"""Whom the server takes for whom."""

import pytest

from app.server.visitors import network, region, server_environment


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (None, ""),
        ("", ""),
        ("<script>", ""),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
    ],
)
def test_what_stands_for_an_address(address: str | None, expected: str) -> None:
    assert network(address) == expected


@pytest.mark.parametrize("proxy", ["", "192.0.2.1", "10.0.0.0/8,::1"])
@pytest.mark.parametrize("before", [{}, {"FORWARDED_ALLOW_IPS": "*"}])
def test_forwarded_addresses_are_believed_from_the_named_proxy_only(proxy: str, before: dict[str, str]) -> None:
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    environment = server_environment({**before, **({"THUNDER_TOK_TRUSTED_PROXY": proxy} if proxy else {})})
    trusted = ProxyHeadersMiddleware(None, environment["FORWARDED_ALLOW_IPS"]).trusted_hosts  # type: ignore[arg-type]
    known = [host for host in ("127.0.0.1", "::1", "192.0.2.1", "10.2.3.4", "198.51.100.9") if host in trusted]
    assert known == {"": [], "192.0.2.1": ["192.0.2.1"], "10.0.0.0/8,::1": ["::1", "10.2.3.4"]}[proxy]


@pytest.mark.parametrize("proxy", ["caddy", "10.0.0.5/8", "10.0.0.1,,::1", "*, 10.0.0.1"])
def test_a_proxy_that_is_no_address_is_logged(proxy: str, caplog: pytest.LogCaptureFixture) -> None:
    server_environment({"THUNDER_TOK_TRUSTED_PROXY": proxy})
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    caplog.clear()
    for right in ("", "*", "10.0.0.0/8, ::1"):
        server_environment({"THUNDER_TOK_TRUSTED_PROXY": right})
    assert not caplog.records


@pytest.mark.parametrize(
    ("network", "expected"),
    [("147.46.10.2", "147.46.0.0/16"), ("2001:db8:1:2::/64", "2001:db8::/32"), ("", ""), ("unix:", "")],
)
def test_a_region_is_the_provider_s_part(network: str, expected: str) -> None:
    assert region(network) == expected
