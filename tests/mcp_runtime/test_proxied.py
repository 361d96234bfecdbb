"""Tools of another MCP server, called over MCP through the runtime."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from catalog.models import McpServer, McpTool
from core.proxied import ProxiedSpec
from mcp_runtime.proxied import health
from tests.factories import make_token, make_tool
from tests.mcp_runtime.conftest import Serve, Served
from tests.remote_mcp import PIXEL, RemoteServer, remote_server
from tests.waiting import eventually
from toolbuilder.taking_up.mcp_servers import activate_tools, read_tools

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "sesame-sesame"


@pytest.fixture(scope="module")
def shared_remote() -> Iterator[RemoteServer]:
    with remote_server() as server:
        yield server


@pytest.fixture
def remote(
    shared_remote: RemoteServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> RemoteServer:
    """The server, allowed here and asking for the token."""
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    settings.MCP_BUILTIN_TOOLS = ["search_tools", "call_tool"]
    monkeypatch.setenv("WEATHER_TOKEN", TOKEN)
    shared_remote.token = TOKEN
    shared_remote.seen_headers.clear()
    return shared_remote


@sync_to_async
def ingest(remote: RemoteServer, *names: str, **columns: Any) -> None:
    """The server registered, and its tools, or those of these names, switched on."""
    given = {"token_reference": "env:WEATHER_TOKEN", **columns}
    server = McpServer.objects.create(name="weather", server_url=remote.url, **given)
    read_tools(server)
    tools = server.tools.filter(name__in=names) if names else server.tools.all()
    _, refused = activate_tools(tools, "ann")
    assert refused == {}


async def test_remote_tools_are_listed_found_called_and_recorded(
    serve: Serve, remote: RemoteServer
) -> None:
    await ingest(remote)

    async with serve() as served:
        async with served.client() as client:
            tools = {tool.name: tool for tool in await client.list_tools()}
        answer = await served.call("weather_forecast", city="Seoul", days=2)
        found = await served.call("search_tools", query="weather forecast")
        through = await served.call(
            "call_tool", name="weather_forecast", arguments={"city": "Busan"}
        )

    assert tools["weather_forecast"].title == "Forecast"
    assert tools["weather_forecast"].annotations.read_only_hint is True
    assert tools["weather_wait"].annotations.destructive_hint is True
    assert answer.structured_content == {"city": "Seoul", "days": 2, "sun": True}
    assert found.structured_content["tools"][0]["name"] == "weather_forecast"
    assert through.structured_content["city"] == "Busan"
    record = await CallRecord.objects.filter(tool_name="weather_forecast").afirst()
    assert record is not None
    assert record.outcome == "ok"


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_content_of_every_kind_reaches_clients_of_both_eras(
    serve: Serve, remote: RemoteServer, era: str
) -> None:
    await ingest(remote, "draw", "refuse", "forecast")

    async with serve() as served, served.client(era) as client:
        picture = await client.call_tool("weather_draw", {"city": "Seoul"})
        refusal = await client.call_tool("weather_refuse", {}, raise_on_error=False)
        wrong = await client.call_tool("weather_forecast", {"days": "x"}, raise_on_error=False)

    assert [block.type for block in picture.content] == ["text", "image"]
    assert picture.content[1].data == PIXEL
    assert picture.structured_content is None
    assert refusal.is_error
    assert refusal.content[0].text == "there is no weather here"
    assert wrong.content[0].text.startswith("Invalid arguments for weather_forecast:")
    assert not any(
        headers.get("authorization") != f"Bearer {TOKEN}" for headers in remote.seen_headers
    )


async def test_limits_and_visibility_are_those_of_every_tool(
    serve: Serve, remote: RemoteServer
) -> None:
    await ingest(remote, "flood", "wait", byte_limit=5_000)
    await sync_to_async(make_tool)(name="own")

    async with serve() as served:
        huge = await served.call("weather_flood", size=9_000)
    await McpServer.objects.aupdate(timeout_ms=200)
    async with serve() as served:
        late = await served.call("weather_wait", seconds=600)
        token = await sync_to_async(make_token)("other", allowed_tools=["own"])
        async with served.client(token=token) as client:
            names = [tool.name for tool in await client.list_tools()]
            unseen = await client.call_tool("weather_flood", {"size": 1}, raise_on_error=False)

    assert "more than the limit of 5,000" in huge.content[0].text
    assert late.content[0].text == "weather_wait was stopped after its limit of 200 ms"
    assert "weather_flood" not in names
    assert unseen.content[0].text.startswith("Unknown tool: 'weather_flood'")
    outcomes = [record.outcome async for record in CallRecord.objects.order_by("at")]
    assert outcomes == ["tool_error", "timeout", "unknown_tool"]


async def test_server_that_dies_is_told_and_comes_back(
    serve: Serve, remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FIRST_WAIT_S", 0.1)
    await ingest(remote, "forecast")
    await sync_to_async(make_tool)(name="own")

    async with serve() as served:
        await sync_to_async(remote.stop)()
        first = await served.call("weather_forecast", city="Seoul")
        again = await served.call("weather_forecast", city="Seoul")
        own = await served.call("own")
        await eventually(lambda: McpServer.objects.filter(state="down").aexists())
        await sync_to_async(remote.start)()
        await eventually(lambda: McpServer.objects.filter(state="ok").aexists())
        back = await served.call("weather_forecast", city="Seoul")

    text = "the MCP server cannot be reached; retry later"
    assert [each.content[0].text for each in (first, again)] == [text, text]
    assert not own.is_error
    assert back.structured_content["city"] == "Seoul"


async def test_changes_are_heard_while_serving(serve: Serve, remote: RemoteServer) -> None:
    await ingest(remote, "forecast")

    async with serve() as served:
        tools = McpTool.objects.all()
        await sync_to_async(lambda: activate_tools(tools.filter(name="draw"), "ann"))()
        await eventually(lambda: has_names(served, "weather_draw", "weather_forecast"))
        changed = {"type": "object", "properties": {"city": {}, "token": {}}, "required": ["token"]}
        await sync_to_async(pretend_changed)("forecast", changed)
        await eventually(lambda: knows_of_change(served, "weather_forecast"))
        refused = await served.call("weather_forecast", city="Seoul")
        async with served.client() as client:
            [listed] = [t for t in await client.list_tools() if t.name == "weather_forecast"]
        await McpServer.objects.aupdate(is_active=False)
        await eventually(lambda: has_names(served))

    assert "an administrator has to look at the change and accept it" in refused.content[0].text
    assert "token" not in listed.input_schema["properties"]


async def test_tool_of_this_installation_keeps_its_name(serve: Serve, remote: RemoteServer) -> None:
    await ingest(remote, "forecast")
    await sync_to_async(make_tool)(name="weather_forecast")

    async with serve() as served:
        answer = await served.call("weather_forecast")

    assert answer.structured_content["columns"] == ["one"]


async def has_names(served: Served, *names: str) -> bool:
    return await served.names() == list(names)


def knows_of_change(served: Served, name: str) -> bool:
    spec = served.runtime.store.snapshot.tools[name].spec
    return isinstance(spec, ProxiedSpec) and spec.seen is not None


def pretend_changed(name: str, schema: Any) -> None:
    """As though the server had been read again and said this of the tool."""
    tool = McpTool.objects.get(name=name)
    tool.seen, tool.seen_digest = {**tool.seen, "input_schema": schema}, "other"
    tool.save()
