"""A tool of another MCP server at a call: what fits it, and what its answer becomes."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.argument_texts import list_faults
from core.errors import ArgumentsError, DataSourceError, DefinitionError
from core.execution import TOOL_NAME
from core.ingest.remote_tools import RemoteTool
from core.ingest.schema_keywords import JsonSchema
from core.ingest.texts import clean_text
from core.json_schema import SchemaCheck
from core.json_text import encode_json
from core.messages import message
from core.results import Answer
from core.toolspec import JsonValue

MAX_ERROR_CHARACTERS = 2_000
_KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})
# Places of problems begin with it; it is no argument's name.
_ROOT = "arguments"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxiedSpec:
    """One proxied tool as agents see it, with what it is called by; `id` is its row's.

    `seen` is what the server says now where that is not what was accepted.
    """

    id: int
    name: str
    server: str
    accepted: RemoteTool
    seen: RemoteTool | None = None
    byte_limit: int
    timeout_ms: int

    @property
    def title(self) -> str:
        return self.accepted.title

    @property
    def description(self) -> str:
        return self.accepted.description

    @property
    def annotations(self) -> dict[str, bool]:
        """What the server says; what it does not say is taken for the worst, as MCP has it."""
        return {**_UNKNOWN, **self.accepted.annotations}

    @property
    def tags(self) -> tuple[str, ...]:
        """The server's name, so that searches for it find its tools."""
        return (self.server,)


_UNKNOWN = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


class ProxiedAnswer(Answer, frozen=True, kw_only=True):
    """An answer whose content is the other server's own blocks; `has_structured` False leaves that out."""

    content: tuple[dict[str, JsonValue], ...] = ()
    has_structured: bool = True


def image_blocks(answer: Answer) -> list[dict[str, JsonValue]]:
    """The pictures of an answer as MCP has them."""
    return [
        {"type": "image", "data": b64encode(png).decode(), "mimeType": "image/png"}
        for png in answer.images
    ]


def wire_content(answer: Answer) -> dict[str, JsonValue]:
    """Content and structured content of any tool's answer, with the keys of MCP."""
    if not isinstance(answer, ProxiedAnswer):
        texts = [{"type": "text", "text": text} for text in answer.texts]
        return {"content": texts + image_blocks(answer), "structuredContent": answer.structured}
    content: dict[str, JsonValue] = {"content": list(answer.content)}
    return {**content, "structuredContent": answer.structured} if answer.has_structured else content


