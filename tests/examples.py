"""An argument of every type."""

from typing import Any

from core.arguments import arguments_validator
from core.toolspec import ParameterSpec, ParameterType


def make_spec(declared: ParameterType, **settings: Any) -> ParameterSpec:
    """A parameter `value`; one that needs allowed values has the type's example."""
    if declared.kind.needs_allowed_values:
        settings["allowed_values"] = (declared.kind.example,)
    return ParameterSpec(name="value", type=declared, **settings)


def read_value(spec: ParameterSpec, value: object) -> object:
    """The typed value. Raises ArgumentsError."""
    return arguments_validator("tool", [spec])({"value": value})["value"]


def read_example(declared: ParameterType) -> object:
    """The type's example, typed."""
    return read_value(make_spec(declared), declared.kind.example)
