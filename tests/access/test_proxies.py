"""Whose word on a client's address counts."""

from ipaddress import ip_network
from typing import Any

import pytest
from django.test import RequestFactory

from access.proxies import client_address

PROXIES = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]


def address(settings: Any, peer: str, forwarded: str, trusted: list[str]) -> str:
    settings.TRUSTED_PROXIES = [ip_network(one) for one in trusted]
    request = RequestFactory(REMOTE_ADDR=peer).get("/", headers={"X-Forwarded-For": forwarded})
    return client_address(request)


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        pytest.param("127.0.0.1", "192.0.2.1", "192.0.2.1", id="one proxy"),
        pytest.param("127.0.0.1", "192.0.2.1, 10.1.1.1", "192.0.2.1", id="two proxies"),
        pytest.param("127.0.0.1", "1.1.1.1, 192.0.2.1", "192.0.2.1", id="client's own word"),
        pytest.param("127.0.0.1", "", "127.0.0.1", id="no word"),
        pytest.param("127.0.0.1", "192.0.2.1, nonsense", "127.0.0.1", id="nonsense"),
        pytest.param("127.0.0.1", "192.0.2.1:4711", "192.0.2.1", id="with a port"),
        pytest.param("127.0.0.1", "[2001:db9::1]:4711", "2001:db9::1", id="IPv6 with a port"),
        pytest.param("::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1", id="mapped proxy"),
        pytest.param("192.0.2.9", "192.0.2.1", "192.0.2.9", id="not a proxy"),
        pytest.param("", "192.0.2.1", "", id="a socket without an address"),
    ],
)
def test_address_is_the_last_that_no_proxy_of_ours_has(
    settings: Any, peer: str, forwarded: str, found: str
) -> None:
    assert address(settings, peer, forwarded, PROXIES) == found


def test_nothing_is_believed_of_a_loopback_client_by_default(settings: Any) -> None:
    assert settings.TRUSTED_PROXIES == []
    assert address(settings, "127.0.0.1", "192.0.2.1", []) == "127.0.0.1"
