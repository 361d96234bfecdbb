"""Only valid keys get in, and a revoked one is out at once."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import JSONField, Value
from django.utils import timezone

from access.database_thread import DatabaseThread
from access.keys import find_key, issue_key, new_token
from access.models import ApiKey
from mcp_runtime import auth
from mcp_runtime.auth import (
    KEY_CACHE_SECONDS,
    KEY_PATIENCE_SECONDS,
    KEY_REFRESH_SECONDS,
    KeyVerifier,
)
from tests.factories import make_expression, make_token
from tests.mcp_runtime.conftest import Serve, Served
from tests.mcp_runtime.test_fastmcp_contract import modern_request
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


async def status(served: Served, token: str | None) -> int:
    request = modern_request(served, "multiply", {"a": 1, "b": 1})
    request["headers"]["Authorization"] = f"Bearer {token}"
    if token is None:
        del request["headers"]["Authorization"]
    async with httpx.AsyncClient() as http:
        return (await http.post(**request)).status_code


def raw_call(served: Served, name: str, arguments: dict[str, int]) -> bytes:
    """A call as bytes; thousands of them at once are too much for an HTTP client."""
    request = httpx.Request("POST", **modern_request(served, name, arguments))
    lines = [f"{key}: {value}" for key, value in request.headers.items()]
    head = "\r\n".join(["POST /mcp HTTP/1.1", *lines, "Connection: close", "", ""])
    return head.encode() + request.content


async def exchange(served: Served, message: bytes) -> bytes:
    """The first line of the answer, on a connection of its own."""
    target = urlsplit(served.url)
    reader, writer = await asyncio.open_connection(target.hostname, target.port)
    writer.write(message)
    line = await reader.readline()
    writer.close()
    return line.strip()


BAD_TOKENS: dict[str, Callable[[], str | None]] = {
    "none": lambda: None,
    "nonsense": lambda: "nonsense",
    "unknown": new_token,
    "expired": lambda: issue_key("old", expires_at=timezone.now() - timedelta(days=1)).token,
}


async def test_bad_token_is_refused(serve: Serve, subtests: pytest.Subtests) -> None:
    async with serve() as served:
        for case, make in BAD_TOKENS.items():
            with subtests.test(case):
                token = await sync_to_async(make)()

                assert await status(served, token) == 401


async def test_revoked_key_is_refused_at_once(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        assert await status(served, served.token) == 200
        await ApiKey.objects.aupdate(revoked_at=timezone.now())

        async def is_refused() -> bool:
            return await status(served, served.token) == 401

        await eventually(is_refused)


@pytest.fixture
async def verifier(transactional_db: None) -> AsyncIterator[KeyVerifier]:
    """On a database thread of its own."""
    database = DatabaseThread("keys of a test")
    yield KeyVerifier(database)
    await database.close()


async def test_request_waits_for_its_key_no_longer_than_is_worth_while(
    verifier: KeyVerifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await sync_to_async(make_token)()
    monkeypatch.setattr(auth, "KEY_PATIENCE_SECONDS", 0.01)
    answers = threading.Event()
    silence = asyncio.ensure_future(verifier._database.call(answers.wait))

    waited = verifier.reading_of(token)
    assert waited is not None
    await waited
    assert verifier.find(token) is None

    answers.set()
    await silence


def make_old(verifier: KeyVerifier, seconds: float = KEY_CACHE_SECONDS) -> None:
    """As if the keys had been read so long ago, by default as they are no more good unconfirmed."""
    for entry in verifier._entries.values():
        entry.read_at = time.monotonic() - seconds


async def until_the_database_is_asked() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def stall_loop() -> None:
    """Hold up the loop for longer than a call waits for its key to be confirmed."""
    time.sleep(KEY_PATIENCE_SECONDS + 0.1)


async def test_known_key_is_good_when_the_loop_stalls_while_it_is_confirmed(
    verifier: KeyVerifier,
) -> None:
    token = await sync_to_async(make_token)()
    assert await verifier.verify_token(token)
    make_old(verifier)

    asking = [asyncio.create_task(verifier.verify_token(token)) for _ in range(20)]
    await until_the_database_is_asked()
    stall_loop()

    assert all(await asyncio.gather(*asking))


async def test_known_key_is_good_when_keys_are_forgotten_while_the_loop_stalls(
    verifier: KeyVerifier,
) -> None:
    token = await sync_to_async(make_token)()
    assert await verifier.verify_token(token)
    make_old(verifier)

    asking = asyncio.create_task(verifier.verify_token(token))
    await until_the_database_is_asked()
    verifier.forget_keys()
    stall_loop()

    assert await asking


async def test_reading_that_began_before_the_revocation_does_not_count(
    verifier: KeyVerifier, psql: Callable[[str], None]
) -> None:
    token = await sync_to_async(make_token)()
    asking = asyncio.create_task(verifier.verify_token(token))
    await until_the_database_is_asked()
    # It has answered when the change is heard of, and the answer is not yet taken.
    stall_loop()
    psql("UPDATE h_api_key SET revoked_at = now()")
    verifier.forget_keys()

    assert await asking is None
    assert await verifier.verify_token(token) is None


async def test_key_that_is_fresh_in_memory_is_found_at_once(verifier: KeyVerifier) -> None:
    token = await sync_to_async(make_token)()
    assert verifier.find(token) is None
    access = await verifier.verify_token(token)
    assert access
    make_old(verifier, 0)

    found = verifier.find(token)

    assert found
    assert found.key_id == access.client_id
    assert verifier.find(token + "x") is None
    make_old(verifier)
    assert verifier.find(token) is None
    assert await verifier.verify_token(token)
    verifier.forget_keys()
    assert verifier.find(token) is None


async def test_key_counts_for_those_who_waited_for_it_however_long_it_took(
    verifier: KeyVerifier,
) -> None:
    token = await sync_to_async(make_token)(allowed_networks=["192.0.2.0/24"])
    waited = verifier.reading_of(token)
    assert waited is not None
    assert verifier.reading_of(token) is waited
    await waited
    make_old(verifier, 5)

    assert verifier.find(token, "192.0.2.7") is None
    assert verifier.find(token, "192.0.2.7", has_waited=True)
    assert verifier.find(token, "198.51.100.7", has_waited=True) is None
    again = verifier.reading_of(token)
    assert again is not None
    await again
    verifier.forget_keys()
    assert verifier.find(token, "192.0.2.7", has_waited=True) is None


async def test_key_that_expires_meanwhile_is_not_found(verifier: KeyVerifier) -> None:
    expires_at = timezone.now() + timedelta(hours=1)
    token = await sync_to_async(make_token)(expires_at=expires_at)
    assert await verifier.verify_token(token)
    make_old(verifier, 0)
    assert verifier.find(token)
    for entry in verifier._entries.values():
        assert entry.expires_at == expires_at.timestamp()
        entry.expires_at = time.time()

    assert verifier.find(token) is None


async def test_key_in_use_is_confirmed_before_a_call_has_to_wait(verifier: KeyVerifier) -> None:
    token = await sync_to_async(make_token)()
    await verifier.verify_token(token)
    make_old(verifier, KEY_REFRESH_SECONDS)
    before = verifier._entries[token]

    assert verifier.find(token) is before.caller

    await eventually(lambda: verifier._entries[token] is not before)


async def test_revoked_key_stops_where_no_notification_comes(
    verifier: KeyVerifier, psql: Callable[[str], None]
) -> None:
    token, other = [await sync_to_async(make_token)() for _ in range(2)]
    assert await verifier.verify_token(token)
    assert await verifier.verify_token(other)
    await asyncio.to_thread(psql, "UPDATE h_api_key SET revoked_at = now()")

    # In use it is read again; unused for a while it has to be.
    make_old(verifier, KEY_REFRESH_SECONDS)
    verifier.find(token)
    await eventually(lambda: token not in verifier._entries)
    make_old(verifier)

    assert await verifier.verify_token(token) is None
    assert await verifier.verify_token(other) is None


async def test_token_that_is_no_key_is_asked_for_once_a_second(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, asked = new_token(), Counter[str]()

    def count(token: str) -> ApiKey | None:
        asked[token] += 1
        return find_key(token)

    monkeypatch.setattr(auth, "find_key", count)
    # As if no second passed.
    monkeypatch.setattr(auth, "KEY_CACHE_SECONDS", 600.0)

    async with serve() as served:
        for _ in range(2):
            assert await status(served, wrong) == 401
        assert asked[wrong] == 1
        keys = served.runtime.verifier.keys
        keys._refused[wrong] -= 600
        assert await keys.check(wrong) is None

    assert asked[wrong] == 2


async def test_key_is_as_old_as_the_question_for_it(verifier: KeyVerifier) -> None:
    token = await sync_to_async(make_token)()
    asking = asyncio.create_task(verifier.verify_token(token))
    await until_the_database_is_asked()
    asked_at = time.monotonic()
    stall_loop()

    assert await asking
    assert verifier._entries[token].read_at <= asked_at


async def test_tokens_are_not_in_what_is_shown_of_keys(verifier: KeyVerifier) -> None:
    token = await sync_to_async(make_token)()
    await verifier.verify_token(token)

    assert token not in repr(list(verifier._entries.values()))


async def test_two_thousand_calls_at_once_with_one_key_are_let_in(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        assert await status(served, served.token) == 200
        make_old(served.runtime.verifier.keys)
        message = raw_call(served, "multiply", {"a": 2, "b": 3})
        answers = await asyncio.gather(*(exchange(served, message) for _ in range(2_000)))

    assert Counter(answers) == {b"HTTP/1.1 200 OK": 2_000}


@pytest.mark.parametrize("token", ["", "nonsense", new_token()], ids=["none", "bad", "unknown"])
async def test_health_without_a_valid_key_is_ok_and_nothing_more(serve: Serve, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    async with serve() as served, httpx.AsyncClient() as http:
        await eventually(lambda: served.runtime.is_warm, 60)
        response = await http.get(served.url.replace("/mcp", "/healthz"), headers=headers)

    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


async def test_health_with_a_key_tells_what_is_served(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        headers = {"Authorization": f"Bearer {served.token}"}
        await eventually(lambda: served.runtime.is_warm, 60)
        response = await http.get(served.url.replace("/mcp", "/healthz"), headers=headers)

    body = response.json()
    assert (body.pop("status"), body.pop("database")) == ("ok", "ok")
    assert body.keys() == {"revision", "tools", "quarantined"}


@pytest.mark.parametrize("emptied", [[], {}, "", None, 0, False], ids=repr)
async def test_key_with_an_emptied_list_sees_no_tool(serve: Serve, emptied: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")
    token = await sync_to_async(make_token)(allowed_tools=Value(emptied, JSONField()))

    async with serve() as served, served.client(token=token) as client:
        listed = await client.list_tools()

    assert listed == []


@pytest.mark.parametrize(
    "statement",
    ["UPDATE auth_user SET is_active = false", "DELETE FROM auth_user"],
    ids=["deactivated", "deleted"],
)
async def test_keys_of_an_owner_who_left_are_refused(
    serve: Serve, psql: Callable[[str], None], statement: str
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    owner = await User.objects.acreate(username="ann")
    token = await sync_to_async(make_token)(owner=owner)

    async with serve() as served:
        assert await status(served, token) == 200
        await asyncio.to_thread(psql, statement)

        async def is_refused() -> bool:
            return await status(served, token) == 401

        await eventually(is_refused)
        assert await status(served, served.token) == 200


@pytest.mark.parametrize(
    "statement",
    ["UPDATE auth_user SET is_active = false", "UPDATE auth_user SET username = 'kim'"],
    ids=["deactivated", "renamed"],
)
def test_runtimes_hear_of_a_changed_owner(psql: Callable[[str], None], statement: str) -> None:
    User.objects.create(username="ann")
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "password", "host", "port")}
    with psycopg.connect(**wanted, autocommit=True) as listener:
        listener.execute("LISTEN toolbuilder_keys")

        psql(statement)

        heard = list(listener.notifies(timeout=30, stop_after=1))

    assert [one.channel for one in heard] == ["toolbuilder_keys"]