class ProxiedChecks:
    """What the arguments and the answer of one tool have to fit; made when first used."""

    def __init__(self, spec: ProxiedSpec) -> None:
        """Raises DefinitionError for a name that cannot be called."""
        if not TOOL_NAME.fullmatch(spec.name):
            raise DefinitionError(
                message(
                    "proxied.name",
                    "{name} is no name of a tool; choose a shorter namespace",
                    name=repr(spec.name),
                )
            )
        self._spec = spec

    def check_arguments(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The arguments as they are. Raises ArgumentsError, a line for each that does not fit.

        They have to fit what was accepted and, where the server has changed the tool since, that too.
        """
        given = dict(arguments)
        if lines := _problems(self._accepted, given):
            raise ArgumentsError(list_faults(self._spec.name, lines))
        if self._seen is not None and (lines := _problems(self._seen, given)):
            raise ArgumentsError(
                message(
                    "proxied.changed",
                    "{tool} was changed on its server and no longer takes these arguments"
                    " ({reason}); an administrator has to look at the change and accept it",
                    tool=self._spec.name,
                    reason=lines[0],
                )
            )
        return given

    def read_answer(self, result: Mapping[str, Any]) -> ProxiedAnswer:
        """The answer of a `tools/call` result, its keys as on the wire.

        Raises DataSourceError for an error of the tool, for one beyond the byte limit, and for one
        that is not what the tool promised.
        """
        content, server = _read_content(result.get("content")), self._spec.server
        structured = result.get("structuredContent")
        texts = tuple(block["text"] for block in content if block["type"] == "text")
        if result.get("isError") is True:
            failed = message(
                "proxied.failed", "{server} says that the call failed, and not why", server=server
            )
            raise DataSourceError(_reason_of(content, structured) or failed)
        self._check_size(content, structured)
        self._check_structured(structured)
        has_structured = isinstance(structured, dict)
        return ProxiedAnswer(
            structured=structured if isinstance(structured, dict) else {},
            texts=texts,
            content=tuple(content),
            has_structured=has_structured,
        )

    @cached_property
    def _accepted(self) -> SchemaCheck:
        return SchemaCheck(self._spec.accepted.input_schema)

    @cached_property
    def _seen(self) -> SchemaCheck | None:
        seen = self._spec.seen
        is_other = seen is not None and seen.input_schema != self._spec.accepted.input_schema
        return SchemaCheck(seen.input_schema) if seen is not None and is_other else None

    @cached_property
    def _output(self) -> SchemaCheck | None:
        schema: JsonSchema | None = self._spec.accepted.output_schema
        return None if schema is None else SchemaCheck(schema)

    def _check_size(self, content: Sequence[object], structured: object) -> None:
        try:
            size = len(encode_json([content, structured]))
        except (TypeError, ValueError, RecursionError) as error:
            raise DataSourceError(
                message(
                    "proxied.no_json",
                    "{server} answered with values that JSON cannot hold",
                    server=self._spec.server,
                )
            ) from error
        if size > self._spec.byte_limit:
            raise DataSourceError(
                message(
                    "proxied.too_long",
                    "the answer of {server} has {size} bytes, more than the limit of {limit};"
                    " ask for less, as with a filter or a page",
                    server=self._spec.server,
                    size=size,
                    limit=self._spec.byte_limit,
                )
            )

    def _check_structured(self, structured: object) -> None:
        if self._output is None:
            return
        if not isinstance(structured, dict):
            raise DataSourceError(
                message(
                    "proxied.no_structure",
                    "{server} promises structured content and sent none; tell its operator",
                    server=self._spec.server,
                )
            )
        if lines := _problems(self._output, structured):
            raise DataSourceError(
                message(
                    "proxied.structure_unfit",
                    "the answer of {server} is not what its output schema promises ({reason});"
                    " tell its operator",
                    server=self._spec.server,
                    reason=lines[0],
                )
            )


def _problems(check: SchemaCheck, value: dict[str, Any]) -> list[str]:
    found = check.problems(_ROOT, value)
    return [line.removeprefix(f"{_ROOT}.").removeprefix(f"{_ROOT}: ") for line in found]


def _reason_of(content: Sequence[Mapping[str, Any]], structured: object) -> str:
    """Why a call failed: the texts of the answer, those of its resources among them, or else its structure."""
    resources = (block.get("resource") for block in content)
    texts = [
        *(block.get("text") for block in content),
        *(resource.get("text") for resource in resources if isinstance(resource, Mapping)),
    ]
    reason = clean_text("\n".join(text for text in texts if isinstance(text, str)))
    if not reason and structured:
        with suppress(TypeError, ValueError, RecursionError):
            reason = encode_json(structured).decode()
    return clean_text(reason, MAX_ERROR_CHARACTERS)


def _read_content(content: object) -> list[dict[str, Any]]:
    """The blocks of kinds that clients know."""
    if content is None:
        return []
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise DataSourceError(
            message(
                "proxied.no_content",
                "the other server's answer has no list of content; it is no MCP",
            )
        )
    for block in content:
        is_text = block.get("type") != "text" or isinstance(block.get("text"), str)
        if block.get("type") not in _KINDS or not is_text:
            raise DataSourceError(
                message(
                    "proxied.unknown_content",
                    "the other server's answer has content of an unknown kind",
                )
            )
    return content


def parse_object(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that the text is, None for anything else."""
    try:
        # int() refuses NaN and the infinities, which are no JSON.
        found = json.loads(text, parse_constant=int)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
