"""Large requests: refused before they are parsed, or handed on one by one while others are served."""

import asyncio
import json
import time
from functools import cache
from itertools import pairwise
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from starlette.types import Receive, Scope, Send

from mcp_runtime.body_limit import SMALL_BYTES, BodyLimit
from tests.factories import make_expression
from tests.mcp_runtime.conftest import ERAS, NO_AUTHORITIES, Serve, Served
from tests.mcp_runtime.test_cancellation import open_session
from tests.mcp_runtime.test_fastmcp_contract import modern_request

SCOPE: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}


@cache
def many_keys() -> bytes:
    """JSON of more values than any limit allows; a second to make, which collecting tests need not wait for."""
    return json.dumps({str(number): 1 for number in range(590_000)}).encode()


class Turns:
    """How many steps of the loop others had."""

    def __init__(self) -> None:
        self.count = 0
        self._task = asyncio.create_task(self._go_round())

    async def _go_round(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.count += 1

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def send_body(application: BodyLimit, *pieces: bytes) -> list[Any]:
    """What the application sends when it has received these pieces."""
    sent: list[Any] = []
    waiting = list(pieces)

    async def receive() -> Any:
        if not waiting:
            return {"type": "http.disconnect"}
        piece = waiting.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(dict(SCOPE), receive, send)
    return sent


def refusal(sent: list[Any]) -> tuple[int, str]:
    start, body = sent
    return start["status"], json.loads(body["body"])["error"]["message"]


async def test_body_over_the_budget_of_values_never_reaches_the_parser() -> None:
    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("parsed")

    sent = await send_body(BodyLimit(parse, max_bytes=10**8, max_values=20_000), many_keys())

    text = "a request may have at most 20,000 JSON values; send less at once"
    assert refusal(sent) == (413, text)


async def test_body_over_the_budget_of_bytes_is_not_collected() -> None:
    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("parsed")

    sent = await send_body(BodyLimit(parse, max_bytes=1_000, max_values=9), b"x" * 900, b"x" * 101)

    text = "a request may have at most 1,000 bytes; send less at once"
    assert refusal(sent) == (413, text)


async def test_client_that_leaves_within_its_body_gets_no_answer_and_costs_none() -> None:
    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("parsed")

    assert await send_body(BodyLimit(parse, max_bytes=1_000, max_values=9)) == []


async def test_others_have_turns_while_a_large_text_is_measured() -> None:
    body = b'["' + b"a, " * 1_000_000 + b'"]'

    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["body"] == body

    turns = Turns()
    await send_body(BodyLimit(parse, max_bytes=10**7, max_values=20_000), body)
    await turns.stop()

    assert turns.count >= len(body) // 65_536


async def test_others_have_turns_between_large_bodies_that_come_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = Turns()
    seen: list[int] = []
    # By this clock a turn takes a millisecond, and parsing twenty, however busy the machine is.
    loop = asyncio.get_running_loop()
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began + (turns.count + 20 * len(seen)) / 1_000)

    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        seen.append(turns.count)

    application = BodyLimit(parse, max_bytes=10**7, max_values=20_000)
    await asyncio.gather(*(send_body(application, b'"' + b"x" * SMALL_BYTES) for _ in range(5)))
    await turns.stop()

    assert len(seen) == 5
    pauses = [later - earlier for earlier, later in pairwise(seen)]
    assert min(pauses) >= 60


async def test_small_bodies_do_not_wait_for_large_ones() -> None:
    order: list[str] = []

    async def parse(scope: Scope, receive: Receive, send: Send) -> None:
        size = len((await receive())["body"])
        order.append("large" if size > SMALL_BYTES else "small")
        if size > SMALL_BYTES:
            time.sleep(0.02)  # noqa: ASYNC251

    application = BodyLimit(parse, max_bytes=10**7, max_values=20_000)
    large = [send_body(application, b'"' + b"x" * SMALL_BYTES) for _ in range(3)]
    await asyncio.gather(*large, *(send_body(application, b"{}") for _ in range(3)))

    assert order[-2:] == ["large", "large"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
async def test_too_many_keys_are_refused_with_the_limit_while_others_are_served(
    serve: Serve, era: str
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with (
        serve() as served,
        httpx.AsyncClient(verify=NO_AUTHORITIES, timeout=60) as http,
    ):
        request = modern_request(served, "multiply", {"a": 2, "b": 3})
        if era != "2026-07-28":
            request = await to_session(served, request)
        call = request.pop("json")
        wrong = json.dumps(call).encode().replace(b'{"a": 2, "b": 3}', many_keys())
        refused, right = await asyncio.gather(
            asyncio.gather(*(http.post(**request, content=wrong) for _ in range(4))),
            asyncio.gather(*(http.post(**request, json=call | {"id": n}) for n in range(20))),
        )

    for answer in refused:
        assert answer.status_code == 413
        assert "20,000 JSON values" in answer.json()["error"]["message"]
    assert {answer.status_code for answer in right} == {200}
    assert all('"result":6' in answer.text for answer in right)


async def to_session(served: Served, request: dict[str, Any]) -> dict[str, Any]:
    """The same call within a session of an earlier protocol."""
    plain = {name: request["headers"][name] for name in ("Authorization", "Accept")}
    return request | {"headers": await open_session(served.url, plain)}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("era", ERAS)
async def test_agent_is_told_the_limit(serve: Serve, era: str) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served, served.client(era) as client:
        with pytest.raises(Exception, match="at most 20,000 JSON values; send less at once"):
            await client.call_tool("multiply", {"a": ["x"] * 200_000, "b": 2})
