"""Every call leaves a record, however it ended, and a stop loses none."""

import asyncio
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from access.keys import issue_key, new_token, revoke_key
from access.models import ApiKey, CallRecord, RuntimeInstance
from core.catalogue.masking import MASK
from mcp_runtime import refusals
from tests.factories import make_expression, make_tool
from tests.mcp_runtime.conftest import NO_AUTHORITIES, Serve
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


async def only_record() -> CallRecord:
    return await CallRecord.objects.aget()


async def test_call_is_recorded_with_who_what_and_how_long(serve: Serve) -> None:
    await sync_to_async(make_tool)(
        "SELECT * FROM generate_series(1, :n) AS n",
        name="count",
        row_limit=2,
        parameters=[{"param_name": "n", "param_type": "INTEGER"}],
    )

    async with serve() as served:
        await served.call("count", n=5)
    record = await only_record()

    assert (record.tool_name, record.caller, record.outcome) == ("count", "test", "ok")
    assert (record.row_count, record.truncated, record.arguments) == (2, True, {"n": 5})
    assert record.duration_ms > 0
    assert record.runtime_id == served.runtime.id
    assert (await ApiKey.objects.aget()).last_used_at is not None


@pytest.mark.parametrize(
    ("name", "arguments", "outcome"),
    [
        pytest.param("nothing", {}, "unknown_tool", id="unknown"),
        pytest.param("divide", {"a": 1}, "invalid_arguments", id="invalid"),
        pytest.param("divide", {"a": 1, "b": 0}, "tool_error", id="failed"),
    ],
)
async def test_failed_calls_are_recorded_too(
    serve: Serve, name: str, arguments: dict[str, Any], outcome: str
) -> None:
    await sync_to_async(make_expression)("a / b", name="divide")

    async with serve() as served:
        await served.call(name, **arguments)
    record = await only_record()

    assert record.outcome == outcome
    assert record.error


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        pytest.param("full", {"a": 6, "b": 3}, id="full"),
        pytest.param("names", ["a", "b"], id="names"),
        pytest.param("none", None, id="none"),
    ],
)
async def test_arguments_are_kept_by_policy(
    serve: Serve, settings: Any, policy: str, kept: Any
) -> None:
    settings.CALL_LOG_ARGUMENTS = policy
    await sync_to_async(make_expression)("a / b", name="divide")

    async with serve() as served:
        await served.call("divide", a=6, b=3)

    assert (await only_record()).arguments == kept


async def test_stop_loses_no_record(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served, served.client() as client:
        calls = (client.call_tool("multiply", {"a": n, "b": n}) for n in range(50))
        await asyncio.gather(*calls)

    assert await CallRecord.objects.acount() == 50


async def test_runtime_says_that_it_lives_and_leaves_at_its_stop(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve():

        async def is_told() -> bool:
            return await RuntimeInstance.objects.filter(tool_count=1).aexists()

        await eventually(is_told)
        assert (await RuntimeInstance.objects.aget()).dropped_calls == 0

    assert not await RuntimeInstance.objects.aexists()


async def test_refused_keys_are_recorded_once_each_however_many_requests_come(
    serve: Serve,
) -> None:
    def make_keys() -> tuple[str, str]:
        revoked, expired = issue_key("revoked"), issue_key("expired", expires_at=timezone.now())
        revoke_key(revoked.key)
        return revoked.token, expired.token

    revoked, expired = await sync_to_async(make_keys)()
    async with serve() as served, httpx.AsyncClient(verify=NO_AUTHORITIES) as client:
        tokens = (revoked, revoked, revoked, expired, new_token("abcd1234"), "mcp_<secret>")
        for token in tokens:
            headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
            response = await client.post(served.url, json={}, headers=headers)
            assert response.status_code == 401

    records = [record async for record in CallRecord.objects.order_by("number")]
    assert [record.outcome for record in records] == ["refused"] * 4
    assert {record.address for record in records} == {"127.0.0.1"}
    assert [(record.key_id, record.error) for record in records] == [
        (revoked[4:12], "The key is revoked; 3 requests in a minute"),
        (expired[4:12], "The key has expired; 1 request in a minute"),
        ("abcd1234", "The key is not known; 1 request in a minute"),
        ("", "The key or token is not known, or was not good then; 1 request in a minute"),
    ]
    assert not await ApiKey.objects.filter(last_used_at__isnull=False).aexists()


async def test_flood_of_refused_keys_fills_no_table(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "MOST_KINDS", 3)

    async with serve() as served:
        for number in range(20):
            served.runtime.verifier.keys.on_refusal(new_token(f"{number:08}"))

    records = [record async for record in CallRecord.objects.order_by("number")]
    assert len(records) == 4
    assert "17 requests" in records[-1].error


async def test_value_that_is_compared_with_a_masked_column_is_not_kept(serve: Serve) -> None:
    statement = (
        "SELECT 1 AS one FROM (SELECT 'x' AS email) t WHERE lower(t.email) = lower(:who) OR :n = 1"
    )
    number = {"param_name": "n", "param_type": "INTEGER"}
    await sync_to_async(make_tool)(statement, name="find", parameters=["who", number])

    async with serve() as served:
        await served.call("find", who="ann@example.com", n=1)
    record = await only_record()

    assert record.arguments == {"who": MASK, "n": 1}
