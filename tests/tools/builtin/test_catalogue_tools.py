"""The catalogue tools over MCP, on this installation's rows and on another's REST API."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connections
from fastmcp import Client

from access.models import CallRecord
from catalog.models import DataSource
from config.asgi import application
from core.errors import ArgumentsError
from tests.catalog.shop import SALES_DETAILS, make_shop, make_table
from tests.factories import make_token
from tests.mcp_runtime.conftest import ERAS, Serve
from tests.tools.builtin.renew_contract import make_builtin_tools
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

TOOLS = make_builtin_tools()
NAMES = ["daily_sales_summary", "products", "sales_transactions", "stores"]


@pytest.fixture
def shop(transactional_db: None) -> None:
    """The tables of the example."""
    make_shop()


@pytest.fixture(autouse=True)
def _no_kept_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request of the web side has its own thread, whose connection nobody would close."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)


@asynccontextmanager
async def web() -> AsyncIterator[str]:
    """The address of the web side, served in the running loop."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(application, lifespan="off", log_config=None))
        task = asyncio.create_task(server.serve([listener]))
        await eventually(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@pytest.fixture(params=["own", "remote"])
async def serve_catalogue(
    request: pytest.FixtureRequest, settings: Any, shop: None, serve: Serve
) -> AsyncIterator[Serve]:
    """Starts a runtime that tells of its own rows, or of the same rows over the REST API."""
    if request.param == "own":
        yield serve
        return
    async with web() as url:
        settings.DOCUMENT_SERVER_URL = url
        settings.DOCUMENT_SERVER_TOKEN = await sync_to_async(make_token)("remote")
        yield serve


async def told(client: Client[Any], tool: str, **arguments: Any) -> Any:
    """The structured answer, which is also the text's JSON."""
    result: Any = await client.call_tool(tool, arguments, raise_on_error=False)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def refusal(client: Client[Any], tool: str, **arguments: Any) -> str:
    result: Any = await client.call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error
    return str(result.content[0].text)


@pytest.mark.parametrize("era", ERAS)
async def test_two_stages_lead_from_all_tables_to_code(serve_catalogue: Serve, era: str) -> None:
    async with serve_catalogue() as served, served.client(era) as client:
        summaries = await told(client, "list_table_summaries")
        tagged = await told(client, "list_table_summaries", tag="マスタ")
        tags = await told(client, "get_tags")
        details = await told(client, "get_table_details", table_names=["sales_transactions"])
        info = await told(client, "get_connection_info", table_name="sales_transactions")

    assert [table["name"] for table in summaries["tables"]] == NAMES
    assert summaries["total"] == 4
    assert [table["name"] for table in tagged["tables"]] == ["products", "stores"]
    assert tags["tags"][0] == {"name": "マスタ", "count": 2}
    assert details == {"tables": [SALES_DETAILS]}
    assert info["environment_variable"] == "MAIN_DB_URL"
    assert info.keys() == {
        *("table_name", "datasource", "type", "schema", "connection_code"),
        *("environment_variable", "notes"),
    }


async def test_unknown_tables_are_told_near_names(serve_catalogue: Serve) -> None:
    async with serve_catalogue() as served, served.client() as client:
        some = await told(client, "get_table_details", table_names=["stores", "product"])
        none = await refusal(client, "get_table_details", table_names=["sotres"])
        info = await refusal(client, "get_connection_info", table_name="storse")

    assert [table["name"] for table in some["tables"]] == ["stores"]
    assert some["not_found"] == [{"name": "product", "did_you_mean": ["products"]}]
    assert none == 'There is no table "sotres" in the catalogue; did you mean stores?'
    assert info == 'There is no table "storse" in the catalogue; did you mean stores?'


async def test_calls_are_recorded_with_their_arguments(shop: None, serve: Serve) -> None:
    async with serve() as served, served.client() as client:
        await told(client, "list_table_summaries", tag="マスタ")
        await refusal(client, "get_connection_info", table_name="nix")
    records = CallRecord.objects.order_by("number")

    found = [
        (record.tool_name, record.arguments, record.outcome, record.row_count)
        async for record in records
    ]
    assert found == [
        ("list_table_summaries", {"tag": "マスタ"}, "ok", 2),
        ("get_connection_info", {"table_name": "nix"}, "tool_error", None),
    ]


def make_restricted() -> tuple[str, str]:
    """Tokens of a user of a restricted data source and of nobody; `salaries` is in it."""
    source = DataSource.objects.create(
        name="payroll", host="h", database="d", username="u", is_restricted=True
    )
    make_table("salaries", source=source)
    user = User.objects.create_user("kim")
    source.allowed_users.add(user)
    return make_token(owner=user), make_token()


async def test_owner_of_the_key_decides_what_is_told(shop: None, serve: Serve) -> None:
    allowed, other = await sync_to_async(make_restricted)()

    async with serve() as served:
        names = []
        for token in (allowed, other):
            async with served.client(token=token) as client:
                result = await client.call_tool("list_table_summaries", {})
                names.append([table["name"] for table in result.structured_content["tables"]])
        async with served.client(token=other) as client:
            text = await refusal(client, "get_table_details", table_names=["salaries"])

    assert names == [[*NAMES, "salaries"], NAMES]
    assert text == (
        'There is no table "salaries" in the catalogue; list_table_summaries lists them.'
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        pytest.param(
            "get_table_details",
            {"table_names": []},
            "table_names: must have 1 to 50 items (got 0)",
            id="no names",
        ),
        pytest.param(
            "get_table_details",
            {"table_names": ["a"] * 51},
            "table_names: must have 1 to 50 items (got 51)",
            id="too many names",
        ),
        pytest.param(
            "get_table_details",
            {"table_names": ["a", " "]},
            "table_names[1]: must not be blank",
            id="blank name among others",
        ),
        pytest.param(
            "get_table_details",
            {"table_names": "stores"},
            'table_names: must be a list of texts (got "stores")',
            id="no list",
        ),
        pytest.param(
            "get_connection_info",
            {"table_name": ""},
            "table_name: must not be blank",
            id="blank name",
        ),
        pytest.param(
            "get_tags",
            {"owner": "admin"},
            "owner: unknown; this tool takes no arguments",
            id="owner of another",
        ),
        pytest.param(
            "list_table_summaries",
            {"tags": "a"},
            "tags: unknown; did you mean tag?",
            id="misspelt argument",
        ),
    ],
)
def test_wrong_arguments_are_named(tool: str, arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(ArgumentsError) as caught:
        TOOLS[tool].validate(arguments)

    assert str(caught.value) == f"Invalid arguments for {tool}:\n- {line}"


def without_server(settings: Any) -> str:
    settings.DOCUMENT_SERVER_URL = "http://127.0.0.1:9"
    return "the document server cannot be reached; try again later"


def with_a_wrong_token(settings: Any) -> str:
    settings.DOCUMENT_SERVER_TOKEN = "mcp_no"
    return (
        "the document server does not accept DOCUMENT_SERVER_TOKEN;"
        " it must be a valid API key of that server"
    )


@pytest.mark.parametrize("spoil", [without_server, with_a_wrong_token])
async def test_remote_catalogue_that_cannot_be_read_is_said(
    settings: Any, serve: Serve, spoil: Callable[[Any], str]
) -> None:
    async with web() as url:
        settings.DOCUMENT_SERVER_URL = url
        expected = spoil(settings)
        async with serve() as served, served.client() as client:
            text = await refusal(client, "get_tags")

    assert text == expected


async def test_own_rows_that_cannot_be_read_are_said(
    shop: None, serve: Serve, psql: Callable[[str], None]
) -> None:
    async with serve() as served, served.client() as client:
        await asyncio.to_thread(psql, "ALTER TABLE h_catalog_tag RENAME TO away")
        try:
            text = await refusal(client, "get_tags")
        finally:
            await asyncio.to_thread(psql, "ALTER TABLE away RENAME TO h_catalog_tag")
        again = await told(client, "get_tags")

    assert text == "the data catalogue cannot be read now; try again later"
    assert again["tags"]
