"""Texts: any, or one of a list."""

from pydantic_core import CoreSchema, core_schema

from core.messages import Message, message
from core.parameter_types.kind import Kind, written
from core.shown_values import show_value
from core.toolspec import JsonValue, ParameterSpec

MAX_TEXT_CHARACTERS = 1_000_000
# The engine is linear in the text, but its factor is the size of the pattern.
MAX_PATTERN_TEXT_CHARACTERS = 10_000

_UUID = r"\A(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\z"
_NO_NUL = r"\A[^\x00]*\z"


class StringKind(Kind):
    """STRING: str."""

    label = message("type.string", "string")
    expected = message("arguments.text", "must be text")
    example = "KR"
    database_type = "text"
    proposed_for = frozenset({"char", "text", "bpchar", "varchar"})
    takes_allowed_values = takes_pattern = takes_any_text = True

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        if spec.allowed_values:
            return core_schema.literal_schema(list(spec.allowed_values))
        limit = MAX_TEXT_CHARACTERS if spec.pattern is None else MAX_PATTERN_TEXT_CHARACTERS
        bounded = core_schema.str_schema(strict=True, max_length=limit, pattern=_NO_NUL)
        if spec.pattern is None:
            return bounded
        matching = core_schema.str_schema(pattern=spec.pattern, regex_engine="rust-regex")
        return core_schema.chain_schema([bounded, matching])

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        if not isinstance(value, str):
            return super().describe_form(spec, value, errors)
        if "string_too_long" in errors:
            limit = MAX_TEXT_CHARACTERS if spec.pattern is None else MAX_PATTERN_TEXT_CHARACTERS
            return message(
                "arguments.too_long",
                "must be at most {limit} characters (got {count})",
                limit=str(limit),
                count=str(len(value)),
            )
        if "string_unicode" in errors:
            return message(
                "arguments.broken_text",
                "must be valid Unicode text without lone surrogates (got {value})",
                value=show_value(value),
            )
        if "\x00" in value and "string_pattern_mismatch" in errors:
            return message(
                "arguments.nul",
                "must not contain the NUL character (got {value})",
                value=show_value(value),
            )
        if "string_pattern_mismatch" in errors:
            return message(
                "arguments.pattern",
                "must match the pattern {pattern} (got {value})",
                pattern=spec.pattern or "",
                value=show_value(value),
            )
        return super().describe_form(spec, value, errors)

    def read_text(self, text: str) -> JsonValue:
        return text


class EnumKind(Kind):
    """ENUM: str, one of the allowed values."""

    label = message("type.enum", "enum")
    expected = message("arguments.text", "must be text")
    example = "KR"
    database_type = "text"
    icon = "list"
    takes_allowed_values = needs_allowed_values = takes_any_text = True

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        return core_schema.literal_schema(list(spec.allowed_values))


class UuidKind(Kind):
    """UUID: str, in small letters and with its hyphens."""

    label = message("type.uuid", "UUID")
    expected = message("arguments.uuid", "must be a UUID like 6f1c0c0e-2d5b-4b7e-9a53-0f6d2c1e8b3a")
    example = placeholder = "6f1c0c0e-2d5b-4b7e-9a53-0f6d2c1e8b3a"
    database_type = "uuid"
    kept_types = proposed_for = frozenset({"uuid"})
    json_format = "uuid"
    icon = "tag"

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        return core_schema.chain_schema([written(_UUID), core_schema.str_schema(to_lower=True)])
