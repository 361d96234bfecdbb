"""Rows are tools: lists and calls over HTTP, in both protocol eras."""

import pytest
from asgiref.sync import sync_to_async

from tests.factories import make_expression, make_token, make_tool, number
from tests.mcp_runtime.conftest import ERAS, Serve

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("era", ERAS)
async def test_expression_answers_in_both_eras(serve: Serve, era: str) -> None:
    await sync_to_async(make_expression)(
        "num1 * num2", name="multiply_numbers", parameters=[number("num1"), number("num2")]
    )

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool("multiply_numbers", {"num1": 5, "num2": 3})

    assert result.data == 15
    assert result.content[0].text == "15"


@pytest.mark.parametrize("era", ERAS)
async def test_query_answers_in_both_eras(serve: Serve, era: str) -> None:
    await sync_to_async(make_tool)(
        "SELECT :who AS who, 50 AS max_count", name="limits", parameters=["who"]
    )

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool("limits", {"who": "hong"})

    structured = result.structured_content
    assert structured["columns"] == ["who", "max_count"]
    assert structured["rows"] == [["hong", 50]]
    assert structured["row_count"] == 1
    assert structured["truncated"] is False


async def test_list_shows_schema_description_and_annotations(serve: Serve) -> None:
    await sync_to_async(make_expression)(
        name="multiply", title="Multiply", description_agent="Multiplies."
    )

    async with serve() as served, served.client() as client:
        *_, tool = await client.list_tools()

    assert (tool.name, tool.title, tool.description) == ("multiply", "Multiply", "Multiplies.")
    assert tool.input_schema["required"] == ["a", "b"]
    assert tool.input_schema["additionalProperties"] is False
    assert tool.annotations.read_only_hint is True


async def test_inactive_tool_is_neither_listed_nor_callable(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="hidden", is_active=False)

    async with serve() as served:
        assert await served.names() == []
        result = await served.call("hidden")

    assert result.is_error
    assert result.content[0].text == "Unknown tool: 'hidden'"


async def test_key_sees_and_calls_only_its_tools(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="allowed")
    await sync_to_async(make_tool)(name="other")
    token = await sync_to_async(make_token)(allowed_tools=["allowed"])

    async with serve() as served, served.client(token=token) as client:
        names = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool("other", raise_on_error=False)

    assert names == ["allowed"]
    assert result.content[0].text == "Unknown tool: 'other'"


SEVENS: dict[str, tuple[str, str]] = {
    "sql_in_json": ('{"sql": "SELECT 7 AS n"}', "SQL"),
    "expression_in_json": ('{"expression": "3 + 4"}', "PYTHON"),
    "assignment_to_result": ("result = 3 + 4", "PYTHON"),
}


async def test_definition_may_be_json_or_an_assignment(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    for case, (definition, kind) in SEVENS.items():
        await sync_to_async(make_tool)(definition, name=case, tool_type=kind)

    async with serve() as served:
        for case in SEVENS:
            with subtests.test(case):
                result = await served.call(case)

                assert "7" in result.content[0].text
