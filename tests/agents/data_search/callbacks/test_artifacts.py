"""Results of tools become files, and the model sees little of them."""

import base64
import io
import struct
from typing import Any

import pytest
from google.adk.tools.base_tool import BaseTool
from openpyxl import load_workbook

from agents.data_search.artifact_states import get_state
from agents.data_search.callbacks.artifacts import save_file_artifact_after_tool_callback
from agents.data_search.custom_types.data_state import TabularArtifact
from tests.agents.data_search.contexts import make_context

_TOOL = BaseTool(name="execute_postgres_query", description="")
_RECORDS = [{"n": number, "text": "=1"} for number in range(7)]
_PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 2, 3)


async def _call(context: Any, kind: str, content: object) -> dict[str, Any] | None:
    answer = {"status": "success", "message": "done", "data": {"type": kind, "content": content}}
    response = {"structuredContent": answer, "content": [], "isError": False}
    return await save_file_artifact_after_tool_callback(_TOOL, {}, context, response)


async def test_a_csv_table_becomes_csv_and_xlsx_and_the_model_sees_five_rows() -> None:
    context = await make_context()

    shown = await _call(context, "csv_table", {"sql": "SELECT 1", "records": _RECORDS})

    assert shown is not None
    assert shown["data"]["row_count"] == 7
    assert shown["data"]["first_rows"] == _RECORDS[:5]
    assert await context.list_artifacts() == ["run-1_call-1.csv", "run-1_call-1.xlsx"]
    part = await context.load_artifact("run-1_call-1.csv")
    assert part is not None
    assert part.inline_data is not None
    assert (part.inline_data.data or b"").decode("utf-8-sig").splitlines()[:2] == [
        "n,text",
        "0,'=1",
    ]


async def test_an_excel_table_becomes_xlsx_only() -> None:
    context = await make_context()

    await _call(context, "excel_table", _RECORDS)

    [name] = await context.list_artifacts()
    part = await context.load_artifact(name)
    assert part is not None
    assert part.inline_data is not None
    sheet = load_workbook(io.BytesIO(part.inline_data.data or b""))["result"]
    assert (sheet.max_row, sheet["B2"].value) == (8, "=1")


async def test_an_image_becomes_png_with_its_size() -> None:
    context = await make_context()

    await _call(context, "image", base64.b64encode(_PNG).decode())

    state = get_state(context.state, "run-1")
    assert state is not None
    [artifact] = state.artifacts
    assert (artifact.filename, artifact.type) == ("run-1_call-1.png", "img")
    assert getattr(artifact, "img_size", None) == (2, 3)


async def test_a_markdown_table_is_kept_without_a_file() -> None:
    context = await make_context()

    await _call(context, "markdown_table", "| a |\n| --- |\n| 1 |")

    assert await context.list_artifacts() == []
    assert context.state["query_result"]["markdown"].startswith("| a |")


async def test_what_was_saved_is_listed_with_question_and_sql() -> None:
    context = await make_context("how many?")

    await _call(context, "csv_table", {"sql": "SELECT 1", "records": _RECORDS})

    state = get_state(context.state, "run-1")
    assert state is not None
    assert state.artifacts[0] == TabularArtifact(
        filename="run-1_call-1.csv",
        mime_type="text/csv",
        function_call_id="call-1",
        user_query="how many?",
        sql_query="SELECT 1",
        data_length=7,
    )


@pytest.mark.parametrize("call_id", ["../../x", "", "a" * 300], ids=["path", "empty", "long"])
async def test_a_call_id_of_the_model_server_cannot_leave_the_folder(call_id: str) -> None:
    context = await make_context()
    context.function_call_id = call_id

    await _call(context, "csv_table", _RECORDS)

    assert all("/" not in name and len(name) < 100 for name in await context.list_artifacts())


async def test_an_image_that_is_none_costs_the_file_only() -> None:
    context = await make_context()

    shown = await _call(context, "image", "not Base64!")

    assert shown is not None
    assert shown["data"]["artifacts"] == []


async def test_an_error_is_left_as_it_is() -> None:
    response = {"structuredContent": {"status": "error", "message": "no"}, "content": []}

    shown = await save_file_artifact_after_tool_callback(_TOOL, {}, await make_context(), response)

    assert shown is None
