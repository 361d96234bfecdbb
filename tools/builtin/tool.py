"""A built-in tool: the same surface as a compiled tool, with the product's own code behind it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.bindings import NOBODY, CallerFacts
from core.errors import ToolboxError
from core.execution import QuerySources
from core.json_text import encode_json
from core.results import Answer
from core.tool_entry import READS_ONLY
from core.toolspec import DEFAULT_TIMEOUT_MS

Arguments = Mapping[str, object]
# `facts` are those of the caller, for the few tools whose answer depends on who asks.
Check = Callable[[Arguments, CallerFacts], Mapping[str, object]]
Execute = Callable[[Mapping[str, Any], QuerySources], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinSpec:
    """What agents are shown of a built-in tool beside its schemas."""

    name: str
    title: str
    description: str
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    annotations: dict[str, bool] = field(default_factory=lambda: dict(READS_ONLY))
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinTool:
    """One built-in tool. `validate` raises ArgumentsError, `run` ToolboxError, as compiled tools do."""

    spec: BuiltinSpec
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    check: Check
    execute: Execute

    def validate(self, arguments: Arguments, facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values of a call, and what the tool has to know of its caller."""
        return self.check(arguments, facts)

    async def run(
        self,
        values: Mapping[str, object],
        sources: QuerySources,
        _caller: str = "",
    ) -> Answer:
        """The answer for validated values."""
        return await self.execute(values, sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedAnswer(Answer):
    """An answer whose own words say that the call failed; recorded as the `error` that it was."""

    error: ToolboxError


def json_answer(structured: dict[str, Any], **told: Any) -> Answer:
    """The object as structured content and, the same JSON, as text; `told` are Answer's other fields."""
    return Answer(structured=structured, texts=(json_text(structured),), **told)


def json_text(structured: dict[str, Any]) -> str:
    """The object as compact JSON."""
    return encode_json(structured).decode()


def object_schema(
    required: dict[str, Any], optional: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The JSON schema of an object with these properties."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
