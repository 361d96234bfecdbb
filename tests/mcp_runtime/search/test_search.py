"""`search_tools` over MCP: what it finds, for whom, and how soon."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from catalog.glossary.concepts import add_concept
from core.retrieval.model import Tool
from tests.factories import make_expression, make_token, make_tool
from tests.gateways.embeddings.scripted_server import ScriptedServer, silence
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.mcp_runtime.search.conftest import found, has_all_vectors, search
from tests.tools.finding.meanings import wider_meanings
from tests.waiting import eventually
from tools.finding import query_vectors
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("era", ERAS)
async def test_answer_has_all_that_is_needed_to_call_the_tool(serve: Serve, era: str) -> None:
    await sync_to_async(make_expression)(
        name="refund_order", title="Refund", description_agent="Refunds an order."
    )

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool("search_tools", {"query": "refund an order"})
        listed = {tool.name: tool for tool in await client.list_tools()}

    [tool] = result.structured_content["tools"]
    assert result.structured_content["degraded"] is True
    assert list(tool) == [
        *("name", "title", "description", "parameters", "annotations", "score", "signals")
    ]
    assert (tool["name"], tool["title"]) == ("refund_order", "Refund")
    assert tool["parameters"] == listed["refund_order"].input_schema
    assert tool["annotations"]["readOnlyHint"] is True
    assert tool["signals"].keys() == {"bm25", "graph", "embedding", "annotation"}
    assert isinstance(tool["score"], float)


async def test_best_ones_come_first_and_no_more_than_asked_for(serve: Serve) -> None:
    for name in ("refund_order", "refund_history", "weather"):
        await sync_to_async(make_tool)(name=name)

    async with serve() as served:
        both = await found(served, "refund order")
        one = await found(served, "refund order", limit=1)

    assert both == ["refund_order", "refund_history"]
    assert one == ["refund_order"]


async def test_key_finds_only_what_it_sees(serve: Serve) -> None:
    for name in ("refund_order", "refund_history"):
        await sync_to_async(make_tool)(name=name)
    token = await sync_to_async(make_token)(allowed_tools=["search_tools", "refund_history"])

    async with serve() as served, served.client(token=token) as client:
        result = await client.call_tool("search_tools", {"query": "refund order"})

    assert [tool["name"] for tool in result.structured_content["tools"]] == ["refund_history"]


async def test_built_in_tools_are_found_but_not_the_search(settings: Any, serve: Serve) -> None:
    settings.MCP_BUILTIN_TOOLS = ["all"]

    async with serve() as served:
        names = await found(served, "search tools, call a tool, SQL query", limit=50)

    assert "execute_postgres_query" in names
    assert not {"search_tools", "call_tool"} & set(names)


async def test_description_for_people_is_searched(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="t2", description_user="매출 집계")
    await sync_to_async(make_tool)(name="t1")

    async with serve() as served:
        assert (await found(served, "매출 집계"))[0] == "t2"


def indexed_tool(served: Served, name: str) -> Tool:
    table = served.runtime.search.index.ranker._index.table
    return table.tools[table.rows[name]]


async def test_published_tool_is_found_and_no_other_is_indexed_again(
    serve: Serve, model: ScriptedServer
) -> None:
    await sync_to_async(make_tool)(name="weather_report")

    async with serve() as served:
        await eventually(lambda: has_all_vectors(served))
        asked = len(model.asked)
        before = indexed_tool(served, "weather_report")
        await sync_to_async(make_tool)(name="repay", description_agent="Refund a customer.")

        async def is_found_by_words() -> bool:
            return "repay" in await found(served, "refund a customer")

        await eventually(is_found_by_words)
        await eventually(lambda: has_all_vectors(served))
        answer = await search(served, "money", limit=1)
        after = indexed_tool(served, "weather_report")

    texts = [text for one in model.asked[asked:] for text in one.content["input"]]
    assert {text for text in texts if text.startswith("repay")} == {
        *("repay", "repay: Refund a customer.")
    }
    assert not any("weather" in text for text in texts)
    assert after is before
    assert (answer["tools"][0]["name"], answer["degraded"]) == ("repay", False)


async def test_renamed_tool_is_no_longer_found_by_its_old_name(serve: Serve) -> None:
    tool = await sync_to_async(make_tool)(name="refund_order")

    async with serve() as served:
        await ToolDefinition.objects.filter(pk=tool.pk).aupdate(name="repay_order")

        async def is_renamed() -> bool:
            return await found(served, "refund repay order") == ["repay_order"]

        await eventually(is_renamed)


async def test_meaning_is_found_and_words_alone_while_the_model_is_silent(
    serve: Serve, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_tool)(name="refund_order")
    await sync_to_async(make_tool)(name="weather_report")

    async with serve() as served:
        await eventually(lambda: has_all_vectors(served))
        answer = await search(served, "비가 오나요 날씨", limit=1)
        model.replies[:] = [silence]
        monkeypatch.setattr(query_vectors, "DEADLINE_S", 0.1)
        by_words = await search(served, "refund order", limit=1)

    [tool], [other] = answer["tools"], by_words["tools"]
    assert (tool["name"], answer["degraded"]) == ("weather_report", False)
    assert tool["signals"]["embedding"] > 0
    assert (other["name"], by_words["degraded"]) == ("refund_order", True)


def dimension_of(served: Served) -> int:
    return served.runtime.search.index.dimension


async def test_model_of_another_dimension_has_all_tools_embedded_anew(
    serve: Serve, model: ScriptedServer
) -> None:
    await sync_to_async(make_tool)(name="refund_order")

    async with serve() as served:
        await eventually(lambda: dimension_of(served) == 3)
        model.replies[:] = [wider_meanings]
        answer = await search(served, "money")
        await eventually(lambda: dimension_of(served) == 4)
        later = await search(served, "money")

    assert (answer["degraded"], later["degraded"]) == (True, False)


async def test_glossary_edit_is_found_and_vectors_stay(serve: Serve, model: ScriptedServer) -> None:
    await sync_to_async(make_tool)(name="frobnicate_all")

    async with serve() as served:
        await eventually(lambda: has_all_vectors(served))
        asked = len(model.asked)
        await sync_to_async(add_concept)(
            "frobnication", {"ko": "꿀벌집", "en": "frobnicate"}, "ann"
        )

        async def is_known() -> bool:
            [tool] = (await search(served, "꿀벌집", limit=1))["tools"]
            return bool(tool["signals"]["bm25"] > 0)

        await eventually(is_known)
        assert has_all_vectors(served)

    texts = [text for one in model.asked[asked:] for text in one.content["input"]]
    assert set(texts) == {"꿀벌집"}
