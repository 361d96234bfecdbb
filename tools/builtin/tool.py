"""A built-in tool: the surface of a compiled tool with the product's own code behind it, and its answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.argument_texts import NOT_BLANK, limit_characters, list_faults, name_fault
from core.arguments import ArgumentsValidator
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError, ToolboxError
from core.execution import QuerySources
from core.grants import DEFAULT_SOURCE, BuiltinGroup, ToolPlace
from core.json_text import encode_json
from core.messages import Message
from core.parameter_types.structures import limit_items
from core.results import Answer
from core.tool_entry import READS_ONLY
from core.toolspec import DEFAULT_TIMEOUT_MS, ParameterSpec

MAX_BLANKS_NAMED = 20

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
    group: BuiltinGroup
    # It runs SQL that the caller has written, on the default data source.
    runs_free_sql: bool = False

    @property
    def place(self) -> ToolPlace:
        """What grants find it by."""
        source = DEFAULT_SOURCE if self.runs_free_sql else None
        return ToolPlace(self.tags, self.group, source)


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
        _facts: CallerFacts = NOBODY,
    ) -> Answer:
        """The answer for validated values."""
        return await self.execute(values, sources)


class RefusedAnswer(Answer, frozen=True, kw_only=True):
    """An answer whose own words say that the call failed; recorded as the `error` that it was."""

    error: ToolboxError


class EmbeddableTexts:
    """As ArgumentsValidator; then the texts of the first one, a text or a list, must be fit to be embedded.

    A list may have at most `most` texts, of `most_characters` together.
    """

    __slots__ = ("_argument", "_most", "_most_characters", "_tool_name", "_validate")

    def __init__(
        self,
        tool_name: str,
        parameters: Sequence[ParameterSpec],
        most: int = 1,
        most_characters: int = 0,
    ) -> None:
        self._tool_name = tool_name
        self._validate = ArgumentsValidator(tool_name, parameters)
        self._argument = parameters[0].name
        self._most = most
        self._most_characters = most_characters

    def __call__(self, arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values. Raises ArgumentsError, which names every text that does not fit."""
        values = self._validate(arguments)
        given = values[self._argument]
        if isinstance(given, str):
            faults = [] if given.strip() else [name_fault(self._argument, NOT_BLANK)]
        else:
            faults = self._judge_list(given)
        if faults:
            raise ArgumentsError(list_faults(self._tool_name, faults))
        return values

    def _judge_list(self, texts: Any) -> list[Message]:
        if len(texts) > self._most:
            return [name_fault(self._argument, limit_items(self._most, str(len(texts))))]
        characters = sum(map(len, texts))
        if characters > self._most_characters:
            fault = limit_characters(self._most_characters, characters)
            return [name_fault(self._argument, fault)]
        blank = [index for index, text in enumerate(texts) if not text.strip()]
        return [
            name_fault(f"{self._argument}[{index}]", NOT_BLANK)
            for index in blank[:MAX_BLANKS_NAMED]
        ]


def json_answer(structured: dict[str, Any], **fields: Any) -> Answer:
    """The object as structured content and, the same JSON, as text; `fields` are Answer's other fields."""
    return Answer(structured=structured, texts=(json_text(structured),), **fields)


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
