"""Tools as a tools.yaml of MCP Toolbox, as far as it can say them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from access.models import ToolsetTool
from catalog.models import DataSource
from catalog.sources.settings import read_sources
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import DefinitionError
from core.messages import Message, message
from core.statement import make_lexer
from core.statements.positional import number_placeholders
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    JsonValue,
    ParameterSpec,
    SqlLogic,
    ToolSpec,
)
from gateways.engines import ENGINES
from toolbuilder.exchange.toolbox.parameters import find_losses, write_parameter
from tools.definitions import ToolDocument
from tools.models import ToolDefinition, ToolType

SERVICE = "claims"
_SOURCES = {engine.name: engine.toolbox for engine in ENGINES.values() if engine.toolbox}
_TYPES = {engine.dialect: engine.toolbox.tool for engine in ENGINES.values() if engine.toolbox}


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def export_toolbox(tools: Sequence[ToolDefinition]) -> str:
    """Documents of data sources, tools and toolsets; a comment stands for what cannot be said there.

    Passwords are variables of the environment, and so is what only a variable says of a source.
    """
    sources, documents, written = read_sources(), [], set()
    names = {tool.source_name for tool in tools if tool.tool_type == ToolType.SQL}
    documents += [
        _dump(_write_source(row))
        for row in DataSource.objects.filter(name__in=names - {None}, engine__in=_SOURCES)
    ]
    for tool in tools:
        try:
            spec = ToolDocument.of_row(tool).to_spec(sources)
            entry, losses = write_tool(spec)
        except DefinitionError as error:
            documents.append(_comment(tool.name, error.message))
            continue
        written.add(spec.name)
        documents.append("".join(_comment(spec.name, loss) for loss in losses) + _dump(entry))
    if any("authServices:" in document for document in documents):
        service = {"kind": "authService", "name": SERVICE, "type": "google"}
        documents.insert(0, _dump({**service, "clientId": "${CLIENT_ID}"}))
    held = defaultdict(list)
    rows = ToolsetTool.objects.filter(tool_name__in=written).order_by("toolset__name", "tool_name")
    for toolset, name in rows.values_list("toolset__name", "tool_name"):
        held[toolset].append(name)
    documents += [
        _dump({"kind": "toolset", "name": name, "tools": members}) for name, members in held.items()
    ]
    return "---\n".join(documents)


def write_tool(spec: ToolSpec) -> tuple[dict[str, JsonValue], list[Message]]:
    """The entry of a tool, and what is lost of it. Raises DefinitionError for what cannot be said."""
    if not isinstance(spec.logic, SqlLogic):
        raise DefinitionError(
            message("toolbox.only_sql", "MCP Toolbox has no tools of this kind, only of SQL")
        )
    if spec.logic.dialect not in _TYPES:
        raise DefinitionError(
            message("toolbox.no_engine", "MCP Toolbox has no tools on databases of this kind")
        )
    entry: dict[str, JsonValue] = {
        "kind": "tool",
        "name": spec.name,
        "type": _TYPES[spec.logic.dialect],
        "source": spec.logic.data_source or DEFAULT_SOURCE_NAME,
        "description": spec.description,
        "statement": _write_statement(spec.logic, spec.parameters),
    }
    if spec.parameters:
        entry["parameters"] = [write_parameter(row, SERVICE) for row in spec.parameters]
    if spec.annotations:
        entry["annotations"] = dict(spec.annotations)
    caps = {
        "maxRows": (spec.row_limit, DEFAULT_ROW_LIMIT),
        "maxResponseBytes": (spec.byte_limit, DEFAULT_BYTE_LIMIT),
    }
    entry |= {name: cap for name, (cap, usual) in caps.items() if cap != usual}
    return entry, find_losses(spec.parameters)


def _write_source(row: DataSource) -> dict[str, JsonValue]:
    """The entry of a data source, without its password."""
    toolbox = _SOURCES[row.engine]
    # The password is a variable whatever the row says.
    fields = toolbox.fields | ({"password": ""} if "user" in toolbox.fields else {})
    variable = re.sub(r"\W", "_", row.name).upper()
    columns = {
        theirs: getattr(row, ours, "") or f"${{{variable}_{theirs.upper()}}}"
        for theirs, ours in fields.items()
    }
    return {"kind": "source", "name": row.name, "type": toolbox.sources[0], **columns}


def _write_statement(logic: SqlLogic, parameters: Iterable[ParameterSpec]) -> str:
    lexer = make_lexer(logic.statement, logic.dialect)
    lexer.run()
    lists = {row.name for row in parameters if row.type.is_list}
    if lexer.clauses:
        raise DefinitionError(
            message("toolbox.no_clauses", "MCP Toolbox has no optional clauses [[ ]] in a query")
        )
    if "${" in logic.statement:
        raise DefinitionError(
            message(
                "toolbox.looks_like_variable",
                "MCP Toolbox would take the ${ of the query for an environment variable",
            )
        )
    return number_placeholders(lexer, [row.name for row in parameters], lists)


def _comment(name: str, text: Message) -> str:
    return f"# {name}: {text}\n"


def _dump(document: Mapping[str, Any]) -> str:
    text = yaml.dump(dict(document), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return str(text)
