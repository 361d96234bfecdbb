"""Spans and durations that a runtime sends to a collector, read by one."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from fastmcp import Context, FastMCP

from catalog.models import McpServer
from core.toolspec import Dialect
from mcp_runtime.telemetry.traced_sources import hide_literals
from mcp_runtime.telemetry.traces import METHOD
from tests.factories import make_tool
from tests.http_service import answering, running
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.test_http_tools import ingest as ingest_operations
from tests.otlp_receiver import OtlpReceiver, otlp_receiver, read_attributes
from tests.remote_mcp import RemoteServer
from toolbuilder.taking_up.mcp_servers import activate_tools, read_tools

pytestmark = pytest.mark.django_db(transaction=True)

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
# What the server says of the statement that reads it.
OWN_TEXT = "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()"


@pytest.fixture
def receiver(settings: Any) -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        settings.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url
        yield receiver


@pytest.mark.parametrize("lane", ["direct", "fastmcp"])
async def test_call_is_a_child_of_its_caller_and_the_query_a_child_of_the_call(
    serve: Serve, settings: Any, receiver: OtlpReceiver, lane: str
) -> None:
    settings.MCP_DIRECT_LANE = lane == "direct"
    await sync_to_async(make_tool)(
        f"{OWN_TEXT} AND query <> 'private' AND :who <> ''",
        name="own_text",
        parameters=["who"],
    )

    async with serve() as served, served.client() as client:
        await client.call_tool("own_text", {"who": "nobody else"})
        answer = await client.call_tool("own_text", {"who": "nobody else"}, meta=SAMPLED)

    calls = [span for span in receiver.spans if span.name == f"{METHOD} own_text"]
    (call,) = [span for span in calls if span.trace_id.hex() == TRACE]
    (query,) = [span for span in receiver.spans if span.parent_span_id == call.span_id]
    assert (len(calls), call.parent_span_id.hex(), call.kind) == (2, PARENT, 2)
    attributes = read_attributes(call)
    expected = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "own_text",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": "2026-07-28",
        "network.transport": "tcp",
        "toolbuilder.lane": lane,
        "toolbuilder.outcome": "ok",
    }
    assert attributes.items() >= expected.items()
    assert attributes["jsonrpc.request.id"]
    assert (query.name, query.kind) == ("SELECT main_db", 3)
    asked = read_attributes(query)
    assert asked["db.system.name"] == "postgresql"
    assert asked["db.namespace"] == "demo"
    assert asked["db.operation.name"] == "SELECT"
    assert asked["db.response.returned_rows"] == 1
    assert asked["db.query.text"] == (
        "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid() AND query <> ? AND ? <> ?"
    )
    sent = answer.structured_content["rows"][0][0]
    assert sent.endswith(f"/*traceparent='00-{TRACE}-{query.span_id.hex()}-01'*/")
    assert receiver.resources[0]["service.name"] == "toolbuilder"


async def test_unsampled_call_leaves_the_statement_as_it_is(
    serve: Serve, settings: Any, receiver: OtlpReceiver
) -> None:
    settings.OTEL_TRACES_SAMPLER_ARG = 0.0
    await sync_to_async(make_tool)(OWN_TEXT, name="own_text")

    async with serve() as served, served.client() as client:
        answer = await client.call_tool("own_text", meta=SAMPLED)

    assert "traceparent" not in answer.structured_content["rows"][0][0]
    assert receiver.spans == []


@pytest.mark.parametrize(
    "value", ["00-x-y-01", f"00-{TRACE}-{PARENT}-01'*/; SELECT 1", "", f"00-{'0' * 32}-{PARENT}-01"]
)
async def test_malformed_traceparent_begins_a_trace_of_its_own(
    serve: Serve, receiver: OtlpReceiver, value: str
) -> None:
    await sync_to_async(make_tool)(OWN_TEXT, name="own_text")

    async with serve() as served, served.client() as client:
        answer = await client.call_tool("own_text", meta={"traceparent": value})

    call = receiver.named(f"{METHOD} own_text")
    assert call.parent_span_id == b""
    assert f"/*traceparent='00-{call.trace_id.hex()}-" in answer.structured_content["rows"][0][0]


async def test_failed_call_says_so_without_its_values(serve: Serve, receiver: OtlpReceiver) -> None:
    await sync_to_async(make_tool)("SELECT 1 / :a::int AS n", name="divide", parameters=["a"])

    async with serve() as served:
        await served.call("divide", a="0")
        await served.call("sesame-sesame")

    failed, unknown = receiver.named(f"{METHOD} divide"), receiver.named(METHOD)
    assert failed.status.code == unknown.status.code == 2
    assert failed.status.message == ""
    assert read_attributes(failed)["error.type"] == "tool_error"
    assert read_attributes(unknown)["toolbuilder.outcome"] == "unknown_tool"
    assert not any(b"sesame" in span.SerializeToString() for span in receiver.spans)


async def test_durations_are_sent_at_the_stop(serve: Serve, receiver: OtlpReceiver) -> None:
    await sync_to_async(make_tool)(name="one")

    async with serve() as served:
        await served.call("one")

    (metric,) = [one for one in receiver.metrics if one.name == "mcp.server.operation.duration"]
    (point,) = metric.histogram.data_points
    assert (metric.unit, point.count, list(point.explicit_bounds)[:2]) == ("s", 1, [0.01, 0.02])
    assert read_attributes(point)["gen_ai.tool.name"] == "one"


async def test_trace_is_handed_on_to_an_http_service(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch, receiver: OtlpReceiver
) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setenv("PETS_TOKEN", "hunter2hunter2")
    async with running(answering(b"[]")) as service:
        await ingest_operations(service)
        async with serve() as served, served.client() as client:
            await client.call_tool("list_pets", {"limit": 1}, meta=SAMPLED)

    asked = receiver.named("GET pets")
    assert read_attributes(asked)["http.response.status_code"] == 200
    assert service.received[0].headers["traceparent"] == f"00-{TRACE}-{asked.span_id.hex()}-01"


def test_literals_and_comments_of_statements_are_not_sent() -> None:
    sql = "SELECT 'a''b', 1.5, E'q' FROM t -- secret\nWHERE id = $1 AND /* too */ x = $$y$$"

    assert hide_literals(sql, Dialect.POSTGRESQL) == (
        "SELECT ?, ?.?, ? FROM t WHERE id = ? AND x = ?"
    )


@pytest.fixture
def remote() -> Iterator[RemoteServer]:
    """Another MCP server, whose tool says to which trace its call belongs."""
    mcp = FastMCP("Remote")

    @mcp.tool
    def own_trace(ctx: Context) -> str:
        """The traceparent of this call."""
        request = ctx.request_context
        return str((request.meta or {}).get("traceparent")) if request else ""

    server = RemoteServer(mcp)
    server.start()
    yield server
    server.stop()


async def test_trace_is_handed_on_to_another_mcp_server(
    serve: Serve, settings: Any, receiver: OtlpReceiver, remote: RemoteServer
) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]

    @sync_to_async
    def take_up() -> None:
        server = McpServer.objects.create(name="remote", server_url=remote.url)
        read_tools(server)
        activate_tools(server.tools.all(), "ann")

    await take_up()
    async with serve() as served, served.client() as client:
        answer = await client.call_tool("remote_own_trace", meta=SAMPLED)

    call = receiver.named(f"{METHOD} remote_own_trace")
    assert answer.content[0].text == f"00-{TRACE}-{call.span_id.hex()}-01"
