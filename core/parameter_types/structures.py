"""Lists of values of one type, and JSON of any form."""

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.json_text import is_deeper_than
from core.messages import Message, Value, message
from core.parameter_types.kind import SEPARATOR, Kind
from core.shown_values import expect
from core.toolspec import JsonValue, ParameterSpec

MAX_LIST_ITEMS = 10_000
MAX_JSON_CHARACTERS = 1_000_000
MAX_JSON_LEVELS = 40
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class ListKind(Kind):
    """A list of values of another type; bounds, pattern and allowed values hold for each item."""

    json_types = ("array",)
    icon = "braces"

    def __init__(self, item: Kind, label: Message, expected: Message) -> None:
        self.item: Kind = item
        self.label, self.expected, self.example = label, expected, [item.example]
        self.database_type = f"{item.database_type}[]"
        self.proposed_for = frozenset(f"{name}[]" for name in item.proposed_for)
        if item.kept_types is not None:
            self.kept_types = frozenset(f"{name}[]" for name in item.kept_types)

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        items = self.item.schema(spec)
        return core_schema.list_schema(items, max_length=MAX_LIST_ITEMS, fail_fast=True)

    def json_schema(self, spec: ParameterSpec) -> dict[str, Any]:
        return {"type": "array", "items": self.item.json_schema(spec)}

    def describe(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        if value is not None and "too_long" in errors:
            more = message("value.more", "more")
            count = str(len(value)) if isinstance(value, Sequence) else more
            return limit_items(MAX_LIST_ITEMS, count)
        return super().describe(spec, value, errors)

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        return expect(self.expected, value)

    def read_text(self, text: str) -> JsonValue:
        if text.lstrip().startswith("["):
            try:
                return json.loads(text)
            except ValueError:
                return text
        items = [item.strip() for item in SEPARATOR.split(text) if item.strip()]
        return [self.item.read_text(item) for item in items]

    def to_json(self, value: Any) -> JsonValue:
        return [self.item.to_json(item) for item in value]


class JsonKind(Kind):
    """JSON: a dict or a list of JSON values, a copy of its own."""

    label = message("type.json", "JSON")
    expected = message("arguments.json", "must be a JSON object or a JSON list")
    example: JsonValue = {"status": ["open", "paid"]}
    placeholder = '{"status": "open"}'
    database_type = "jsonb"
    kept_types = frozenset({"json", "jsonb"})
    json_types = ("object", "array")
    icon = "braces"

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_copy_json)

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        if "json_too_long" in errors:
            return message(
                "arguments.json_too_long",
                "must be at most {limit} characters as JSON",
                limit=MAX_JSON_CHARACTERS,
            )
        if "json_too_deep" in errors:
            return message(
                "arguments.json_too_deep", "must have at most {limit} levels", limit=MAX_JSON_LEVELS
            )
        if "json_broken" in errors:
            return message(
                "arguments.json_broken",
                "must have no NaN, no infinity, no NUL character and no lone surrogate",
            )
        return super().describe_form(spec, value, errors)

    def read_text(self, text: str) -> JsonValue:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text.strip()

    def write_text(self, value: JsonValue) -> str:
        is_list = isinstance(value, list)
        return json.dumps(value, ensure_ascii=False) if is_list else super().write_text(value)


def _copy_json(value: object) -> JsonValue:
    if not isinstance(value, (dict, list)):
        raise PydanticCustomError("json_form", "neither an object nor a list")
    if is_deeper_than(MAX_JSON_LEVELS, value):
        raise PydanticCustomError("json_too_deep", "too many levels")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError):
        text = ""
    if not text or _NUL.search(text):
        raise PydanticCustomError("json_broken", "not JSON that every program can hold")
    if len(text) > MAX_JSON_CHARACTERS:
        raise PydanticCustomError("json_too_long", "too long")
    return json.loads(text)


def limit_items(limit: int, count: Value) -> Message:
    """What is wrong with a list of too many items."""
    return message(
        "arguments.too_many",
        "must have at most {limit} items (got {count})",
        limit=str(limit),
        count=count,
    )
