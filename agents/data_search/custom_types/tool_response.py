"""What tools answer, in one shape, to and from MCP's CallToolResult."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

DataType = Literal["image", "markdown_table", "csv_table", "excel_table"]


class ToolResponseData(BaseModel):
    """The data of an answer.

    `content` of a table is the records, CSV text, or `{"sql": ..., "records": [...]}`; of an image Base64 text.
    """

    type: DataType
    content: str | list[Any] | dict[str, Any]


class ToolResponse(BaseModel):
    """An answer; one of status "error" has no data, and its message says what was wrong."""

    status: Literal["success", "error"]
    message: str = ""
    data: ToolResponseData | None = None

    def to_call_tool_result(self) -> CallToolResult:
        """The answer as MCP sends it: structured, and the same as JSON text."""
        structured = self.model_dump(mode="json", exclude_none=True)
        text = json.dumps(structured, ensure_ascii=False)
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=structured,
            is_error=self.status == "error",
        )


def read_tool_response(answer: Mapping[str, Any]) -> ToolResponse:
    """The structured answer of a tool as a ToolResponse; one of another shape is an error that says so."""
    try:
        return ToolResponse.model_validate(answer)
    except ValidationError:
        message = answer.get("message") or answer.get("error") or "the tool's answer cannot be read"
        return ToolResponse(status="error", message=str(message))


def structured(response: Mapping[str, Any] | CallToolResult) -> dict[str, Any]:
    """What a tool answered, from MCP's result in any of its forms.

    Text that is no JSON object becomes `{"status": "error", "message": text}`, as does a fault of the call.
    """
    if isinstance(response, CallToolResult):
        response = response.model_dump(by_alias=True, mode="json")
    if isinstance(answer := response.get("structuredContent"), dict):
        return answer
    if "content" not in response:
        # The answer of a function tool, or ADK's own report of a call that failed.
        if "error" in response and "status" not in response:
            return {"status": "error", "message": str(response["error"])}
        return dict(response)
    items = response["content"] if isinstance(response["content"], list) else []
    texts = [str(item["text"]) for item in items if isinstance(item, dict) and "text" in item]
    text = "\n".join(texts)
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer:
        return answer
    return {"status": "error", "message": text or "the tool answered nothing"}
