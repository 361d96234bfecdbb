"""The argument of `complete_column_extraction`: its JSON schema, and the names that it holds."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from core.argument_texts import MAX_LINES, printable, shown
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from mcp_runtime.builtin.tool import Arguments

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
        f"{printable(str(name))}: unknown; this tool takes {_ARGUMENT}"
        for name in arguments
        if name != _ARGUMENT
    ]
    given = arguments.get(_ARGUMENT)
    if _ARGUMENT not in arguments:
        faults.insert(0, f"{_ARGUMENT}: required")
    elif not isinstance(given, Mapping):
        faults.insert(0, f"{_ARGUMENT}: must be an object like {_EXAMPLE} (got {shown(given)})")
    names = _read_items(given.get("items"), faults) if isinstance(given, Mapping) else []
    if faults:
        raise ArgumentsError(_describe(faults))
    return {"column_names": names}


def _read_items(items: object, faults: list[str]) -> list[str]:
    at = f"{_ARGUMENT}.items"
    if items is None:
        return []
    if isinstance(items, str) or not isinstance(items, Sequence):
        faults.append(f"{at}: must be a list (got {shown(items)})")
        return []
    if len(items) > MAX_ITEMS:
        faults.append(f"{at}: must have at most {MAX_ITEMS} items (got {len(items)})")
        return []
    names = [_read_item(item, f"{at}[{index}]", faults) for index, item in enumerate(items)]
    return [name for name in names if name.strip()]


def _read_item(item: object, at: str, faults: list[str]) -> str:
    if not isinstance(item, Mapping):
        faults.append(f'{at}: must be an object like {{"{_NAME}": "user_id"}} (got {shown(item)})')
    elif _NAME not in item:
        faults.append(f"{at}.{_NAME}: required")
    elif not isinstance(item[_NAME], str):
        faults.append(f"{at}.{_NAME}: must be text (got {shown(item[_NAME])})")
    else:
        return str(item[_NAME])
    return ""


def _describe(faults: Sequence[str]) -> str:
    text = "\n- ".join([f"Invalid arguments for {_TOOL}:", *islice(faults, MAX_LINES)])
    left_out = len(faults) - MAX_LINES
    return f"{text}\nand {left_out} more" if left_out > 0 else text
