"""After a tool call: the result becomes files, and the model sees its first rows only."""

import asyncio
import base64
import binascii
import logging
import re
from dataclasses import dataclass, field
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
from agents.data_search.custom_types.tool_response import (
    ToolResponseData,
    read_tool_response,
    structured,
)
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


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is kept of a result in the state, and shown to the model instead of the whole."""

    sql: str = ""
    table: Table = field(default_factory=lambda: Table((), ()))
    is_truncated: bool = False
    markdown: str = ""
    is_image: bool = False


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
    shown = _read(response.data, str(args.get("sql_query") or ""))
    names = await _save(response.data, shown, tool_context)
    result = _summarize(shown, names)
    tool_context.state[QUERY_RESULT] = result
    if shown.sql:
        tool_context.state[SQL_QUERY] = shown.sql
    return {"status": "success", "message": response.message, "data": result}


def _read(data: ToolResponseData, sent_sql: str) -> _Shown:
    content = data.content
    told = content if isinstance(content, dict) else {}
    sql = str(told.get("sql") or sent_sql)
    match data.type:
        case "markdown_table":
            return _Shown(sql=sql, markdown=str(told.get("markdown") or content))
        case "image":
            return _Shown(sql=sql, is_image=True)
        case _:
            return _Shown(sql, read_table(content), bool(told.get("truncated")))


def _summarize(shown: _Shown, names: list[str]) -> dict[str, Any]:
    head = shown.table.head(NUM_OF_DISPLAYED_DATA)
    count = len(shown.table.rows)
    result: dict[str, Any] = {
        "columns": list(head.columns),
        "row_count": count,
        "first_rows": [dict(zip(head.columns, row, strict=True)) for row in head.rows],
        "artifacts": names,
        "sql": shown.sql,
        "truncated": shown.is_truncated,
        "is_cut": count > ARTIFACT_ROW_LIMIT,
    }
    if shown.markdown:
        result["markdown"] = shown.markdown
    return result | ({"is_image": True} if shown.is_image else {})


async def _save(data: ToolResponseData, shown: _Shown, context: ToolContext) -> list[str]:
    """Names of the artifacts that were saved; a fault of the storage costs the file, not the answer."""
    try:
        if shown.is_image:
            return await _save_image(data.content, context)
        return await _save_table(data.type, shown, context)
    except (OSError, ValueError) as error:
        logger.warning("a result could not be saved: %s", error)
        return []


async def _save_table(kind: str, shown: _Shown, context: ToolContext) -> list[str]:
    if not shown.table.columns:
        return []
    table = shown.table.head(ARTIFACT_ROW_LIMIT)
    names: list[str] = []
    for extension, mime_type, write in _WRITERS.get(kind, ()):
        # A hundred thousand rows take seconds, in which the loop serves others.
        data = await asyncio.to_thread(write, table)
        artifact = TabularArtifact(
            filename=_make_name(context, extension),
            mime_type=mime_type,
            function_call_id=context.function_call_id or "",
            user_query=find_question(context),
            sql_query=shown.sql,
            data_length=len(table.rows),
        )
        names.append(await _store(context, artifact, data))
    return names


async def _save_image(content: object, context: ToolContext) -> list[str]:
    """Raises ValueError where the content is no Base64 text."""
    data = _decode_image(content)
    artifact = ImgArtifact(
        filename=_make_name(context, "png"),
        mime_type=PNG_TYPE,
        function_call_id=context.function_call_id or "",
        user_query=find_question(context),
        img_size=read_image_size(data) or (0, 0),
    )
    return [await _store(context, artifact, data)]


async def _store(context: ToolContext, artifact: Artifact, data: bytes) -> str:
    part = types.Part.from_bytes(data=data, mime_type=artifact.mime_type)
    await context.save_artifact(artifact.filename, part)
    add_artifact_to_state(context.state, context.invocation_id, artifact)
    return artifact.filename


def _decode_image(content: object) -> bytes:
    if isinstance(content, dict):
        content = next((content[key] for key in ("data", "image", "content") if key in content), "")
    text = content.rpartition("base64,")[2] if isinstance(content, str) else ""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("an image must be Base64 text") from error
    if not data:
        raise ValueError("an image must be Base64 text, and not empty")
    return data


def _make_name(context: ToolContext, extension: str) -> str:
    """Unique by invocation and call; the model's server may have chosen the call's id."""
    call = _UNSAFE.sub("-", context.function_call_id or "call")[:80]
    return f"{context.invocation_id}_{call}.{extension}"
