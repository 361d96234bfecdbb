"""Access tokens by client credentials: asked for once, kept until their end, renewed when refused, never shown."""

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from core.errors import ConfigurationError, DataSourceUnavailableError
from core.http_answers import HttpAnswer
from core.ingest.addresses import AddressRules
from core.ingest.requests import PlainRequest
from gateways.http.service import HttpSource
from gateways.http.settings import ClientCredentials, HttpSettings
from gateways.http.tokens import ServiceTokenError
from tests.http_service import LocalService, Received, answering, running
from tests.waiting import eventually

LOCAL = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
SECRET = "s3cret/with+signs"


@dataclass
class World:
    """A service that wants tokens, and the server that gives them: both at one address."""

    said: dict[str, Any] = field(default_factory=lambda: {"expires_in": 3600})
    status: str = "200 OK"
    takes_basic: bool = True
    takes_tokens: bool = True
    good: set[str] = field(default_factory=set)
    given: int = 0
    # No token is given before so many requests were refused.
    awaited: int = 0
    refused: int = 0
    service: LocalService = field(init=False)
    source: HttpSource = field(init=False)

    async def reply(self, request: Received, writer: asyncio.StreamWriter) -> None:
        authorization = request.headers.get("authorization", "")
        if not request.target.startswith("/v1/token"):
            is_good = authorization.removeprefix("Bearer ") in self.good
            self.refused += not is_good
            body = json.dumps({"authorization": authorization}).encode()
            await answering(body, status="200 OK" if is_good else "401 No")(request, writer)
            return
        if authorization and not self.takes_basic:
            refusal = answering(b'{"error": "invalid_client"}', status="401 No")
            await refusal(request, writer)
            return
        await eventually(lambda: self.refused >= self.awaited)
        self.given += 1
        token = f"token-{self.given}"
        if self.takes_tokens:
            self.good.add(token)
        body = json.dumps({"access_token": token, "token_type": "Bearer"} | self.said).encode()
        await answering(body, status=self.status)(request, writer)

    async def ask(self) -> HttpAnswer:
        request = PlainRequest("GET", f"{self.source.server_url}/pets")
        return await self.source.send(request, byte_limit=1_000, timeout_ms=30_000)

    @property
    def asked(self) -> list[Received]:
        """The requests for tokens."""
        return [each for each in self.service.received if each.target.startswith("/v1/token")]


@asynccontextmanager
async def serving(**given: Any) -> AsyncIterator[World]:
    world = World(**given)
    async with running(world.reply) as world.service:
        client = ClientCredentials(
            token_url=f"{world.service.url}/token?audience=pets",
            client_id="agents of ours",
            secret=SECRET,
            scope="pets.read",
        )
        settings = HttpSettings(server_url=world.service.url, rules=LOCAL, client=client)
        world.source = HttpSource(settings)
        try:
            yield world
        finally:
            await world.source.close()


async def test_token_is_asked_for_once_and_goes_with_every_request() -> None:
    async with serving() as world:
        answers = await asyncio.gather(*(world.ask() for _ in range(8)))

    assert {answer.status for answer in answers} == {200}
    (asked,) = world.asked
    assert dict(parse_qsl(asked.body.decode())) == {
        "grant_type": "client_credentials",
        "audience": "pets",
        "scope": "pets.read",
    }
    basic = b64decode(asked.headers["authorization"].removeprefix("Basic ")).decode()
    assert basic == "agents+of+ours:s3cret%2Fwith%2Bsigns"


async def test_token_stands_in_no_answer() -> None:
    async with serving() as world:
        assert json.loads((await world.ask()).body) == {"authorization": "Bearer ***"}


async def test_server_that_takes_no_basic_is_given_fields_of_the_form() -> None:
    async with serving(takes_basic=False, said={"expires_in": 0}) as world:
        for _ in range(2):
            assert (await world.ask()).status == 200

    form = dict(parse_qsl(world.asked[-1].body.decode()))
    assert (form["client_id"], form["client_secret"]) == ("agents of ours", SECRET)
    assert ["authorization" in each.headers for each in world.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("life", "count"),
    [
        pytest.param(3600, 1, id="an hour"),
        pytest.param("3600", 1, id="as a text"),
        pytest.param(None, 1, id="not said"),
        pytest.param("9" * 5_000, 1, id="no number"),
        pytest.param(float("inf"), 1, id="for ever"),
        pytest.param(float("nan"), 1, id="nothing"),
        pytest.param(0, 2, id="none"),
        pytest.param(-5, 2, id="over"),
    ],
)
async def test_token_is_kept_as_long_as_is_said(life: object, count: int) -> None:
    async with serving(said={"expires_in": life}) as world:
        for _ in range(2):
            await world.ask()

    assert world.given == count


