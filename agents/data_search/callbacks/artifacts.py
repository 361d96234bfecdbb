"""After a tool call: the result becomes files, and the model sees its first rows only."""

import asyncio
import base64
import binascii
import logging
import re
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from agents.data_search.artifact_states import add_artifact_to_state
from agents.data_search.callbacks.stages import find_question
from agents.data_search.constants import (
    ARTIFACT_ROW_LIMIT,
    NUM_OF_DISPLAYED_DATA,
    QUERY_RESULT,
    SQL_QUERY,
)
from agents.data_search.custom_types.data_state import Artifact, ImgArtifact, TabularArtifact
from agents.data_search.custom_types.tool_response import read_tool_response, structured
from agents.data_search.image_size import read_image_size
from agents.data_search.tables import Table, read_table, to_csv, to_xlsx

logger = logging.getLogger(__name__)

CSV_TYPE = "text/csv"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PNG_TYPE = "image/png"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_WRITERS = {
    "csv_table": (("csv", CSV_TYPE, to_csv), ("xlsx", XLSX_TYPE, to_xlsx)),
    "excel_table": (("xlsx", XLSX_TYPE, to_xlsx),),
}


async def save_file_artifact_after_tool_callback(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, tool_response: dict[str, Any]
) -> dict[str, Any] | None:
    """Save a successful result as artifacts, and answer the model with its head in its place.

    A `csv_table` becomes CSV and XLSX, an `excel_table` XLSX, an `image` PNG; a `markdown_table` is kept
    as text. An error is left as it is.
    """
    response = read_tool_response(structured(tool_response))
    if response.status == "error" or response.data is None:
        return None
    kind, content = response.data.type, response.data.content
    fields = content if isinstance(content, dict) else {}
    sql = str(fields.get("sql") or args.get("sql_query") or "")
    table = read_table(content if kind in _WRITERS else [])
    try:
        if kind == "image":
            names = [await _save_image(content, tool_context)]
        else:
            names = await _save_table(kind, table.head(ARTIFACT_ROW_LIMIT), sql, tool_context)
    except (OSError, ValueError) as error:
        # A fault of the storage costs the file, not the answer.
        logger.warning("a result could not be saved: %s", error)
        names = []
    head = table.head(NUM_OF_DISPLAYED_DATA)
    result: dict[str, Any] = {
        "columns": list(head.columns),
        "row_count": len(table.rows),
        "first_rows": [dict(zip(head.columns, row, strict=True)) for row in head.rows],
        "artifacts": names,
        "sql": sql,
        "truncated": kind in _WRITERS and bool(fields.get("truncated")),
        "is_cut": len(table.rows) > ARTIFACT_ROW_LIMIT,
    }
    if kind == "markdown_table":
        result["markdown"] = str(fields.get("markdown") or content)
    if kind == "image":
        result["is_image"] = True
    tool_context.state[QUERY_RESULT] = result
    if sql:
        tool_context.state[SQL_QUERY] = sql
    return {"status": "success", "message": response.message, "data": result}


async def _save_table(kind: str, table: Table, sql: str, context: ToolContext) -> list[str]:
    """Names of the files; none for a table without columns."""
    names: list[str] = []
    for extension, mime_type, write in _WRITERS.get(kind, ()) if table.columns else ():
        # A hundred thousand rows take seconds, in which the loop serves others.
        data = await asyncio.to_thread(write, table)
        artifact = TabularArtifact(
            filename=_make_name(context, extension),
            mime_type=mime_type,
            function_call_id=context.function_call_id or "",
            user_query=find_question(context),
            sql_query=sql,
            data_length=len(table.rows),
        )
        names.append(await _store(context, artifact, data))
    return names


async def _save_image(content: object, context: ToolContext) -> str:
    """The file's name. Raises ValueError for a content that is no Base64 text."""
    if isinstance(content, dict):
        content = next((content[key] for key in ("data", "image", "content") if key in content), "")
    text = content.rpartition("base64,")[2] if isinstance(content, str) else ""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("an image must be Base64 text") from error
    if not data:
        raise ValueError("an image must be Base64 text, and not empty")
    artifact = ImgArtifact(
        filename=_make_name(context, "png"),
        mime_type=PNG_TYPE,
        function_call_id=context.function_call_id or "",
        user_query=find_question(context),
        img_size=read_image_size(data) or (0, 0),
    )
    return await _store(context, artifact, data)


async def _store(context: ToolContext, artifact: Artifact, data: bytes) -> str:
    part = types.Part.from_bytes(data=data, mime_type=artifact.mime_type)
    await context.save_artifact(artifact.filename, part)
    add_artifact_to_state(context.state, context.invocation_id, artifact)
    return artifact.filename


def _make_name(context: ToolContext, extension: str) -> str:
    """Unique by invocation and call; the model's server may have chosen the call's id."""
    call = _UNSAFE.sub("-", context.function_call_id or "call")[:80]
    return f"{context.invocation_id}_{call}.{extension}"
