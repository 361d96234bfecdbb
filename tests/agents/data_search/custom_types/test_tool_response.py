"""Answers of tools, to MCP and back."""

import json

import pytest

from agents.data_search.custom_types.tool_response import (
    ToolResponse,
    ToolResponseData,
    read_tool_response,
    structured,
)

_DATA = ToolResponseData(type="csv_table", content={"sql": "SELECT 1", "records": [{"a": 1}]})


def test_answer_goes_to_mcp_and_back() -> None:
    response = ToolResponse(status="success", message="SQL executed.", data=_DATA)

    result = response.to_call_tool_result()

    assert result.is_error is False
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert read_tool_response(structured(result)) == response


def test_an_error_is_one_in_mcp_too() -> None:
    result = ToolResponse(status="error", message="no").to_call_tool_result()

    assert result.is_error is True
    assert result.structured_content == {"status": "error", "message": "no"}


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ({"structuredContent": {"a": 1}, "content": []}, {"a": 1}),
        ({"content": [{"type": "text", "text": '{"a": 1}'}]}, {"a": 1}),
        (
            {"content": [{"type": "text", "text": "refused"}], "isError": True},
            {"status": "error", "message": "refused"},
        ),
        ({"content": []}, {"status": "error", "message": "the tool answered nothing"}),
        ({"error": "broken"}, {"status": "error", "message": "broken"}),
        ({"status": "success", "escalate": True}, {"status": "success", "escalate": True}),
    ],
    ids=["structured", "json-text", "text", "nothing", "fault-of-the-call", "function-tool"],
)
def test_an_answer_is_found_in_each_form(
    response: dict[str, object], answer: dict[str, object]
) -> None:
    assert structured(response) == answer


@pytest.mark.parametrize(
    "answer", [{"rows": []}, {"status": "odd", "message": "m"}, {"status": "success", "data": 3}]
)
def test_another_shape_is_an_error(answer: dict[str, object]) -> None:
    assert read_tool_response(answer).status == "error"
