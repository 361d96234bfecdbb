"""The address that agents are told."""

from typing import Any

import pytest
from django.test import RequestFactory

from access.connecting import local_mcp_url, mcp_url


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        pytest.param("tools.example", "http://tools.example:4003/mcp", id="name"),
        pytest.param("tools.example:3002", "http://tools.example:4003/mcp", id="name and port"),
        pytest.param("[::1]", "http://[::1]:4003/mcp", id="IPv6"),
        pytest.param("[::1]:3002", "http://[::1]:4003/mcp", id="IPv6 and port"),
    ],
)
def test_address_is_the_port_of_the_host_that_was_asked(
    settings: Any, host: str, expected: str
) -> None:
    settings.ALLOWED_HOSTS, settings.MCP_PORT = ["*"], 4003
    request = RequestFactory().get("/", headers={"host": host})

    assert mcp_url(request) == expected


def test_public_address_goes_before_it(settings: Any) -> None:
    settings.MCP_PUBLIC_URL = "https://tools.example.com/mcp"
    request = RequestFactory().get("/")

    assert mcp_url(request) == "https://tools.example.com/mcp"
    assert local_mcp_url(request).startswith("http://testserver:")
