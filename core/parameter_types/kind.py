"""What every type of parameters knows of its values; each type is one subclass."""

import json
import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic_core import CoreSchema, core_schema

from core.messages import Message, message
from core.shown_values import expect, show_list, show_value
from core.toolspec import JsonValue, ParameterSpec

INT64_MINIMUM, INT64_MAXIMUM = -(2**63), 2**63 - 1
_WRITTEN_VALUE_CHARACTERS = 64
# Between the items of a list that people type.
SEPARATOR = re.compile("[,\n、\uff0c]")


class Kind(ABC):
    """One type of parameters.

    `expected` says in an error what is right, `example` is a value that is. `json_types` and
    `json_format` are those of JSON Schema. Database types have PostgreSQL's short names:
    `database_type` says what a value is sent to PostgreSQL as, `kept_types` which types of PostgreSQL keep
    its sense (None: all), `proposed_for` for which ones this type is to be declared.
    """

    label: Message
    expected: Message
    example: JsonValue
    database_type: str
    kept_types: frozenset[str] | None = None
    proposed_for: frozenset[str] = frozenset()

    json_types: tuple[str, ...] = ("string",)
    json_format: str = ""
    # For lists: the type of the items.
    item: "Kind | None" = None

    # For pages: the icon's name, the keyboard of telephones, what an empty field shows.
    icon: str = "type"
    input_mode: str = "text"
    placeholder: str = ""

    # What a declaration may say of the values.
    takes_allowed_values: ClassVar[bool] = False
    needs_allowed_values: ClassVar[bool] = False
    takes_bounds: ClassVar[bool] = False
    takes_pattern: ClassVar[bool] = False
    # Whether a key's owner or id, which are texts, may be its value.
    takes_any_text: ClassVar[bool] = False
    # Whether a typed value is of the same Python type as its JSON.
    is_plain_json: ClassVar[bool] = True

    @property
    def scalar(self) -> "Kind":
        """The type of a list's items; any other type itself."""
        return self.item or self

    @abstractmethod
    def schema(self, spec: ParameterSpec) -> CoreSchema:
        """What turns a JSON value into the typed one; null and absence are the caller's."""

    def json_schema(self, spec: ParameterSpec) -> dict[str, Any]:
        """The JSON Schema of a value. Bounds that are texts are left out: JSON Schema's are numbers."""
        branches = [{"type": name} for name in self.json_types]
        keywords: dict[str, Any] = {"anyOf": branches} if branches[1:] else {**branches[0]}
        if self.json_format:
            keywords["format"] = self.json_format
        if spec.allowed_values:
            keywords["enum"] = list(spec.allowed_values)
        bounds = {"minimum": spec.minimum, "maximum": spec.maximum}
        keywords |= {key: at for key, at in bounds.items() if isinstance(at, int | float)}
        if spec.pattern is not None:
            keywords["pattern"] = spec.pattern
        return keywords

    def describe(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        """What is wrong with the value, from the kinds of error that the schema's engine met.

        A union reports every branch that failed, so the most telling kind comes first.
        """
        if value is None:
            return message("arguments.null", "must not be null")
        if "finite_number" in errors:
            return message(
                "arguments.finite", "must be finite (got {value})", value=show_value(value)
            )
        if "literal_error" in errors:
            return not_allowed(spec, value)
        if "greater_than_equal" in errors:
            return message(
                "arguments.at_least",
                "must be at least {limit} (got {value})",
                limit=str(INT64_MINIMUM if spec.minimum is None else spec.minimum),
                value=show_value(value),
            )
        if "less_than_equal" in errors:
            return message(
                "arguments.at_most",
                "must be at most {limit} (got {value})",
                limit=str(INT64_MAXIMUM if spec.maximum is None else spec.maximum),
                value=show_value(value),
            )
        return self.describe_form(spec, value, errors)

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        """The same of a value that is not of the type at all."""
        return not_allowed(spec, value) if spec.allowed_values else expect(self.expected, value)

    def read_bound(self, bound: float | str) -> Any:
        """A declared minimum or maximum as a value to compare with."""
        return bound if isinstance(bound, (int, float)) else float(bound)

    def bounds(self, spec: ParameterSpec) -> dict[str, Any]:
        """The declared bounds as the engine names them, `ge` and `le`."""
        declared = {"ge": spec.minimum, "le": spec.maximum}
        return {key: self.read_bound(at) for key, at in declared.items() if at is not None}

    def read_text(self, text: str) -> JsonValue:
        """What a person typed, as JSON; a text that does not fit stays one, for the check to refuse."""
        return text.strip()

    def write_text(self, value: JsonValue) -> str:
        """The value as people type it, on one line; lists of plain items with commas between."""
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, list) and value and all(map(_is_plain, value)):
            return ", ".join(map(self.write_text, value))
        return json.dumps(value, ensure_ascii=False)

    def to_json(self, value: Any) -> JsonValue:
        """The typed value as JSON again, such as for another program."""
        return value


def _is_plain(item: JsonValue) -> bool:
    if isinstance(item, str):
        is_whole = bool(item) and item == item.strip() and not SEPARATOR.search(item)
        return is_whole and not item.startswith("[")
    return isinstance(item, int | float) and not isinstance(item, bool)


def not_allowed(spec: ParameterSpec, value: object) -> Message:
    """What is wrong with a value that is not among the allowed ones."""
    return message(
        "arguments.one_of",
        "must be one of {allowed} (got {value})",
        allowed=show_list(spec.allowed_values),
        value=show_value(value),
    )


def written(pattern: str) -> CoreSchema:
    """A short text of this form."""
    return core_schema.str_schema(
        strict=True, max_length=_WRITTEN_VALUE_CHARACTERS, pattern=pattern
    )


def first_of(*branches: CoreSchema) -> CoreSchema:
    """The first of the schemas that takes the value."""
    return core_schema.union_schema(list(branches), mode="left_to_right")
