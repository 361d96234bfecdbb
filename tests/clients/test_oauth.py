"""Access tokens of a real issuer: the code flow of a public client, and what is refused with which words."""

import base64
import hmac
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from fastmcp import Client
from fastmcp.client.auth import OAuth
from joserfc.jwk import RSAKey
from mcp.client.auth import AuthorizationCodeResult

from access.issuers.models import IssuerPerson
from access.models import CallRecord, IssuerRule, TokenIssuer, ToolLimit
from tests.factories import claim, make_expression, make_toolset
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.mcp_runtime.lane.requests import OLD, Case
from tests.mcp_runtime.lane.ways import Way, both_ways
from tests.mcp_runtime.test_fastmcp_contract import modern_request
from tests.oidc_server import OidcServer, make_key, oidc_server
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = "https://tools.example.org/mcp"


@pytest.fixture
async def issuer(node: Path, transactional_db: None) -> AsyncIterator[OidcServer]:
    """A server whose people of the group sales have the toolset sales; two tools, one of them in it."""
    async with oidc_server() as server:
        await sync_to_async(write_rows)(server.url)
        yield server


def write_rows(url: str) -> None:
    make_expression("a * b", name="multiply")
    make_expression("a + b", name="add")
    make_toolset("sales", "multiply")
    row = TokenIssuer.objects.create(name="corp", url=url, scope="tools:read")
    IssuerRule.objects.create(
        issuer=row, claim="groups", test="contains", value="sales", toolsets=["sales"]
    )


class Headless(OAuth):
    """FastMCP's own client, with a person who needs no browser."""

    def __init__(self, server: OidcServer, person: str = "alice") -> None:
        super().__init__(callback_port=33_418)
        self._server, self._person = server, person

    async def redirect_handler(self, authorization_url: str) -> None:
        self.got = await self._server.walk(authorization_url, self._person)

    async def callback_handler(self) -> AuthorizationCodeResult:
        got = self.got
        return AuthorizationCodeResult(code=got["code"], state=got["state"], iss=got.get("iss"))


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
@pytest.mark.parametrize(("era", "toolset"), list(zip(ERAS, ["", "/sales"], strict=True)))
async def test_public_client_gets_in_by_the_code_flow(
    issuer: OidcServer, serve: Serve, settings: Any, *, era: str, toolset: str
) -> None:
    async with serve() as served:
        settings.MCP_PUBLIC_URL = served.url

        async with Client(f"{served.url}{toolset}", auth=Headless(issuer), mode=era) as client:
            names = [tool.name for tool in await client.list_tools()]
            answer = await client.call_tool("multiply", {"a": 2, "b": 3})

    assert names == ["multiply"]
    assert answer.data == 6
    record = await CallRecord.objects.aget()
    assert (record.caller, record.key_id) == ("corp:alice", "")


