"""Numbers and truth values; each may be written as text, and a truth value is never a number."""

import math
import re
from collections.abc import Hashable
from decimal import Decimal
from functools import partial
from typing import Any

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.expressions.values import decimal_to_json
from core.messages import Message, message
from core.parameter_types.kind import INT64_MAXIMUM, INT64_MINIMUM, Kind, first_of, written
from core.shown_values import show_value
from core.toolspec import JsonValue, ParameterSpec

MAX_DECIMAL_DIGITS = 60
MAX_DECIMAL_EXPONENT = 999
_DECIMAL_BITS = 200  # No number of more bits has at most 60 digits.
_TRUE_OR_FALSE = r"\A(?i:true|false)\z"
_WHOLE_NUMBER = r"\A[+-]?[0-9]+(?:\.0+)?\z"
_FRACTION = r"\A[+-]?(?:[0-9]+\.[0-9]+|[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+)\z"
_TYPED_INTEGER = re.compile(r"[+-]?\d{1,30}")
_TYPED_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,60}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,3})?")
_LONG_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WHOLE_TYPES = frozenset({"int2", "int4", "int8", "oid"})
_FRACTION_TYPES = frozenset({"float4", "float8", "money", "numeric"})


class BooleanKind(Kind):
    """BOOLEAN: bool."""

    label = message("type.boolean", "boolean")
    expected = message("arguments.boolean", "must be true or false")
    example = True
    database_type = "bool"
    kept_types = proposed_for = frozenset({"bool"})
    json_types = ("boolean",)
    icon = "check"

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        text = core_schema.chain_schema([written(_TRUE_OR_FALSE), core_schema.bool_schema()])
        return first_of(core_schema.bool_schema(strict=True), text)

    def read_text(self, text: str) -> JsonValue:
        stripped = text.strip()
        return {"true": True, "false": False}.get(stripped.lower(), stripped)


class NumberKind(Kind):
    """NUMBER: int where a whole one that fits 64 bits was sent, else float."""

    label = message("type.number", "number")
    expected = message("arguments.number", "must be a number")
    example: JsonValue = 2.5
    database_type = "numeric"
    kept_types = _WHOLE_TYPES | _FRACTION_TYPES
    proposed_for = _FRACTION_TYPES
    json_types = ("number",)
    icon = "hash"
    input_mode = "decimal"
    takes_allowed_values = takes_bounds = True

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        schema = self.number_schema(spec)
        if not spec.allowed_values:
            return schema
        # 5 and 5.0 are one value, which a literal schema would tell apart.
        declared = {value: value for value in spec.allowed_values}
        return core_schema.no_info_after_validator_function(partial(_choose, declared), schema)

    def number_schema(self, spec: ParameterSpec) -> CoreSchema:
        """The schema of any number within the bounds."""
        # A whole number beyond 64 bits is refused, not rounded: only a real float meets the float branch.
        whole = self.whole_bounds(spec)
        fraction = core_schema.float_schema(allow_inf_nan=False, **self.bounds(spec))
        return first_of(
            core_schema.int_schema(strict=True, **whole),
            core_schema.chain_schema([core_schema.is_instance_schema(float), fraction]),
            core_schema.chain_schema([written(_WHOLE_NUMBER), core_schema.int_schema(**whole)]),
            core_schema.chain_schema([written(_FRACTION), fraction]),
        )

    def whole_bounds(self, spec: ParameterSpec) -> dict[str, Any]:
        """The bounds of whole numbers, at most those of 64 bits."""
        bounds = self.bounds(spec)
        return {
            "ge": max(INT64_MINIMUM, math.ceil(bounds.get("ge", INT64_MINIMUM))),
            "le": min(INT64_MAXIMUM, math.floor(bounds.get("le", INT64_MAXIMUM))),
        }

    def read_text(self, text: str) -> JsonValue:
        stripped = text.strip()
        if _TYPED_INTEGER.fullmatch(stripped):
            return int(stripped)
        return float(stripped) if _TYPED_NUMBER.fullmatch(stripped) else stripped


class IntegerKind(NumberKind):
    """INTEGER: int of at most 64 bits."""

    label = message("type.integer", "integer")
    expected = message("arguments.integer", "must be a whole number")
    example: JsonValue = 20
    database_type = "int8"
    proposed_for = _WHOLE_TYPES
    json_types = ("integer",)
    input_mode = "numeric"

    def number_schema(self, spec: ParameterSpec) -> CoreSchema:
        # A strict first branch keeps bool out: the lax one would read True as 1.
        bounds = self.whole_bounds(spec)
        lax = core_schema.int_schema(**bounds)
        fraction = core_schema.float_schema(strict=True, allow_inf_nan=False)
        return first_of(
            core_schema.int_schema(strict=True, **bounds),
            core_schema.chain_schema([fraction, lax]),
            core_schema.chain_schema([written(_WHOLE_NUMBER), lax]),
        )

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        # A whole number that the engine cannot even compare with the bounds.
        if "int_parsing_size" in errors and isinstance(value, float):
            side = "less_than_equal" if value > 0 else "greater_than_equal"
            return self.describe(spec, value, {side})
        return super().describe_form(spec, value, errors)


class DecimalKind(Kind):
    """DECIMAL: Decimal with the digits as they were sent; a text keeps those that a JSON number loses."""

    label = message("type.decimal", "decimal")
    expected = message("arguments.decimal", "must be a decimal number like 12.50")
    example: JsonValue = "12.50"
    placeholder = "12.50"
    database_type = "numeric"
    kept_types = _WHOLE_TYPES | _FRACTION_TYPES
    json_types = ("string", "number")
    icon = "hash"
    input_mode = "decimal"
    takes_bounds = True
    is_plain_json = False

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        exact = core_schema.no_info_plain_validator_function(_read_decimal)
        return core_schema.chain_schema([exact, core_schema.decimal_schema(**self.bounds(spec))])

    def describe_form(self, spec: ParameterSpec, value: object, errors: set[str]) -> Message:
        if "decimal_too_long" in errors:
            return message(
                "arguments.decimal_too_long",
                "must have at most {limit} digits before the point and as many after it, and an"
                " exponent of at most {exponent} (got {value})",
                limit=MAX_DECIMAL_DIGITS,
                exponent=str(MAX_DECIMAL_EXPONENT),
                value=show_value(value),
            )
        return super().describe_form(spec, value, errors)

    def read_bound(self, bound: float | str) -> Decimal:
        return Decimal(str(bound))

    def to_json(self, value: Any) -> JsonValue:
        return decimal_to_json(value)


def _read_decimal(value: object) -> Decimal:
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("finite_number", "not finite")
    is_short = not isinstance(value, int) or value.bit_length() <= _DECIMAL_BITS
    text = str(value) if type(value) in {str, int, float} and is_short else ""
    if not is_short or (not _DECIMAL.fullmatch(text) and _LONG_DECIMAL.fullmatch(text)):
        raise PydanticCustomError("decimal_too_long", "too many digits")
    if not _DECIMAL.fullmatch(text):
        raise PydanticCustomError("decimal_form", "not a decimal number")
    return Decimal(text)


def _choose(declared: dict[Any, Any], value: Hashable) -> Any:
    """The allowed value as it was declared."""
    if value not in declared:
        raise PydanticCustomError("literal_error", "not an allowed value")
    return declared[value]
