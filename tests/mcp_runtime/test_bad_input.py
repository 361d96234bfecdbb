"""Whatever an agent sends gets an answer that it can act on, and disturbs nothing."""

from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from tests.factories import ENDLESS_SQL, make_expression, make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.raw import make_request, send
from tests.mcp_runtime.lane.requests import PLAIN, Case

pytestmark = pytest.mark.django_db(transaction=True)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"a": 1}, "- b: required"),
    "extra": ({"a": 1, "b": 2, "c": 3}, "- c: unknown"),
    "mistyped": ({"a": 1, "b": "many"}, "- b: must be a number"),
    "boolean for a number": ({"a": 1, "b": True}, "- b: must be a number (got true)"),
    "null": ({"a": 1, "b": None}, "- b: "),
    "NaN": ({"a": 1, "b": "NaN"}, "- b: must be"),
    "5 MB text": ({"a": 1, "b": "x" * 5_000_000}, "- b: must be a number"),
}


async def test_wrong_arguments_are_named_one_per_line(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        for case, (arguments, line) in WRONG.items():
            with subtests.test(case):
                wrong = await served.call("multiply", **arguments)
                right = await served.call("multiply", a=2, b=3)

                assert wrong.is_error
                text = wrong.content[0].text
                assert text.startswith("Invalid arguments for multiply:\n")
                assert line in text
                assert len(text) < 1_000
                assert right.data == 6


async def test_text_of_five_megabytes_is_refused_with_the_limit(serve: Serve) -> None:
    await sync_to_async(make_tool)("SELECT length(:t) AS n", name="measure", parameters=["t"])

    async with serve() as served:
        result = await served.call("measure", t="x" * 5_000_000)

    assert result.is_error
    assert "1,000,000 characters" in result.content[0].text or "1000000" in result.content[0].text


async def test_deep_argument_is_refused_by_name_and_recorded(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")
    deep = b"[" * 700 + b"]" * 700
    body = PLAIN.replace(b'"a": 2', b'"a": %b, "c": %b' % (deep, deep))

    async with serve() as served:
        port = urlsplit(served.url).port or 0
        headers = Case("deep").make_headers(f"127.0.0.1:{port}", served.token, "")
        answer = await send(port, make_request("POST", "/mcp", headers, body))
    record = await CallRecord.objects.aget()

    lines = ["Invalid arguments for multiply:", "- a: must be a number (got a list of 1)"]
    lines.append("- c: unknown; this tool takes a, b")
    assert answer.json["result"]["content"][0]["text"].splitlines() == lines
    assert (record.outcome, record.error) == ("invalid_arguments", "\n".join(lines))
    assert record.arguments is not None
    assert set(record.arguments) == {"a", "b", "c"}


async def test_request_beyond_all_limits_is_refused(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        headers = {"Authorization": f"Bearer {served.token}"}
        response = await http.post(served.url, content=b"x" * 9_000_000, headers=headers)

    assert response.status_code == 413


async def test_unknown_tool_names_near_ones(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="sales_by_region")

    async with serve() as served:
        result = await served.call("sale_by_regions")

    assert (
        result.content[0].text == "Unknown tool: 'sale_by_regions'; did you mean sales_by_region?"
    )


async def test_failing_query_tells_the_databases_words(serve: Serve) -> None:
    await sync_to_async(make_tool)(
        "SELECT 1 / (:n - 1) AS x",
        name="divide",
        parameters=[{"param_name": "n", "param_type": "INTEGER"}],
    )

    async with serve() as served:
        result = await served.call("divide", n=1)

    assert result.is_error
    assert "division by zero" in result.content[0].text


async def test_failing_expression_tells_why(serve: Serve) -> None:
    await sync_to_async(make_expression)("a / b", name="divide")

    async with serve() as served:
        result = await served.call("divide", a=1, b=0)

    assert "division by zero" in result.content[0].text


async def test_query_over_its_limit_is_stopped(serve: Serve) -> None:
    await sync_to_async(make_tool)(ENDLESS_SQL, name="endless", timeout_ms=2_000)

    async with serve() as served:
        result = await served.call("endless")

    assert result.is_error
    assert "2 s" in result.content[0].text


async def test_tool_never_writes(serve: Serve) -> None:
    await sync_to_async(make_tool)("DELETE FROM users RETURNING *", name="wipe")
    await sync_to_async(make_tool)(
        "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone", name="sly"
    )

    async with serve() as served:
        assert await served.names() == []
