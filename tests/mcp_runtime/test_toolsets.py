"""Every way to learn a tool's name, for callers with and without the right, through every lane and endpoint."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from fastmcp import Client

from access.models import IssuerRule, TokenIssuer
from tests.factories import make_expression, make_token, make_toolset
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.oidc_server import oidc_server
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

TOOL, OTHER = "refund_history", "refund_histories"
# What a key is granted, and whether it then sees TOOL.
GRANTS: dict[str, tuple[dict[str, Any], bool]] = {
    "every tool": ({}, True),
    "the tool": ({"allowed_tools": [TOOL, *("search_tools", "call_tool")]}, True),
    "its toolset": (
        {"allowed_tools": [], "toolsets": ["refunds"], "builtin_groups": ["search"]},
        True,
    ),
    "a toolset of its tag": (
        {"allowed_tools": [], "toolsets": ["tagged"], "builtin_groups": ["search"]},
        True,
    ),
    "another tool": ({"allowed_tools": [OTHER, "search_tools", "call_tool"]}, False),
    "another toolset": (
        {"allowed_tools": [], "toolsets": ["others"], "builtin_groups": ["search"]},
        False,
    ),
    "a toolset that there is not": (
        {"allowed_tools": [], "toolsets": ["none"], "builtin_groups": ["search"]},
        False,
    ),
    "only the search": ({"allowed_tools": [], "builtin_groups": ["search"]}, False),
}
# Groups in the access token of an issuer whose rules grant each group its toolset, and whether it sees TOOL.
TOKENS = {
    "a token of its group": (["refunds"], True),
    "a token of another group": (["others"], False),
}
# The endpoint, and whether TOOL is there.
ENDPOINTS = {"": True, "refunds": True, "tagged": True, "others": False}

Learn = Callable[[Client[Any]], Awaitable[str]]


async def read_list(client: Client[Any]) -> str:
    return " ".join(tool.name for tool in await client.list_tools())


def call(name: str, /, **arguments: Any) -> Learn:
    async def learn(client: Client[Any]) -> str:
        result = await client.call_tool(name, arguments, raise_on_error=False)
        return str(getattr(result.content[0], "text", ""))

    return learn


# Each gives what the caller reads: with the right it tells of TOOL, without it never.
WAYS: dict[str, Learn] = {
    "list": read_list,
    "search": call("search_tools", query="refund history", limit=50),
    "call": call(TOOL, a=2, b=3),
    "call_tool": call("call_tool", name=TOOL, arguments={"a": 2, "b": 3}),
    "misspelt": call("refund_histroy", a=2),
}
CALLS = {"call", "call_tool"}


@asynccontextmanager
async def served_twice(serve: Serve, settings: Any) -> AsyncIterator[dict[str, Served]]:
    async with serve() as direct:
        settings.MCP_DIRECT_LANE = False
        async with serve() as fastmcp:
            yield {"direct": direct, "fastmcp": fastmcp}


async def write_rows() -> None:
    for name in (TOOL, OTHER):
        tags = ["money"] if name == TOOL else []
        await sync_to_async(make_expression)("a * b", name=name, tags=tags)
    searching = ("search_tools", "call_tool")
    await sync_to_async(make_toolset)("refunds", TOOL, *searching)
    await sync_to_async(make_toolset)("tagged", *searching, tags=["money"])
    await sync_to_async(make_toolset)("others", OTHER, *searching)


async def write_issuer(url: str) -> None:
    issuer = await TokenIssuer.objects.acreate(name="corp", url=url)
    for group in ("refunds", "others"):
        await IssuerRule.objects.acreate(
            issuer=issuer,
            claim="groups",
            test="contains",
            value=group,
            toolsets=[group],
            builtin_groups=["search"],
        )


@pytest.mark.parametrize("era", ERAS)
async def test_name_of_a_tool_is_learnt_with_the_right_alone(
    serve: Serve, settings: Any, subtests: pytest.Subtests, era: str
) -> None:
    settings.MCP_PUBLIC_URL = "https://tools.example.org/mcp"
    await write_rows()
    callers = {
        name: (await sync_to_async(make_token)(name, **columns), is_granted)
        for name, (columns, is_granted) in GRANTS.items()
    }
    async with oidc_server() as issuer, served_twice(serve, settings) as lanes:
        await write_issuer(issuer.url)
        callers |= {
            name: (issuer.sign(issuer.claims(settings.MCP_PUBLIC_URL, groups=groups)), is_granted)
            for name, (groups, is_granted) in TOKENS.items()
        }
        for served in lanes.values():
            await served.runtime.search.index.ready.wait()
            await eventually(served.runtime.verifier.issuers)
        for lane, served in lanes.items():
            for grant, (token, is_granted) in callers.items():
                for endpoint, is_there in ENDPOINTS.items():
                    async with served.client(era, token, endpoint) as client:
                        for way, learn in WAYS.items():
                            with subtests.test(f"{lane}, {grant}, /{endpoint}, {way}"):
                                told = await learn(client)
                                if way in CALLS:
                                    assert (told == "6") is (is_granted and is_there), told
                                else:
                                    known = told.replace("refund_histroy", "").replace(OTHER, "")
                                    assert (TOOL in known) is (is_granted and is_there), told


async def test_toolset_without_a_right_looks_as_one_that_there_is_not(
    serve: Serve, settings: Any
) -> None:
    await write_rows()
    token = await sync_to_async(make_token)("x", allowed_tools=["unheard_of"])

    async with served_twice(serve, settings) as lanes, httpx.AsyncClient() as http:
        for served in lanes.values():
            answers = {}
            for name in ("others", "none"):
                headers = {
                    "authorization": f"Bearer {token}",
                    "accept": "application/json, text/event-stream",
                }
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
                answer = await http.post(f"{served.url}/{name}", json=message, headers=headers)
                unknown = await http.post(f"{served.url}/{name}", json=message)
                answers[name] = (answer.status_code, answer.text.replace(name, "NAME"))
                assert unknown.status_code == 401
            assert answers["others"] == answers["none"]
            assert answers["none"][0] == 404


async def test_change_of_a_toolset_by_another_program_is_heard(
    serve: Serve, psql: Callable[[str], None]
) -> None:
    await write_rows()
    token = await sync_to_async(make_token)("x", allowed_tools=[], toolsets=["others"])

    async with serve() as served, served.client(token=token) as client:
        assert OTHER in await read_list(client)
        psql(
            "INSERT INTO h_mcp_toolset_tool (toolset_id, tool_name)"
            " SELECT id, 'refund_history' FROM h_mcp_toolset WHERE name = 'others'"
        )
        await eventually(lambda: TOOL in served.runtime.store.snapshot.toolsets["others"].tools)

        assert TOOL in await read_list(client)
        psql("DELETE FROM h_mcp_toolset WHERE name = 'others'")
        await eventually(lambda: "others" not in served.runtime.store.snapshot.toolsets)
        assert await read_list(client) == ""


async def test_sql_of_its_own_is_a_right_of_its_own(serve: Serve) -> None:
    grants = {"allowed_tools": [], "builtin_groups": ["database", "catalogue"]}
    token = await sync_to_async(make_token)("x", **grants, free_sql_sources=[])
    other = await sync_to_async(make_token)("y", **grants, free_sql_sources=[""])

    async with serve() as served:
        async with served.client(token=token) as client:
            without = (await read_list(client)).split()
        async with served.client(token=other) as client:
            with_it = (await read_list(client)).split()

    assert "execute_postgres_query" not in without
    assert set(with_it) == {"execute_postgres_query", *without}
    assert len(without) == 4