async def test_refused_token_is_replaced_and_the_request_sent_again() -> None:
    async with serving() as world:
        await world.ask()
        world.good.clear()

        answer = await world.ask()

    assert (answer.status, world.given) == (200, 2)


async def test_callers_whose_token_is_refused_together_all_get_the_next() -> None:
    async with serving() as world:
        await world.ask()
        world.good.clear()
        world.awaited = 3

        answers = await asyncio.gather(*(world.ask() for _ in range(3)))

    assert ({answer.status for answer in answers}, world.given) == ({200}, 2)


async def test_service_that_refuses_every_token_is_asked_twice_at_most() -> None:
    async with serving() as world:
        world.takes_tokens = False

        answer = await world.ask()

    assert answer.status == 401
    assert len(world.service.received) - len(world.asked) == 2


async def test_service_that_refuses_every_token_costs_one_more_for_a_while() -> None:
    async with serving() as world:
        world.takes_tokens = False

        answers = [await world.ask() for _ in range(5)]

    assert [answer.status for answer in answers] == [401] * 5
    assert world.given == 2
    assert len(world.service.received) - len(world.asked) == 6


@pytest.mark.parametrize(
    ("status", "said", "text"),
    [
        pytest.param("400 No", {"error": "invalid_scope"}, "says invalid_scope", id="code"),
        pytest.param("403 No", {"error": f"<b>{SECRET}"}, "answered 403 without", id="no code"),
        pytest.param("500 Oh", {}, "answered 500 without a token", id="fault"),
        pytest.param("200 OK", {"access_token": ""}, "answered 200 without a token", id="empty"),
        pytest.param("200 OK", {"access_token": "a\nb"}, "answered 200 without", id="two lines"),
        pytest.param("200 OK", {"token_type": "mac"}, "another type than Bearer", id="type"),
    ],
)
async def test_what_is_wrong_with_the_token_is_said_without_a_secret(
    status: str, said: dict[str, Any], text: str
) -> None:
    async with serving(status=status, said=said) as world:
        with pytest.raises(ServiceTokenError, match=text) as error:
            await world.ask()

    assert SECRET not in str(error.value)
    assert len(world.service.received) == len(world.asked)


async def test_answer_that_is_no_json_gives_no_token() -> None:
    async with running(answering(b"<p>Sign in</p>", "text/html")) as service:
        client = ClientCredentials(token_url=service.url, client_id="a", secret=SECRET)
        source = HttpSource(HttpSettings(server_url=service.url, rules=LOCAL, client=client))
        with pytest.raises(ServiceTokenError, match="without a token"):
            await source.send(
                PlainRequest("GET", source.server_url), byte_limit=100, timeout_ms=30_000
            )
        await source.close()


async def test_server_of_tokens_that_is_away_is_named() -> None:
    client = ClientCredentials(token_url="http://127.0.0.1:9/token", client_id="a", secret="b")
    source = HttpSource(HttpSettings(server_url="http://127.0.0.1:9", rules=LOCAL, client=client))
    with pytest.raises(
        DataSourceUnavailableError, match="the token URL of the service cannot be reached"
    ):
        await source.send(PlainRequest("GET", source.server_url), byte_limit=100, timeout_ms=30_000)
    await source.close()


def test_address_of_tokens_is_judged_as_the_service_is() -> None:
    client = ClientCredentials(token_url="http://10.0.0.1/token", client_id="a", secret="b")

    with pytest.raises(ConfigurationError, match="the token URL cannot be called"):
        HttpSettings(server_url="https://api.example.com", client=client).check()


async def test_caller_that_goes_away_leaves_the_token_to_the_others() -> None:
    async with serving() as world:
        first = asyncio.create_task(world.ask())
        second = asyncio.create_task(world.ask())
        await asyncio.sleep(0)
        first.cancel()

        assert (await second).status == 200
        with pytest.raises(asyncio.CancelledError):
            await first
