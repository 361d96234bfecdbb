"""Built-in tools as agents meet them: the published contract, the list, names, visibility."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from core.errors import ConfigurationError
from core.execution import TOOL_NAME
from mcp_runtime.server import Runtime
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve
from tests.mcp_runtime.test_fastmcp_contract import modern_request
from tests.tools.builtin.renew_contract import GOLDEN, make_builtin_tools, read_contract
from tests.waiting import eventually
from tools.models import QuarantinedTool, ToolDefinition

TOOLS = make_builtin_tools()
NAMES = list(TOOLS)
DOCUMENTED = Path(__file__).parents[3] / "docs/reference/builtin-tools.md"
_SCRIPTS = {"Korean": r"[가-힣]{2}", "Japanese": r"[ぁ-んァ-ン]{2}", "English": r"[a-z]{4}"}


@pytest.fixture
def every_tool(settings: Any) -> Any:
    """The settings, which serve all built-in tools."""
    settings.MCP_BUILTIN_TOOLS = ["all"]
    return settings


def test_contract_is_what_was_published() -> None:
    published = json.loads(GOLDEN.read_text())

    assert read_contract() == published, (
        "the contract of built-in tools changed; if that is meant, run"
        ' manage.py shell -c "from tests.tools.builtin.renew_contract import renew; renew()"'
    )


@pytest.mark.parametrize("name", NAMES)
def test_description_has_cues_in_three_languages(name: str) -> None:
    description = TOOLS[name].spec.description

    assert [script for script, found in _SCRIPTS.items() if not re.search(found, description)] == []
    assert TOOL_NAME.fullmatch(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_hint_is_set(name: str) -> None:
    assert TOOLS[name].spec.annotations == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


@pytest.mark.parametrize("name", NAMES)
def test_tool_is_documented_with_its_arguments(name: str) -> None:
    page = DOCUMENTED.read_text()

    assert f"## `{name}`" in page
    assert [arg for arg in TOOLS[name].input_schema["properties"] if f"`{arg}`" not in page] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("era", ERAS)
async def test_list_shows_the_contract_before_defined_tools(
    every_tool: Any, serve: Serve, era: str
) -> None:
    await sync_to_async(make_expression)(name="a_multiply")

    async with serve() as served, served.client(era) as client:
        listed = await client.list_tools()

    *builtin, defined = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed]
    published = json.loads(GOLDEN.read_text())
    assert defined["name"] == "a_multiply"
    assert [{key: tool[key] for key in published[0]} for tool in builtin] == published


@pytest.mark.django_db(transaction=True)
async def test_key_sees_and_calls_only_its_built_in_tools(every_tool: Any, serve: Serve) -> None:
    token = await sync_to_async(make_token)(allowed_tools=["sanitize_for_csv"])

    async with serve() as served, served.client(token=token) as client:
        names = [tool.name for tool in await client.list_tools()]
        seen = await client.call_tool("sanitize_for_csv", {"text": "a"})
        unseen = await client.call_tool(
            "complete_column_extraction", {"extracted_columns": {}}, raise_on_error=False
        )

    assert names == ["sanitize_for_csv"]
    assert seen.structured_content == {"sanitized_text": "a"}
    assert unseen.content[0].text == "Unknown tool: 'complete_column_extraction'"


@pytest.mark.django_db(transaction=True)
async def test_call_is_recorded_like_that_of_a_defined_tool(every_tool: Any, serve: Serve) -> None:
    async with serve() as served:
        await served.call("sanitize_for_csv", text="a")
        await served.call("sanitize_for_csv", txt="a")
    good, wrong = [record async for record in CallRecord.objects.order_by("at")]

    assert (good.tool_name, good.outcome, good.arguments) == (
        *("sanitize_for_csv", "ok"),
        {"text": "a"},
    )
    assert wrong.outcome == "invalid_arguments"
    assert wrong.error.endswith("- text: required\n- txt: unknown; did you mean text?")


@pytest.mark.django_db(transaction=True)
async def test_misspelt_name_is_told_the_near_one(every_tool: Any, serve: Serve) -> None:
    async with serve() as served:
        result = await served.call("sanitise_for_csv", text="a")

    assert result.content[0].text == (
        "Unknown tool: 'sanitise_for_csv'; did you mean sanitize_for_csv?"
    )


@pytest.mark.django_db(transaction=True)
async def test_defined_tool_with_a_taken_name_is_quarantined(every_tool: Any, serve: Serve) -> None:
    taken = await sync_to_async(make_tool)(name="sanitize_for_csv")

    async with serve() as served:
        result = await served.call("sanitize_for_csv", text="a\u00a0b")
        reason = (await QuarantinedTool.objects.aget(tool_id=taken.id)).reason
        await ToolDefinition.objects.filter(pk=taken.pk).aupdate(name="clean")

        async def is_served() -> bool:
            return "clean" in await served.names()

        await eventually(is_served)

    assert result.structured_content == {"sanitized_text": "a b"}
    assert reason == (
        "sanitize_for_csv is the name of a built-in tool; give this tool another name"
    )


@pytest.mark.django_db(transaction=True)
async def test_only_the_wanted_tools_are_served(settings: Any, serve: Serve) -> None:
    settings.MCP_BUILTIN_TOOLS = ["sanitize_for_csv"]
    own = await sync_to_async(make_tool)("SELECT 1 AS one", name="execute_postgres_query")

    async with serve() as served, served.client() as client:
        names = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool(own.name, {})

    assert names == ["sanitize_for_csv", "execute_postgres_query"]
    assert result.structured_content["rows"] == [[1]]


@pytest.mark.django_db(transaction=True)
async def test_none_leaves_all_of_them_out(settings: Any, serve: Serve) -> None:
    settings.MCP_BUILTIN_TOOLS = ["none"]

    async with serve() as served, served.client() as client:
        assert await client.list_tools() == []


def test_unknown_name_among_the_wanted_tools_is_refused(settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["sanitize", "all"]

    with pytest.raises(ConfigurationError, match="MCP_BUILTIN_TOOLS names sanitize, which is no"):
        Runtime()


@pytest.mark.django_db(transaction=True)
async def test_headers_of_a_call_are_checked_against_the_tools_schema(
    every_tool: Any, serve: Serve
) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        hook = served.runtime.mcp._mcp_server.get_tool_input_schema
        request = modern_request(served, "sanitize_for_csv", {"text": "a"})
        response = await http.post(**request)

    assert hook is not None
    assert hook("sanitize_for_csv") == TOOLS["sanitize_for_csv"].input_schema
    assert response.json()["result"]["structuredContent"] == {"sanitized_text": "a"}
