"""The check of one argument, compiled: from a ParameterSpec to a schema of pydantic's engine."""

import math
from collections.abc import Hashable
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.toolspec import ParameterSpec, ParameterType, Presence

MAX_TEXT_CHARACTERS = 1_000_000
# The engine is linear in the text, but its factor is the size of the pattern.
MAX_PATTERN_TEXT_CHARACTERS = 10_000
MAX_LIST_ITEMS = 10_000
INT64_MINIMUM, INT64_MAXIMUM = -(2**63), 2**63 - 1

_NO_NUL = r"\A[^\x00]*\z"
_TRUE_OR_FALSE = r"\A(?i:true|false)\z"
_WHOLE_NUMBER = r"\A[+-]?[0-9]+(?:\.0+)?\z"
_FRACTION = r"\A[+-]?(?:[0-9]+\.[0-9]+|[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+)\z"
_DATE = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
_DATETIME = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:"
_WRITTEN_VALUE_CHARACTERS = 64

Bound = int | float | date | datetime


def item_type(parameter_type: ParameterType) -> ParameterType:
    """The type of one item of a list type; a scalar type itself."""
    return ParameterType(parameter_type.value.removesuffix("_LIST"))


def argument_schema(spec: ParameterSpec) -> CoreSchema:
    """What checks and converts a given argument; bounds, pattern and allowed values hold for each item of a list.

    Raises ValueError or SchemaError for a spec that `check_parameters` refuses.
    """
    schema = _item_schema(spec)
    if spec.type.is_list:
        schema = core_schema.list_schema(schema, max_length=MAX_LIST_ITEMS, fail_fast=True)
    return core_schema.nullable_schema(schema) if spec.accepts_null else schema


def argument_field(spec: ParameterSpec) -> core_schema.TypedDictField:
    """The argument as a key of the call, which also says what its absence means."""
    schema = argument_schema(spec)
    if spec.presence is Presence.REQUIRED:
        return core_schema.typed_dict_field(schema, required=True)
    default = spec.default if spec.presence is Presence.OPTIONAL_DEFAULT else None
    # Validating the default turns its JSON form into the typed value, and a list into a fresh copy.
    filled = core_schema.with_default_schema(schema, default=default, validate_default=True)
    return core_schema.typed_dict_field(filled, required=False)


def parse_bound(parameter_type: ParameterType, bound: float | str) -> Bound:
    """A declared minimum or maximum as a value to compare with; a date and time without offset is UTC."""
    match item_type(parameter_type):
        case ParameterType.DATE:
            return date.fromisoformat(str(bound))
        case ParameterType.DATETIME:
            return _aware(datetime.fromisoformat(str(bound)))
        case _:
            return bound if isinstance(bound, (int, float)) else float(bound)


def _item_schema(spec: ParameterSpec) -> CoreSchema:
    match item_type(spec.type):
        case ParameterType.STRING | ParameterType.ENUM:
            return _text_schema(spec)
        case ParameterType.BOOLEAN:
            return _boolean_schema()
        case ParameterType.INTEGER:
            return _chosen_from(spec, _integer_schema(spec))
        case ParameterType.NUMBER:
            return _chosen_from(spec, _number_schema(spec))
        case ParameterType.DATE:
            return core_schema.chain_schema(
                [_written(_DATE), core_schema.date_schema(**_bounds(spec))]
            )
        case ParameterType.DATETIME:
            return _datetime_schema(spec)
    raise ValueError(f"no schema for {spec.type}")


def _text_schema(spec: ParameterSpec) -> CoreSchema:
    if spec.allowed_values or spec.type is ParameterType.ENUM:
        return core_schema.literal_schema(list(spec.allowed_values))
    if spec.pattern is None:
        return core_schema.str_schema(strict=True, max_length=MAX_TEXT_CHARACTERS, pattern=_NO_NUL)
    bounded = core_schema.str_schema(
        strict=True, max_length=MAX_PATTERN_TEXT_CHARACTERS, pattern=_NO_NUL
    )
    matching = core_schema.str_schema(pattern=spec.pattern, regex_engine="rust-regex")
    return core_schema.chain_schema([bounded, matching])


def _boolean_schema() -> CoreSchema:
    written = core_schema.chain_schema([_written(_TRUE_OR_FALSE), core_schema.bool_schema()])
    return _first_of(core_schema.bool_schema(strict=True), written)


def _integer_schema(spec: ParameterSpec) -> CoreSchema:
    # A strict first branch keeps bool out: the lax one would read True as 1.
    bounds = _whole_bounds(spec)
    lax = core_schema.int_schema(**bounds)
    return _first_of(
        core_schema.int_schema(strict=True, **bounds),
        core_schema.chain_schema([core_schema.float_schema(strict=True, allow_inf_nan=False), lax]),
        core_schema.chain_schema([_written(_WHOLE_NUMBER), lax]),
    )


def _number_schema(spec: ParameterSpec) -> CoreSchema:
    # A whole number beyond 64 bits is refused, not rounded: only a real float meets the float branch.
    whole = _whole_bounds(spec)
    fraction = core_schema.float_schema(allow_inf_nan=False, **_bounds(spec))
    return _first_of(
        core_schema.int_schema(strict=True, **whole),
        core_schema.chain_schema([core_schema.is_instance_schema(float), fraction]),
        core_schema.chain_schema([_written(_WHOLE_NUMBER), core_schema.int_schema(**whole)]),
        core_schema.chain_schema([_written(_FRACTION), fraction]),
    )


def _datetime_schema(spec: ParameterSpec) -> CoreSchema:
    aware = core_schema.no_info_after_validator_function(_aware, core_schema.datetime_schema())
    bounded = core_schema.datetime_schema(**_bounds(spec))
    return core_schema.chain_schema([_written(_DATETIME), aware, bounded])


def _chosen_from(spec: ParameterSpec, schema: CoreSchema) -> CoreSchema:
    """The number as it was declared: 5 and 5.0 are one value, which a literal schema would tell apart."""
    if not spec.allowed_values:
        return schema
    declared = {value: value for value in spec.allowed_values}
    return core_schema.no_info_after_validator_function(partial(_choose, declared), schema)


def _choose(declared: dict[Any, Any], value: Hashable) -> Any:
    if value not in declared:
        raise PydanticCustomError("literal_error", "not an allowed value")
    return declared[value]


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _written(pattern: str) -> CoreSchema:
    return core_schema.str_schema(
        strict=True, max_length=_WRITTEN_VALUE_CHARACTERS, pattern=pattern
    )


def _first_of(*branches: CoreSchema) -> CoreSchema:
    return core_schema.union_schema(list(branches), mode="left_to_right")


def _bounds(spec: ParameterSpec) -> dict[str, Any]:
    declared = {"ge": spec.minimum, "le": spec.maximum}
    return {key: parse_bound(spec.type, at) for key, at in declared.items() if at is not None}


def _whole_bounds(spec: ParameterSpec) -> dict[str, Any]:
    bounds = _bounds(spec)
    return {
        "ge": max(INT64_MINIMUM, math.ceil(bounds.get("ge", INT64_MINIMUM))),
        "le": min(INT64_MAXIMUM, math.floor(bounds.get("le", INT64_MAXIMUM))),
    }
