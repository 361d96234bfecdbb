"""The argument of `complete_column_extraction`: its JSON schema, and the names that it holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.argument_texts import (
    MAX_LINES,
    REQUIRED,
    expect_list,
    expect_object,
    expect_text,
    list_faults,
    name_fault,
)
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from core.messages import Message, message
from core.parameter_types.structures import limit_items
from core.shown_values import printable
from tools.builtin.tool import Arguments

_ARGUMENT, _NAME = "extracted_columns", "extracted_column_name"
_TOOL = "complete_column_extraction"
_EXAMPLE = '{"items": [{"extracted_column_name": "user_id"}]}'
MAX_ITEMS = 1_000

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        _ARGUMENT: {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            _NAME: {
                                "type": "string",
                                "description": "A column name as extracted from the question.",
                            }
                        },
                        "required": [_NAME],
                    },
                    "description": "All extracted column names; empty when there are none.",
                }
            },
            "required": ["items"],
            "description": "The extracted column names.",
            "examples": [{"items": [{_NAME: "user_id"}, {_NAME: "email"}]}],
        }
    },
    "required": [_ARGUMENT],
    "additionalProperties": False,
}


def read_column_names(arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
    """`column_names`: the names given, blank ones left out. Raises ArgumentsError, one line per fault.

    No `items` is read as none; other keys beside the names are an agent's notes and are ignored.
    """
    faults = [
        message(
            "arguments.unknown",
            "{name}: unknown; this tool takes {known}",
            name=printable(str(name)),
            known=_ARGUMENT,
        )
        for name in arguments
        if name != _ARGUMENT
    ]
    given = arguments.get(_ARGUMENT)
    if _ARGUMENT not in arguments:
        faults.insert(0, name_fault(_ARGUMENT, REQUIRED))
    elif not isinstance(given, Mapping):
        faults.insert(0, name_fault(_ARGUMENT, expect_object(_EXAMPLE, given)))
    names = _read_items(given.get("items"), faults) if isinstance(given, Mapping) else []
    if faults:
        left_out = max(0, len(faults) - MAX_LINES)
        raise ArgumentsError(list_faults(_TOOL, faults[:MAX_LINES], left_out))
    return {"column_names": names}


def _read_items(items: object, faults: list[Message]) -> list[str]:
    at = f"{_ARGUMENT}.items"
    if items is None:
        return []
    if isinstance(items, str) or not isinstance(items, Sequence):
        faults.append(name_fault(at, expect_list(items)))
        return []
    if len(items) > MAX_ITEMS:
        faults.append(name_fault(at, limit_items(MAX_ITEMS, str(len(items)))))
        return []
    names = [_read_item(item, f"{at}[{index}]", faults) for index, item in enumerate(items)]
    return [name for name in names if name.strip()]


def _read_item(item: object, at: str, faults: list[Message]) -> str:
    if not isinstance(item, Mapping):
        faults.append(name_fault(at, expect_object(f'{{"{_NAME}": "user_id"}}', item)))
    elif _NAME not in item:
        faults.append(name_fault(f"{at}.{_NAME}", REQUIRED))
    elif not isinstance(item[_NAME], str):
        faults.append(name_fault(f"{at}.{_NAME}", expect_text(item[_NAME])))
    else:
        return str(item[_NAME])
    return ""
