"""The editor's test run shows exactly what goes between an agent and the runtime."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_expression, make_tool, number
from tests.mcp_runtime.conftest import Serve
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db(transaction=True)

SERIES = "SELECT n, 'a' || n AS name, NULL AS nothing FROM generate_series(1, 9) AS n"
CALLS: dict[str, dict[str, Any]] = {
    "rows": {},
    "truncated": {},
    "product": {"a": 6, "b": 7.5},
    "total": {"a": 2},
    "failing": {"a": 0},
}


def make_tools() -> None:
    make_tool(SERIES, name="rows", tags=["b", "a"])
    make_tool(SERIES, name="truncated", result_format="MARKDOWN", row_limit=3)
    make_expression("a * b", name="product")
    make_expression("total = a + 1\nresult = [total]", name="total", parameters=[number("a")])
    make_expression("1 / a", name="failing", parameters=[number("a")])


def show(name: str) -> tuple[Any, Any, Any]:
    """Entry, call and answer as the pane shows them."""
    client = Client()
    client.force_login(
        User.objects.get_or_create(username="a", is_staff=True, is_superuser=True)[0]
    )
    fields = {f"{key}-test": str(value) for key, value in CALLS[name].items()}
    data = {"parameter": list(CALLS[name]), **{f"{key}-name": key for key in CALLS[name]}, **fields}
    context = client.post(f"/tools/{name}/try/", data, headers={"HX-Request": "true"}).context
    exchange = context["trial"].exchange
    texts = (context["page"].agent.entry, exchange.call, exchange.answer.text)
    entry, call, answer = map(json.loads, texts)
    return entry, call, answer


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def without_time(answer: Any) -> Any:
    return json.loads(json.dumps(answer), object_hook=_drop_time)


def _drop_time(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "elapsed_ms"}


async def test_shown_exchange_is_that_of_the_runtime(serve: Serve) -> None:
    await sync_to_async(make_tools)()
    shown = {name: await sync_to_async(show)(name) for name in CALLS}
    await sync_to_async(shared_loop().close)()

    async with serve() as served, served.client() as client:
        listed = {tool.name: plain(tool) for tool in await client.list_tools()}
        for name, (entry, call, answer) in shown.items():
            called = call["params"]
            got = plain(await client.call_tool_mcp(called["name"], called["arguments"]))
            # What the protocol adds to every answer.
            got = {key: got[key] for key in got if key not in {"resultType", "_meta"}}

            assert entry == listed[name]
            assert called["arguments"] == CALLS[name]
            assert without_time(answer) == without_time(got)

    assert shown["failing"][2]["isError"]
    assert "truncated" in shown["truncated"][2]["content"][0]["text"]
