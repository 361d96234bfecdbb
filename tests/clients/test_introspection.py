"""Opaque tokens of a real issuer, which alone can say what they are."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from cryptography.fernet import Fernet

from access.encryption import seal
from access.models import CallRecord, IssuerRule, TokenIssuer
from tests.factories import make_expression, make_toolset
from tests.mcp_runtime.conftest import Serve, Served
from tests.mcp_runtime.lane.requests import Case
from tests.mcp_runtime.lane.ways import both_ways
from tests.oidc_server import TOOLS, OidcServer, oidc_server
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = "https://tools.example.org/mcp"


@pytest.fixture
async def issuer(node: Path, transactional_db: None, settings: Any) -> AsyncIterator[OidcServer]:
    """A server whose access tokens nobody else can read; its people of the group sales have a toolset."""
    settings.MCP_PUBLIC_URL = PUBLIC
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    async with oidc_server(format="opaque") as server:
        await sync_to_async(write_rows)(server.url)
        yield server


def write_rows(url: str) -> None:
    make_expression("a * b", name="multiply")
    make_toolset("sales", "multiply")
    row = TokenIssuer(
        name="corp",
        url=url,
        scope="tools:read",
        introspection_url=f"{url}/token/introspection",
        introspection_client_id=TOOLS[0],
    )
    row.introspection_secret = seal(TOOLS[1], row.introspection_identity)
    row.save()
    IssuerRule.objects.create(
        issuer=row, claim="groups", test="contains", value="sales", toolsets=["sales"]
    )


async def test_issuer_says_whose_an_opaque_token_is_and_what_it_is_good_for(
    issuer: OidcServer, serve: Serve, settings: Any, *, subtests: pytest.Subtests, caplog: Any
) -> None:
    alice, bob = await issuer.grant(PUBLIC), await issuer.grant(PUBLIC, "bob")
    elsewhere = await issuer.grant("https://else.example.org/mcp")
    case = Case("")
    async with both_ways(serve, settings) as ways:
        for name, token, status, words in (
            ("good", alice["access_token"], 200, ""),
            ("again", alice["access_token"], 200, ""),
            ("refresh", alice["refresh_token"], 401, "this is no access token"),
            ("audience", elsewhere["access_token"], 401, "issued for another audience"),
            ("no rule", bob["access_token"], 403, "no rule here grants anything"),
            ("invented", "invented", 401, "the issuer does not know this token"),
            ("key", "mcp_mistyped", 401, "neither an API key nor a JWT"),
        ):
            for way in ways:
                with subtests.test(name):
                    answer = await way.ask(case, token)

                    assert answer.status == status
                    assert words in answer.body.decode()
                    assert token not in caplog.text + str(answer.headers)
        direct = Served(ways[0].served.runtime, ways[0].served.url, alice["access_token"])
        called = await direct.call("multiply", a=2, b=3)

        assert called.data == 6
    records = CallRecord.objects.filter(outcome="ok").values_list("caller", "key_id")
    assert {row async for row in records} == {("corp:alice", "")}


async def test_revoked_token_is_refused_once_it_is_asked_about_again(
    issuer: OidcServer, serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_runtime.tokens.TOKEN_CACHE_SECONDS", 0.0)
    token = (await issuer.grant(PUBLIC))["access_token"]
    async with both_ways(serve, settings) as ways:
        before = [(await way.ask(Case(""), token)).status for way in ways]
        await issuer.revoke(token)
        after = [(await way.ask(Case(""), token)).status for way in ways]

    assert (before, after) == ([200, 200], [401, 401])


async def test_issuer_that_does_not_let_us_ask_or_is_away_condemns_no_token(
    issuer: OidcServer, serve: Serve, settings: Any, admin_user: Any
) -> None:
    token = (await issuer.grant(PUBLIC))["access_token"]
    row = await TokenIssuer.objects.aget()
    row.introspection_secret = await sync_to_async(seal)("wrong", row.introspection_identity)
    await row.asave()
    async with both_ways(serve, settings) as ways:
        unknown = await ways[0].ask(Case(""), token)
        # Port 9 of this machine answers nobody.
        row.introspection_url = "http://127.0.0.1:9/introspection"
        row.introspection_secret = await sync_to_async(seal)("wrong", row.introspection_identity)
        await row.asave()

        async def is_away() -> bool:
            answer = await ways[0].ask(Case(""), token)
            assert (answer.status, answer.headers["retry-after"]) == (503, "5")
            return "cannot be asked about it" in json.loads(answer.body)["error_description"]

        await eventually(is_away)
    assert unknown.status == 503
    assert "does not take our client id and secret" in unknown.body.decode()
