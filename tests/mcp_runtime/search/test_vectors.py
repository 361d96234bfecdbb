"""Vectors of tools are made once, stored, and shared by runtimes."""

import numpy as np
import pytest
from asgiref.sync import sync_to_async

from catalog.models import McpServer, McpTool
from tests.factories import make_tool
from tests.gateways.embeddings.scripted_server import Exchange, ScriptedServer, answer
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.search.conftest import found, has_all_vectors, search
from tests.tools.finding.meanings import meanings
from tests.waiting import eventually
from tools.finding.vector_rows import (
    HashedVectors,
    drop_misfits,
    drop_orphans,
    read_vectors,
    store_vectors,
)
from tools.models import ToolDefinition, ToolVector


def make_vectors(*numbers: float, content_hash: str = "h") -> HashedVectors:
    vector = np.array(numbers, dtype=np.float32)
    return HashedVectors(content_hash, (vector, vector * 2))


def passages(model: ScriptedServer) -> list[str]:
    return [text for one in model.asked for text in one.content["input"]]


@pytest.mark.django_db
def test_stored_vectors_are_read_as_they_were() -> None:
    store_vectors("m", {"a": make_vectors(1.5, -2), "b": make_vectors(0, 1)})

    [(name, read)] = read_vectors("m", ["a"]).items()

    assert (name, read.content_hash) == ("a", "h")
    assert [vector.tolist() for vector in read.pair] == [[1.5, -2], [3, -4]]
    assert read_vectors("other", ["a"]) == {}


@pytest.mark.django_db
def test_later_vectors_take_the_place_of_earlier_ones() -> None:
    store_vectors("m", {"a": make_vectors(1, content_hash="old")})

    store_vectors("m", {"a": make_vectors(2, content_hash="new")})

    assert read_vectors("m", ["a"])["a"].content_hash == "new"


@pytest.mark.django_db
def test_vectors_of_tools_that_are_no_more_are_dropped() -> None:
    make_tool(name="kept", is_active=False)
    server = McpServer.objects.create(name="far", server_url="https://mcp.example.com/mcp")
    McpTool.objects.create(server=server, name="away", is_active=True, seen={}, accepted={})
    kept = {"kept", "get_tags", "far_away"}
    store_vectors("m", dict.fromkeys([*kept, "gone"], make_vectors(1)))

    drop_orphans()

    assert set(ToolVector.objects.values_list("tool_name", flat=True)) == kept


@pytest.mark.django_db
def test_vectors_of_another_dimension_are_dropped() -> None:
    store_vectors("m", {"a": make_vectors(1), "b": make_vectors(1, 2)})
    store_vectors("n", {"a": make_vectors(1)})

    drop_misfits("m", 2)

    assert set(ToolVector.objects.values_list("tool_name", "model")) == {("b", "m"), ("a", "n")}


@pytest.mark.django_db(transaction=True)
async def test_second_runtime_takes_what_the_first_has_stored(
    serve: Serve, model: ScriptedServer
) -> None:
    await sync_to_async(make_tool)(name="refund_order")
    async with serve() as served:
        await eventually(lambda: has_all_vectors(served))
    before = len(embedded(model))

    async with serve() as served:
        answer = await search(served, "money")

    assert answer["degraded"] is False
    assert embedded(model)[before:] == [["money"]]


@pytest.mark.django_db(transaction=True)
async def test_change_of_the_query_alone_embeds_nothing(
    serve: Serve, model: ScriptedServer
) -> None:
    tool = await sync_to_async(make_tool)(name="refund_order")

    async with serve() as served:
        await eventually(lambda: has_all_vectors(served))
        before, revision = len(embedded(model)), served.runtime.store.snapshot.revision
        await ToolDefinition.objects.filter(pk=tool.pk).aupdate(definition="SELECT 2 AS two")
        await eventually(lambda: served.runtime.store.snapshot.revision > revision)
        await eventually(lambda: is_followed(served.runtime.search.index))
        assert has_all_vectors(served)

    assert len(embedded(model)) == before


def embedded(model: ScriptedServer) -> list[list[str]]:
    """The texts of each request, but for the one by which a runtime warms the model up."""
    asked = [list(each.content["input"]) for each in model.asked]
    return [texts for texts in asked if "warm up" not in texts[0]]


def is_followed(index: object) -> bool:
    return index._followed is index._snapshot()  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
async def test_text_that_the_server_refuses_costs_no_other_tool_its_vectors(
    serve: Serve, model: ScriptedServer
) -> None:
    async def refuse_rain(exchange: Exchange) -> None:
        if any("rain" in text for text in exchange.content["input"]):
            await answer('{"error": {"message": "no"}}', 400)(exchange)
        else:
            await meanings(exchange)

    model.replies[:] = [refuse_rain]
    for name in ("refund_order", "rain_report"):
        await sync_to_async(make_tool)(name=name)

    async with serve() as served:
        index = served.runtime.search.index
        await eventually(lambda: index.dimension > 0)
        await eventually(lambda: list(index.lacking) == ["rain_report"])
        assert "rain_report" in await found(served, "rain report")
        assert (await found(served, "money"))[0] == "refund_order"


@pytest.mark.django_db(transaction=True)
async def test_nothing_is_embedded_where_no_tool_is_searched(
    settings: object, serve: Serve, model: ScriptedServer
) -> None:
    settings.MCP_BUILTIN_TOOLS = ["none"]  # type: ignore[attr-defined]
    await sync_to_async(make_tool)(name="refund_order")

    async with serve() as served:
        await served.call("refund_order")

    assert embedded(model) == []
