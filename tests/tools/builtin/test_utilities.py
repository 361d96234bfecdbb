"""`complete_column_extraction` and `sanitize_for_csv` over MCP: their answers to the letter."""

import json
from typing import Any

import pytest

from tests.mcp_runtime.conftest import ERAS, Serve

pytestmark = pytest.mark.django_db(transaction=True)

NBSP = "\u00a0"
COMPLETE = "complete_column_extraction"
DONE = {
    "status": "success",
    "message": "Column name extraction completed.",
    "escalate": True,
}
REQUIRED = {
    "status": "error",
    "message": "Column name extraction required.",
    "escalate": False,
}


def named(*names: str) -> dict[str, Any]:
    return {"items": [{"extracted_column_name": name} for name in names]}


COLUMNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "names": (named("user_id", "email", "created_at"), DONE),
    "one of them blank": (named("고객명", " "), DONE),
    "with notes": (
        {"items": [{"extracted_column_name": "id", "reason": "asked"}], "by": "me"},
        DONE,
    ),
    "none": ({"items": []}, REQUIRED),
    "no items": ({}, REQUIRED),
    "null": ({"items": None}, REQUIRED),
    "blank ones": (named("", " \n"), REQUIRED),
}


@pytest.mark.parametrize("era", ERAS)
async def test_extraction_is_complete_with_a_name(
    serve: Serve, era: str, subtests: pytest.Subtests
) -> None:
    async with serve() as served, served.client(era) as client:
        for case, (columns, expected) in COLUMNS.items():
            with subtests.test(case):
                result = await client.call_tool(COMPLETE, {"extracted_columns": columns})

                assert result.structured_content == expected
                assert json.loads(result.content[0].text) == expected


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "missing": ({}, ["extracted_columns: required"]),
    "text": (
        {"extracted_columns": '{"items": []}'},
        [
            'extracted_columns: must be an object like {"items": [{"extracted_column_name":'
            ' "user_id"}]} (got "{\\"items\\": []}")'
        ],
    ),
    "items no list": (
        {"extracted_columns": {"items": "user_id"}},
        ['extracted_columns.items: must be a list (got "user_id")'],
    ),
    "several faults": (
        {
            "extracted_columns": {
                "items": ["user_id", {}, {"extracted_column_name": 5}, *named("ok")["items"]]
            },
            "extra": 1,
        },
        [
            "extra: unknown; this tool takes extracted_columns",
            'extracted_columns.items[0]: must be an object like {"extracted_column_name":'
            ' "user_id"} (got "user_id")',
            "extracted_columns.items[1].extracted_column_name: required",
            "extracted_columns.items[2].extracted_column_name: must be text (got 5)",
        ],
    ),
    "too many": (
        {"extracted_columns": named(*("a",) * 1_001)},
        ["extracted_columns.items: must have at most 1000 items (got 1001)"],
    ),
}


async def test_wrong_columns_are_named_one_per_line(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    async with serve() as served:
        for case, (arguments, lines) in WRONG.items():
            with subtests.test(case):
                result = await served.call(COMPLETE, **arguments)

                assert result.is_error
                told = [f"Invalid arguments for {COMPLETE}:", *lines]
                assert result.content[0].text == "\n- ".join(told)


async def test_faults_beyond_twenty_are_counted(serve: Serve) -> None:
    async with serve() as served:
        result = await served.call(COMPLETE, extracted_columns={"items": [1] * 25})

    assert result.content[0].text.endswith("\nand 5 more")


TEXTS: dict[str, tuple[str, str]] = {
    "no-break spaces": (
        f"SELECT{NBSP}user_id,{NBSP}email FROM users",
        "SELECT user_id, email FROM users",
    ),
    "nothing else": (f"{NBSP}{NBSP}", "  "),
    "empty": ("", ""),
    "the rest stays": (
        "a\u202fb\u3000c\t\r\n한글 日本語 🙂",
        "a\u202fb\u3000c\t\r\n한글 日本語 🙂",
    ),
}


@pytest.mark.parametrize("era", ERAS)
async def test_no_break_spaces_become_spaces(
    serve: Serve, era: str, subtests: pytest.Subtests
) -> None:
    async with serve() as served, served.client(era) as client:
        for case, (text, expected) in TEXTS.items():
            with subtests.test(case):
                result = await client.call_tool("sanitize_for_csv", {"text": text})

                assert result.structured_content == {"sanitized_text": expected}
                assert json.loads(result.content[0].text) == {"sanitized_text": expected}
