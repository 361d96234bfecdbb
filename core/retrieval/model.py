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
    """MCP's hints on what a tool does; None for a hint that is not given."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def to_dict(self) -> dict[str, bool]:
        """The hints that are given, under MCP's keys."""
        hints = {_KEYS[hint.name]: getattr(self, hint.name) for hint in fields(self)}
        return {key: hint for key, hint in hints.items() if hint is not None}

    @classmethod
    def from_dict(cls, hints: Mapping[str, Any]) -> Self:
        """The annotations of MCP's keys; other keys, and values that are not booleans, are ignored."""
        by_name = {name: hints.get(key) for name, key in _KEYS.items()}
        return cls(**{name: hint for name, hint in by_name.items() if isinstance(hint, bool)})


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
    """A tool to be found: its description, without how it runs."""

    name: str
    title: str = ""
    description: str = ""
    parameters: tuple[ToolParameter, ...] = ()
    annotations: MCPAnnotations | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
