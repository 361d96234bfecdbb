"""The JSON schema of a tool's arguments, as agents see it."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from core.arguments import input_schema
from core.toolspec import ParameterSpec, ParameterType, Presence


def param(name: str = "value", type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=ParameterType(type_name), **settings)


def optional(name: str, type_name: str, **settings: Any) -> ParameterSpec:
    return param(name, type_name, presence=Presence.OPTIONAL_NULL, **settings)


SALES = [
    param("region", "ENUM", allowed_values=("KR", "US", "JP"), description="지역"),
    param("since", "DATE", minimum="2020-01-01", description="First day."),
    optional("amount", "NUMBER", example=9.5),
    param("limit", "INTEGER", maximum=100, presence=Presence.OPTIONAL_DEFAULT, default=10),
]


def test_schema_shows_everything_that_is_declared() -> None:
    schema = input_schema(SALES)

    assert schema == {
        "type": "object",
        "properties": {
            "region": {"type": "string", "enum": ["KR", "US", "JP"], "description": "지역"},
            "since": {
                "type": "string",
                "format": "date",
                "description": "First day. (from 2020-01-01)",
            },
            "amount": {
                "anyOf": [{"type": "number"}, {"type": "null"}],
                "default": None,
                "examples": [9.5],
            },
            "limit": {"type": "integer", "maximum": 100, "default": 10},
        },
        "required": ["region", "since"],
        "additionalProperties": False,
    }
    assert list(schema["properties"]) == ["region", "since", "amount", "limit"]


def test_schema_without_required_parameters_has_no_required_key() -> None:
    assert input_schema([]) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert "required" not in input_schema([optional("a", "STRING")])


@pytest.mark.parametrize("type_name", list(ParameterType))
@pytest.mark.parametrize("nullable", [False, True], ids=["plain", "nullable"])
def test_schema_of_every_type_is_valid_and_has_no_list_of_types(
    type_name: ParameterType, nullable: bool
) -> None:
    values = ("a",) if type_name is ParameterType.ENUM else ()
    schema = input_schema([param("a", type_name, nullable=nullable, allowed_values=values)])

    Draft202012Validator.check_schema(schema)
    assert "'type': [" not in str(schema)


def test_list_schema_puts_constraints_on_the_items() -> None:
    schema = input_schema([param("codes", "STRING_LIST", pattern="^[A-Z]+$")])

    assert schema["properties"]["codes"] == {
        "type": "array",
        "items": {"type": "string", "pattern": "^[A-Z]+$"},
    }
