"""A tool as the search knows it, whichever server or document it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

_KEYS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


@dataclass(frozen=True, slots=True)
class MCPAnnotations:
    """What a tool says of its behaviour; None where it says nothing."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def to_dict(self) -> dict[str, bool]:
        """The hints under MCP's own keys, without those that are not said."""
        said = {_KEYS[hint.name]: getattr(self, hint.name) for hint in fields(self)}
        return {key: value for key, value in said.items() if value is not None}

    @classmethod
    def from_dict(cls, hints: Mapping[str, Any]) -> Self:
        """The annotations of MCP's keys; other keys, and values that are no booleans, say nothing."""
        said = {name: hints.get(key) for name, key in _KEYS.items()}
        return cls(**{name: hint for name, hint in said.items() if isinstance(hint, bool)})


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One parameter; `type` is JSON Schema's word, `enum` the allowed values, or None for any."""

    name: str
    type: str = "string"
    description: str = ""
    required: bool = False
    enum: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool to be found: what is told of it, without how it runs."""

    name: str
    title: str = ""
    description: str = ""
    parameters: tuple[ToolParameter, ...] = ()
    annotations: MCPAnnotations | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