async def test_metadata_names_the_issuers_at_each_endpoint(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    async with serve() as served, httpx.AsyncClient() as http:
        root = served.url.removesuffix("/mcp") + "/.well-known/oauth-protected-resource"
        found = {
            path: (await http.get(root + path, headers={"Host": "elsewhere.example"})).json()
            for path in ("", "/mcp", "/mcp/sales")
        }
        other = await http.get(f"{root}/else")

    assert {path: body["resource"] for path, body in found.items()} == {
        "": PUBLIC,
        "/mcp": PUBLIC,
        "/mcp/sales": f"{PUBLIC}/sales",
    }
    assert found["/mcp"]["authorization_servers"] == [issuer.url]
    assert found["/mcp"]["scopes_supported"] == ["tools:read"]
    assert other.status_code == 404


async def test_without_issuers_nothing_is_said_of_oauth(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        request = modern_request(served, "multiply", {})
        del request["headers"]["Authorization"]

        answer = await http.post(**request)
        root = served.url.removesuffix("/mcp")
        metadata = await http.get(f"{root}/.well-known/oauth-protected-resource")

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert metadata.status_code == 404


def encode(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def by_hand(server: OidcServer, algorithm: str, sign: Callable[[bytes], bytes]) -> str:
    head = {"alg": algorithm, "typ": "at+jwt", "kid": "first"}
    parts = (json.dumps(part).encode() for part in (head, server.claims(PUBLIC)))
    text = ".".join(map(encode, parts))
    return f"{text}.{encode(sign(text.encode()))}"


def unsigned(server: OidcServer) -> str:
    return by_hand(server, "none", lambda _: b"")


def signed_with_the_public_key(server: OidcServer) -> str:
    secret = server.key.as_pem(private=False)
    return by_hand(server, "HS256", lambda text: hmac.digest(secret, text, "sha256"))


def signed_otherwise(server: OidcServer) -> str:
    published = server.key.as_dict(private=True)
    key = RSAKey.import_key({name: published[name] for name in published if name != "alg"})
    return server.sign(server.claims(PUBLIC), key, alg="PS256")


def made(**changes: Any) -> Callable[[OidcServer], str]:
    return lambda server: server.sign(server.claims(PUBLIC, **changes))


def headed(**header: Any) -> Callable[[OidcServer], str]:
    return lambda server: server.sign(server.claims(PUBLIC), **header)


def broken(server: OidcServer) -> str:
    head, body, _ = server.sign(server.claims(PUBLIC)).split(".")
    return f"{head}.{body}.{server.sign(server.claims(PUBLIC, sub='eve')).split('.')[2]}"


REFUSED: dict[str, tuple[Callable[[OidcServer], str], int, str]] = {
    "expired": (made(exp=int(time.time()) - 60), 401, "the token is expired"),
    "no exp": (made(exp=None), 401, "the token does not say when it expires"),
    "exp as text": (made(exp="4102444800"), 401, "the token does not say when it expires"),
    "nbf": (made(nbf=int(time.time()) + 3600), 401, "the token is not valid yet"),
    "iat": (made(iat=int(time.time()) + 3600), 401, "the token is not valid yet"),
    "audience": (
        made(aud="https://else.example.org/mcp"),
        401,
        "the token was issued for another audience",
    ),
    "toolset": (made(aud=f"{PUBLIC}/sales"), 401, "the token was issued for another audience"),
    "no aud": (made(aud=None), 401, "the token was issued for another audience"),
    "issuer": (
        made(iss="https://else.example.org"),
        401,
        "the token is from an issuer that is not registered here",
    ),
    "none": (unsigned, 401, "the token is signed with an algorithm that is not allowed here"),
    "HS256": (
        signed_with_the_public_key,
        401,
        "the token is signed with an algorithm that is not allowed here",
    ),
    "PS256": (
        signed_otherwise,
        401,
        "the token is signed with an algorithm that is not allowed here",
    ),
    "other kid": (
        headed(kid="other"),
        401,
        "the token is signed with a key that the issuer does not publish",
    ),
    "own key": (
        lambda server: server.sign(server.claims(PUBLIC), make_key("first")),
        401,
        "the signature of the token is wrong",
    ),
    "broken": (broken, 401, "the signature of the token is wrong"),
    "ID token": (
        made(nonce="n"),
        401,
        "this is an ID token, which is for the client; send the access token",
    ),
    "logout token": (headed(typ="logout+jwt"), 401, "this is no access token"),
    "nobody's": (made(sub=None, client_id=None), 401, "the token does not say whose it is"),
    "opaque": (lambda _: "opaque", 401, "this is neither an API key nor a JWT"),
    "nonsense": (lambda _: "a.b.c", 401, "this is no token that can be read here"),
    "no scope": (made(scope="openid"), 403, "the token lacks the scope tools:read"),
    "no rule": (made(groups=[]), 403, "no rule here grants anything to it"),
}


async def test_bad_token_is_refused_with_the_right_words(
    issuer: OidcServer, serve: Serve, settings: Any, *, subtests: pytest.Subtests, caplog: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    case = Case("")
    async with both_ways(serve, settings) as ways:
        good = issuer.sign(issuer.claims(PUBLIC))
        for way in ways:
            # So that the lane knows one that is good.
            assert (await way.ask(case, good)).status == 200
        for name, (make, status, words) in REFUSED.items():
            for way in ways:
                with subtests.test(name):
                    token = make(issuer)

                    answer = await way.ask(case, token)

                    challenge = answer.headers.get("www-authenticate", "")
                    assert answer.status == status
                    assert words in json.loads(answer.body)["error_description"]
                    assert ("resource_metadata=" in challenge) is (name != "no rule")
                    assert token not in caplog.text + str(answer)


async def test_both_lanes_serve_a_token_and_each_endpoint_has_its_audience(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    tokens = {name: issuer.sign(issuer.claims(PUBLIC + name)) for name in ("", "/sales", "/else")}
    async with both_ways(serve, settings) as ways:
        for way in ways:
            for path, name, status in (
                ("/mcp", "", 200),
                ("/mcp/sales", "", 200),
                ("/mcp/sales", "/sales", 200),
                ("/mcp", "/sales", 401),
                ("/mcp/sales", "/else", 401),
            ):
                for _ in range(2):
                    case = Case("", path=path)
                    assert (await way.ask(case, tokens[name])).status == status

        assert len(ways[0].taken) == 6


async def test_session_of_a_token_is_its_holders(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    token = issuer.sign(issuer.claims(PUBLIC))
    other = issuer.sign(issuer.claims(PUBLIC) | {"sub": "another"})
    async with both_ways(serve, settings) as ways:
        for way in ways:
            await way.begin_session(token=token)
            # The second is one for which the SDK has to know the session.
            for name in ("tools/list", "prompts/list", "tools/list"):
                case = Case("", era=OLD, message={"method": name})
                assert (await way.ask(case, token)).status == 200
                assert (await way.ask(case, other)).status == 404


async def test_missing_token_and_missing_scope_are_challenged(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    where = 'resource_metadata="https://tools.example.org/.well-known/oauth-protected-resource/mcp'
    async with serve() as served, httpx.AsyncClient() as http:
        request = modern_request(served, "multiply", {})
        request["headers"]["Authorization"] = (
            f"Bearer {issuer.sign(issuer.claims(PUBLIC, scope=''))}"
        )
        lacking = await http.post(**request)
        del request["headers"]["Authorization"]
        missing = await http.post(**request)
        request["url"] += "/sales"
        at_toolset = await http.post(**request)

    assert missing.headers["www-authenticate"] == f'Bearer scope="tools:read", {where}"'
    assert at_toolset.headers["www-authenticate"] == f'Bearer scope="tools:read", {where}/sales"'
    assert lacking.headers["www-authenticate"] == (
        'Bearer error="insufficient_scope", error_description="the token lacks the scope tools:read",'
        f' scope="tools:read", {where}"'
    )


async def test_rotated_key_is_taken_up_and_the_withdrawn_one_is_refused(
    issuer: OidcServer, serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    monkeypatch.setattr("gateways.issuers.READ_INTERVAL_S", 0.0)
    async with serve() as served:
        way = Way(served)
        old = issuer.sign(issuer.claims(PUBLIC))
        assert (await way.ask(Case(""), old)).status == 200

        await issuer.rotate(make_key("second"))
        new = await way.ask(Case(""), issuer.sign(issuer.claims(PUBLIC)))
        withdrawn = issuer.sign(issuer.claims(PUBLIC, jti="2"), make_key("first"), kid="first")
        refused = await way.ask(Case(""), withdrawn)

    assert new.status == 200
    assert "does not publish" in json.loads(refused.body)["error_description"]


async def test_good_token_waits_for_an_issuer_that_is_away(
    node: Path, serve: Serve, settings: Any, transactional_db: None
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    async with oidc_server() as server:
        await sync_to_async(write_rows)(server.url)
        token = server.sign(server.claims(PUBLIC))
    async with serve() as served:
        answer = await Way(served).ask(Case(""), token)
        key = await Way(served).ask(Case(""))

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert key.status == 200


async def test_claims_give_bound_values_and_limits_count_the_person(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    await sync_to_async(make_expression)(
        "region", name="where", parameters=[claim("region", "of_person", param_type="STRING")]
    )
    await IssuerRule.objects.aupdate(allowed_tools=["where"], bound={"of_person": "tenant"})
    await ToolLimit.objects.acreate(target_type="USER", target_id="corp:alice", max_count=2)
    async with serve() as served:
        alice = Served(served.runtime, served.url, issuer.sign(issuer.claims(PUBLIC)))
        nowhere = issuer.sign(issuer.claims(PUBLIC, sub="bob", tenant=None))

        found = await alice.call("where")
        lacking = await Served(served.runtime, served.url, nowhere).call("where")
        await alice.call("where")
        over = await alice.call("where")

    assert "KR" in found.content[0].text
    assert "which your access token does not give" in lacking.content[0].text
    assert "the limit of the user 'corp:alice' is 2 calls" in over.content[0].text


async def refusal_of(served: Served, token: str) -> int:
    return (await Way(served).ask(Case(""), token)).status


def answers(served: Served, token: str, status: int) -> Callable[[], Awaitable[bool]]:
    """Whether a request with the token has that status now."""

    async def does_answer() -> bool:
        return await refusal_of(served, token) == status

    return does_answer


async def test_change_of_an_issuer_or_a_rule_is_followed(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    token = issuer.sign(issuer.claims(PUBLIC))
    async with serve() as served:
        assert await refusal_of(served, token) == 200
        await IssuerRule.objects.aupdate(value="purchase")
        await eventually(answers(served, token, 403))
        await IssuerRule.objects.aupdate(value="sales")
        await eventually(answers(served, token, 200))
        await TokenIssuer.objects.aupdate(is_active=False)
        await eventually(answers(served, token, 401))


async def test_person_who_is_switched_off_here_is_refused_with_a_token_too(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    row = await TokenIssuer.objects.aget()
    user = await User.objects.acreate(username="alice@corp")
    await IssuerPerson.objects.acreate(issuer=row, subject="alice", user=user)
    token = issuer.sign(issuer.claims(PUBLIC))
    async with serve() as served:
        assert await refusal_of(served, token) == 200
        await User.objects.filter(pk=user.pk).aupdate(is_active=False)
        await eventually(answers(served, token, 403))
        other = await refusal_of(served, issuer.sign(issuer.claims(PUBLIC, sub="carol")))
        await User.objects.filter(pk=user.pk).aupdate(is_active=True)
        await eventually(answers(served, token, 200))

    assert other == 200


async def test_issuer_whose_tokens_are_good_for_nothing_is_not_offered(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    row = await TokenIssuer.objects.acreate(name="pages", url="https://login.example.org")
    await IssuerRule.objects.acreate(
        issuer=row, claim="sub", test="matches", value="*", people_groups=["viewers"]
    )
    async with serve() as served, httpx.AsyncClient() as http:
        root = served.url.removesuffix("/mcp") + "/.well-known/oauth-protected-resource"

        found = (await http.get(f"{root}/mcp")).json()
        challenge = await http.post(served.url, json={})

    assert found["authorization_servers"] == [issuer.url]
    assert 'scope="tools:read"' in challenge.headers["www-authenticate"]


async def test_session_belongs_to_the_subject_of_its_issuer(
    issuer: OidcServer, serve: Serve, settings: Any
) -> None:
    settings.MCP_PUBLIC_URL = PUBLIC
    async with serve() as served:
        alice, eve = (issuer.sign(issuer.claims(PUBLIC, sub=name)) for name in ("alice", "eve"))
        way = Way(served)
        served_as_alice = Served(served.runtime, served.url, alice)
        way.served = served_as_alice
        await way.begin_session()
        case = Case("", era="2025-11-25")

        own, other = await way.ask(case), await way.ask(case, eve)

    assert own.status == 200
    assert other.status == 404
