"""Keys of a real issuer: when they are read, how long they stay good, and where issuers may be."""

import time

import pytest

from core.errors import IssuerUnavailableError, TokenRefusedError
from gateways.issuers import FRESH_S, KEPT_S, IssuerKeys, is_issuer_url, read_metadata
from tests.oidc_server import make_key, oidc_server


def make_old(keys: IssuerKeys, url: str, seconds: float) -> None:
    """As if the keys had been read so long ago."""
    published = keys._published[url]
    published.read_at = published.tried_at = time.monotonic() - seconds


async def test_known_keys_stay_good_for_a_day_while_the_issuer_is_away() -> None:
    keys = IssuerKeys()
    async with oidc_server() as server:
        assert (await keys.find(server.url, "first")).kid == "first"

    make_old(keys, server.url, FRESH_S + 1)
    assert await keys.find(server.url, "first")
    with pytest.raises(IssuerUnavailableError):
        await keys.find(server.url, "second")
    make_old(keys, server.url, KEPT_S + 1)
    with pytest.raises(IssuerUnavailableError):
        await keys.find(server.url, "first")


async def test_tokens_of_unknown_keys_do_not_make_us_read_again_and_again() -> None:
    keys = IssuerKeys()
    async with oidc_server() as server:
        await keys.find(server.url, "first")
        await server.rotate(make_key("second"))

        for _ in range(3):
            with pytest.raises(TokenRefusedError, match="does not publish"):
                await keys.find(server.url, "second")
        make_old(keys, server.url, 6)

        assert await keys.find(server.url, "second")
        with pytest.raises(TokenRefusedError):
            await keys.find(server.url, "first")


async def test_server_that_calls_itself_otherwise_is_no_issuer() -> None:
    async with oidc_server() as server:
        assert (await read_metadata(server.url))["issuer"] == server.url

        with pytest.raises(IssuerUnavailableError):
            await read_metadata(server.url.replace("127.0.0.1", "localhost"))


@pytest.mark.parametrize(
    ("url", "is_good"),
    [
        ("https://login.example.org/realms/corp", True),
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080/a", True),
        ("http://login.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("https://user@login.example.org", False),
        ("https://login.example.org?a=1", False),
        ("https://login.example.org#a", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("", False),
    ],
)
def test_issuers_are_at_safe_addresses(url: str, is_good: bool) -> None:
    assert is_issuer_url(url) is is_good
