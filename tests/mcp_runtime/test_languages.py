"""Agents read descriptions in the language of the setting, or of their request, through every lane."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from tests.factories import make_expression, number
from tests.mcp_runtime.conftest import ERAS, NO_AUTHORITIES, Serve, Served

pytestmark = pytest.mark.django_db(transaction=True)

KOREAN = "수를 두 배로 합니다."


def make_described() -> None:
    """`double`, described in Korean too, and `plain`, which is not."""
    parameter = number("a", description="The number.", descriptions={"ko": "두 배로 할 수"})
    make_expression(
        "a * 2",
        name="double",
        description_agent="Doubles a number.",
        descriptions={"ko": KOREAN},
        parameters=[parameter],
    )
    make_expression(name="plain", description_agent="Multiplies.")


def client_of(served: Served, era: str, accepted: str) -> Client[Any]:
    headers = {"Authorization": f"Bearer {served.token}", "Accept-Language": accepted}
    transport = StreamableHttpTransport(served.url, headers=headers, verify=NO_AUTHORITIES)
    return Client(transport, mode=era)


async def texts_of(client: Client[Any]) -> dict[str, tuple[str, str]]:
    """Of both tools: the description and that of the first parameter."""
    tools = {tool.name: tool for tool in await client.list_tools()}
    return {
        name: (
            tools[name].description or "",
            tools[name].input_schema["properties"]["a"].get("description", ""),
        )
        for name in ("double", "plain")
    }


@pytest.mark.parametrize("lane", ["direct", "fastmcp"])
@pytest.mark.parametrize("era", ERAS)
async def test_client_is_described_tools_in_its_language(
    serve: Serve, settings: Any, era: str, lane: str
) -> None:
    settings.MCP_DIRECT_LANE, settings.AGENT_LANGUAGE = lane == "direct", "client"
    await sync_to_async(make_described)()

    async with serve() as served:
        async with client_of(served, era, "ko-KR,ko;q=0.9,en;q=0.8") as agent:
            for _repeated in range(2):
                assert await texts_of(agent) == {
                    "double": (KOREAN, "두 배로 할 수"),
                    "plain": ("Multiplies.", ""),
                }
            found = await agent.call_tool("search_tools", {"query": "double a number"})
            tools = found.structured_content["tools"] if found.structured_content else []
            assert KOREAN in [tool["description"] for tool in tools]
        async with client_of(served, era, "en") as agent:
            assert (await texts_of(agent))["double"] == ("Doubles a number.", "The number.")


async def test_setting_says_the_language_of_all(serve: Serve, settings: Any) -> None:
    settings.AGENT_LANGUAGE = "ko"
    await sync_to_async(make_described)()

    async with serve() as served, served.client() as agent:
        assert (await texts_of(agent))["double"] == (KOREAN, "두 배로 할 수")


async def test_without_the_setting_the_default_text_is_served(serve: Serve) -> None:
    await sync_to_async(make_described)()

    async with serve() as served, client_of(served, ERAS[0], "ko") as agent:
        assert (await texts_of(agent))["double"] == ("Doubles a number.", "The number.")


async def test_text_in_another_language_is_found(serve: Serve) -> None:
    await sync_to_async(make_described)()

    async with serve() as served:
        found = await served.call("search_tools", query="두 배", limit=1)

    assert [tool["name"] for tool in found.structured_content["tools"]] == ["double"]
