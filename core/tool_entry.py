"""What `tools/list` shows of a tool, made in one place for the runtime and for the editor."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.tokens import estimate_tokens

# Also where a capital begins the next word, as in listOrders.
_BETWEEN_WORDS = re.compile(r"[_-]|(?<=[a-z\d])(?=[A-Z])")
# All tools read, and only from what the administrator has connected.
READS_ONLY = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


class Described(Protocol):
    """A tool's texts and hints, without its schemas; a ToolSpec is one."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def annotations(self) -> Mapping[str, bool]: ...
    @property
    def tags(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEntry:
    """One tool as an agent sees it listed; tags are sorted. An empty output schema is none."""

    name: str
    title: str
    description: str | None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    annotations: dict[str, bool]
    tags: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The entry in the answer to `tools/list`."""
        description = {} if self.description is None else {"description": self.description}
        output = {"outputSchema": self.output_schema} if self.output_schema else {}
        return {
            "name": self.name,
            "title": self.title,
            **description,
            "inputSchema": self.input_schema,
            **output,
            "annotations": self.annotations,
            "_meta": {"fastmcp": {"tags": list(self.tags)}},
        }

    @property
    def tokens(self) -> int:
        """About how many a model reads of it: clients hand on neither the answer's schema nor metadata."""
        entry = self.to_json()
        told = {key: entry[key] for key in ("name", "description", "inputSchema") if key in entry}
        return estimate_tokens(json.dumps(told, ensure_ascii=False))


def make_entry(
    tool: Described, input_schema: dict[str, Any], output_schema: dict[str, Any]
) -> ToolEntry:
    """The entry of a tool; its own annotations win over those of every read."""
    return ToolEntry(
        name=tool.name,
        # Some clients need one, and FastMCP gives a tool without a title the words of its name.
        title=tool.title or _BETWEEN_WORDS.sub(" ", tool.name).title(),
        description=tool.description or None,
        input_schema=input_schema,
        output_schema=output_schema,
        annotations={**READS_ONLY, **tool.annotations},
        tags=tuple(sorted(set(tool.tags))),
    )
