"""What is asked in a run and where: a catalogue of tools and its questions with the right answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.retrieval.check_data import DataSet, Row, ToolSet
from core.library import tools_of_openapi
from core.retrieval.actions import Kind
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.tokens import Language

Half = Literal["tuning", "held_out"]
HALVES: tuple[Half, ...] = ("tuning", "held_out")


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks, and the names that answer it, best first."""

    id: str
    text: str
    language: Language
    gold: tuple[str, ...]
    kind: Kind
    half: Half


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Tools and the questions over them; `languages` and `kinds` are of the tools, by name."""

    name: str
    tools: tuple[Tool, ...]
    questions: tuple[Question, ...]
    languages: Mapping[str, Language]
    kinds: Mapping[str, Kind]


def business_catalogue(name: str, tool_set: ToolSet) -> Catalogue:
    """The tools of an invented business."""
    tools = tuple(map(_read_tool, tool_set.tools))
    return Catalogue(
        name=name,
        tools=tools,
        questions=_read_questions(tool_set.questions, "tools"),
        languages={row["name"]: row["language"] for row in tool_set.tools},
        kinds=_kinds_of(tools),
    )


def github_catalogues(data: DataSet, document: Mapping[str, Any]) -> list[Catalogue]:
    """The operations of GitHub's OpenAPI document, taken in as the product does, twice asked."""
    tools = tuple(tools_of_openapi(document))
    names = {str(tool.metadata["operation_id"]): tool.name for tool in tools}
    asked = {"github": data.github_questions, "github, plain": data.plain_questions}
    return [
        Catalogue(
            name=name,
            tools=tools,
            questions=_read_questions(_with_tools(rows, names), "tools"),
            languages=dict.fromkeys(names.values(), "en"),
            kinds=_kinds_of(tools),
        )
        for name, rows in asked.items()
    ]


def _with_tools(rows: Iterable[Row], names: Mapping[str, str]) -> Iterator[Row]:
    for row in rows:
        yield row | {"tools": [names[each] for each in row["operations"]]}


def mcp_schema(tool: Tool) -> dict[str, Any]:
    """A tool as an MCP server lists it, for systems that are not ours."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": {
            "type": "object",
            "properties": {
                parameter.name: {"type": parameter.type, "description": parameter.description}
                for parameter in tool.parameters
            },
            "required": [parameter.name for parameter in tool.parameters if parameter.required],
        },
        "annotations": tool.annotations.to_dict() if tool.annotations else {},
    }


def _read_questions(rows: Iterable[Row], field: str) -> tuple[Question, ...]:
    return tuple(
        Question(
            row["id"], row["text"], row["language"], tuple(row[field]), row["kind"], row["half"]
        )
        for row in rows
    )


def _read_tool(row: Row) -> Tool:
    return Tool(
        name=row["name"],
        title=row["title"],
        description=row["description"],
        parameters=tuple(map(_read_parameter, row["parameters"])),
        annotations=MCPAnnotations.from_dict(row["annotations"]),
        tags=tuple(row["tags"]),
    )


def _read_parameter(row: Row) -> ToolParameter:
    values = row.get("allowed_values")
    return ToolParameter(
        name=row["name"],
        type="string",
        description=row["description"],
        required=bool(row.get("required", True)),
        enum=tuple(values) if values else None,
    )


def _kinds_of(tools: Sequence[Tool]) -> dict[str, Kind]:
    """As the annotations say, which every tool of these catalogues has."""
    return {tool.name: _kind_of(tool.annotations or MCPAnnotations()) for tool in tools}


def _kind_of(hints: MCPAnnotations) -> Kind:
    if hints.read_only:
        return "read"
    return "delete" if hints.destructive else "write"
