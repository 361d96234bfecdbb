"""`execute_postgres_query` over MCP on a real PostgreSQL: its answers to the letter."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from tests.factories import ENDLESS_SQL, make_token
from tests.mcp_runtime.conftest import ERAS, Serve, Served

pytestmark = pytest.mark.django_db(transaction=True)

NBSP = "\u00a0"
TOOL = "execute_postgres_query"


async def query(served: Served, sql: str) -> dict[str, Any]:
    """The structured answer; its text is the same, and `isError` says what its status does."""
    result = await served.call(TOOL, sql_query=sql)
    assert json.loads(result.content[0].text) == result.structured_content
    assert result.is_error == (result.structured_content["status"] == "error")
    return dict(result.structured_content)


async def records_of(served: Served, sql: str) -> Any:
    return (await query(served, sql))["data"]["content"]["records"]


async def message_of(served: Served, sql: str) -> str:
    answer = await query(served, sql)
    assert answer.keys() == {"status", "message"}
    assert answer["status"] == "error"
    return str(answer["message"])


@pytest.mark.parametrize("era", ERAS)
async def test_rows_are_records_in_both_eras(serve: Serve, era: str) -> None:
    sql = "SELECT * FROM (VALUES (1, 'john_doe'), (2, '제인')) AS u(user_id, username)"

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool(TOOL, {"sql_query": sql})

    assert result.structured_content == {
        "status": "success",
        "message": "SQL executed.",
        "data": {
            "type": "csv_table",
            "content": {
                "sql": sql,
                "records": [
                    {"user_id": 1, "username": "john_doe"},
                    {"user_id": 2, "username": "제인"},
                ],
                "row_count": 2,
                "truncated": False,
                "applied_limit": 1_000,
            },
        },
    }
    assert json.loads(result.content[0].text) == result.structured_content


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("through", ["by name", "call_tool"])
async def test_failed_query_is_an_error_with_its_body(serve: Serve, era: str, through: str) -> None:
    name, arguments = TOOL, dict[str, object](sql_query="SELECT * FROM nowhere")
    if through == "call_tool":
        name, arguments = "call_tool", {"name": TOOL, "arguments": arguments}

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool(name, arguments, raise_on_error=False)

    assert result.is_error
    assert result.structured_content == {
        "status": "error",
        "message": "Error while querying DB: relation 'nowhere' does not exist",
    }
    assert json.loads(result.content[0].text) == result.structured_content


FAILING: dict[str, tuple[str, str]] = {
    "syntax": (
        "SELECT 1 FORM x y",
        "syntax error at or near 'x' (character 15); correct the statement",
    ),
    "column": ("SELECT usrname FROM pg_user", "column 'usrname' does not exist"),
    "at run time": ("SELECT 1 / 0", "division by zero"),
    "write": (
        "DELETE FROM users",
        "only queries (SELECT, WITH, VALUES, TABLE) can be served; this is DELETE",
    ),
    "two statements": ("SELECT 1; SELECT 2", "only one statement is allowed; remove what"),
    "missing right": (
        "SELECT * FROM pg_authid",
        "permission denied for table pg_authid; use another table, or ask the administrator",
    ),
    "empty": ("", "the statement is empty"),
    "parameter": (
        "SELECT * FROM users WHERE user_id = :user_id",
        "nothing can be bound to :user_id here; write the value itself into the statement",
    ),
    "numbered parameter": (
        "SELECT * FROM users WHERE user_id = $1",
        "numbered parameters such as $1 are not allowed",
    ),
    "refused function": ("SELECT pg_read_file('/etc/passwd')", "pg_read_file"),
}


async def test_failed_query_is_an_answer_that_says_why(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    async with serve() as served:
        for case, (sql, words) in FAILING.items():
            with subtests.test(case):
                message = await message_of(served, sql)

                assert message.startswith(f"Error while querying DB: {words}") or words in message
                assert '"' not in message


async def test_database_that_is_away_is_said_without_its_address(
    serve: Serve, settings: Any
) -> None:
    settings.POSTGRESQL_DB_PORT = 9
    settings.POSTGRESQL_DB_PASS = "hidden"

    async with serve() as served:
        message = await message_of(served, "SELECT 1")

    assert message == (
        "Error while querying DB: the data source cannot be reached; try again later"
    )


async def test_missing_default_database_names_its_variables(serve: Serve, settings: Any) -> None:
    settings.POSTGRESQL_DB_HOST = ""

    async with serve() as served:
        message = await message_of(served, "SELECT 1")

    assert "POSTGRESQL_DB_*" in message


async def test_answer_is_cut_at_a_thousand_rows_and_says_so(serve: Serve) -> None:
    async with serve() as served:
        answer = await query(served, "SELECT n FROM generate_series(1, 1001) AS n")

    content = answer["data"]["content"]
    assert len(content["records"]) == content["row_count"] == content["applied_limit"] == 1_000
    assert content["truncated"] is True
    assert content["notes"] == ["The first 1000 rows are shown; narrow the query."]


async def test_exactly_a_thousand_rows_are_whole(serve: Serve) -> None:
    async with serve() as served:
        answer = await query(served, "SELECT n FROM generate_series(1, 1000) AS n")

    assert answer["data"]["content"]["truncated"] is False


SEVEN: dict[str, str] = {
    "fence": "```sql\nSELECT 7 AS n;\n```",
    "no-break spaces": f"SELECT{NBSP}7{NBSP}AS{NBSP}n",
    "semicolon": "SELECT 7 AS n;",
    "wide semicolon": "SELECT 7 AS n； ",
    "wide brackets": "SELECT MAX（n） AS n FROM （VALUES （7）） AS t（n）",
    "wide letters": "ＳＥＬＥＣＴ　７ AS n",
    "comments": "-- how many?\nSELECT 7 AS n -- seven",
    "WITH": "WITH t AS (SELECT 7 AS n) TABLE t",
    "slice": "SELECT 5 + cardinality((ARRAY[1, 2, 3])[1:n]) AS n FROM (VALUES (2)) AS t(n)",
}


async def test_sql_is_taken_as_agents_write_it(serve: Serve, subtests: pytest.Subtests) -> None:
    async with serve() as served:
        for case, sql in SEVEN.items():
            with subtests.test(case):
                assert await records_of(served, sql) == [{"n": 7}]


async def test_text_of_a_query_keeps_its_characters(serve: Serve) -> None:
    sql = f"SELECT 'a{NBSP}；b' AS \"名前（全角）\""

    async with serve() as served:
        records = await records_of(served, sql)

    assert records == [{"名前（全角）": f"a{NBSP}；b"}]


async def test_name_with_wide_signs_needs_no_quotes(serve: Serve) -> None:
    async with serve() as served:
        records = await records_of(served, "SELECT 金額（円） FROM (SELECT 5) AS t(金額（円）)")

    assert records == [{"金額（円）": 5}]


async def test_column_name_that_comes_again_is_numbered(serve: Serve) -> None:
    async with serve() as served:
        records = await records_of(served, "SELECT 1 AS n, 2 AS n, 3 AS n_2, 4 AS n")

    assert records == [{"n": 1, "n_2": 2, "n_2_2": 3, "n_3": 4}]


async def test_failed_query_is_recorded_as_a_failure(serve: Serve) -> None:
    async with serve() as served:
        await query(served, "SELECT * FROM nowhere")
        await query(served, "SELECT 1")
    failed, good = [record async for record in CallRecord.objects.order_by("at")]

    assert (failed.tool_name, failed.outcome) == (TOOL, "tool_error")
    assert failed.error == 'relation "nowhere" does not exist'
    assert (good.outcome, good.row_count) == ("ok", 1)


async def test_slow_query_is_stopped_and_told_so(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.builtin.postgres_query.DEFAULT_TIMEOUT_MS", 2_000)

    async with serve() as served:
        message = await message_of(served, ENDLESS_SQL)

    assert message == (
        "Error while querying DB: the query took longer than 2 s and was stopped;"
        " ask for less, or let the tool read less"
    )


async def test_key_without_the_tool_cannot_query(serve: Serve) -> None:
    token = await sync_to_async(make_token)(allowed_tools=["sanitize_for_csv"])

    async with serve() as served, served.client(token=token) as client:
        names = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool(TOOL, {"sql_query": "SELECT 1"}, raise_on_error=False)

    assert names == ["sanitize_for_csv"]
    assert result.is_error
    assert result.content[0].text == f"Unknown tool: '{TOOL}'"
