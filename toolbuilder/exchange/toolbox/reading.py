"""A tools.yaml of MCP Toolbox as tools, toolsets and data sources, and why a part cannot be taken."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.errors import DefinitionError
from core.execution import CompiledTool
from core.ingest.tool_names import to_name
from core.messages import Message, message
from core.statements.positional import name_placeholders
from core.toolspec import JsonValue
from gateways.engines import ENGINES
from toolbuilder.exchange.toolbox.document import (
    EntryKind,
    ToolboxEntry,
    ToolboxFinding,
    fill_variables,
    find_variables,
    read_entries,
)
from toolbuilder.exchange.toolbox.parameters import name_parameters, read_parameter
from tools.definitions import ToolDocument
from tools.specs import HINTS, build_spec

_KNOWN = [(engine, engine.toolbox) for engine in ENGINES.values() if engine.toolbox]
_DIALECTS = {toolbox.tool: engine.dialect for engine, toolbox in _KNOWN}
_DATABASES = ", ".join(engine.label for engine, _toolbox in _KNOWN)
_SOURCES = {name: known for known in _KNOWN for name in known[1].sources}
_READ = frozenset(
    [
        "kind",
        "type",
        "name",
        "source",
        "description",
        "statement",
        "parameters",
        "templateParameters",
        "annotations",
        "maxRows",
        "maxResponseBytes",
        "authRequired",
        "scopesRequired",
    ]
)
# Named for the reader of a refusal; what ends a type says what the tool does.
_INSTEAD: tuple[tuple[str, Message], ...] = (
    (
        "execute-sql",
        message(
            "toolbox.instead_of_execute",
            "free queries are run by the built-in tool execute_postgres_query, on its PostgreSQL"
            " database alone; grant it to the keys that may",
        ),
    ),
    (
        "http",
        message(
            "toolbox.instead_of_http",
            "register the service as a data source of kind HTTP, and take its OpenAPI document up"
            " with manage.py tools ingest",
        ),
    ),
    (
        "-sql",
        message(
            "toolbox.instead_of_engine",
            "queries run on {databases}; write the query for one of them",
            databases=_DATABASES,
        ),
    ),
)
_INSTEAD_OF_LISTS = message(
    "toolbox.instead_of_lists",
    "the file has only the type's name and not its query; write that as a tool of SQL; tables and"
    " columns are found by the built-in tools of the catalogue",
)


@dataclass(frozen=True, slots=True)
class ReadTool:
    """A tool of the file; its data source is the file's name of it."""

    document: ToolDocument
    line: int


@dataclass(frozen=True, slots=True)
class ReadToolset:
    """A toolset of the file with the names of its tools."""

    name: str
    tools: tuple[str, ...]
    line: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A database of the file, without its password; `columns` are those of a row of data sources.

    `missing` are the columns that it needs and that the file leaves to the environment.
    """

    name: str
    columns: Mapping[str, JsonValue]
    line: int
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class ToolboxReading:
    """What a file holds that can be taken, and what its reader has to know, by lines."""

    tools: list[ReadTool] = field(default_factory=list)
    toolsets: list[ReadToolset] = field(default_factory=list)
    sources: list[ReadSource] = field(default_factory=list)
    findings: list[ToolboxFinding] = field(default_factory=list)

    @property
    def refusals(self) -> list[ToolboxFinding]:
        return [finding for finding in self.findings if finding.is_refusal]


def read_toolbox(text: str) -> ToolboxReading:
    """The file's content; a part that cannot be taken hinders no other.

    Raises ImportFileError for what is not YAML.
    """
    entries, findings = read_entries(text)
    reading = ToolboxReading(findings=findings)
    names: dict[tuple[EntryKind, str], int] = {}
    for entry in entries:
        first = names.setdefault((entry.kind, entry.name), entry.line)
        if first != entry.line:
            text_ = message("toolbox.twice", "it is there already, in line {line}", line=str(first))
            reading.findings.append(ToolboxFinding(entry.line, entry.name, text_, is_refusal=True))
            continue
        try:
            reading.findings += _take(entry, reading)
        except DefinitionError as error:
            refusal = ToolboxFinding(entry.line, entry.name, error.message, is_refusal=True)
            reading.findings.append(refusal)
    reading.findings.sort(key=lambda finding: finding.line)
    return reading


def _take(entry: ToolboxEntry, reading: ToolboxReading) -> Iterator[ToolboxFinding]:
    """Add the entry to what was read; what is to be said of it beside. Raises DefinitionError."""
    match entry.kind:
        case EntryKind.TOOL:
            document, notes = _read_tool(entry)
            reading.tools.append(ReadTool(document, entry.line))
            yield from (ToolboxFinding(entry.line, entry.name, note) for note in notes)
        case EntryKind.SOURCE:
            yield from _take_source(entry, reading)
        case EntryKind.TOOLSET | EntryKind.GROUP:
            given = entry.fields.get("tools") or []
            tools = tuple(to_name(str(name), "tool") for name in given)
            description = str(entry.fields.get("description") or "").strip()
            toolset = ReadToolset(to_name(entry.name, "tools"), tools, entry.line, description)
            reading.toolsets.append(toolset)
        case EntryKind.AUTH_SERVICE:
            text = message(
                "toolbox.auth_service",
                "register the issuer of its tokens under Access, so that calls bring the claims; or"
                " give the claims to an API key",
            )
            yield ToolboxFinding(entry.line, entry.name, text)
        case _:
            raise DefinitionError(
                message(
                    "toolbox.no_counterpart",
                    "a {kind} has no counterpart; tools, toolsets and data sources are taken",
                    kind=str(entry.kind),
                )
            )


def _read_tool(entry: ToolboxEntry) -> tuple[ToolDocument, list[Message]]:
    """The tool, compiled once to see that it can be served, and what is to be said of it."""
    fields = {name: fill_variables(value) for name, value in entry.fields.items()}
    dialect = _DIALECTS.get(entry.type)
    if dialect is None:
        raise DefinitionError(_refuse_type(entry.type))
    if fields.get("templateParameters"):
        raise DefinitionError(_TEMPLATES)
    statement = fields.get("statement")
    given = fields.get("parameters") or []
    if not isinstance(statement, str) or not isinstance(given, list):
        raise DefinitionError(_NO_STATEMENT)
    if not all(isinstance(row, dict) and isinstance(row.get("name"), str) for row in given):
        raise DefinitionError(_PARAMETER_NAMES)
    names = name_parameters(row["name"] for row in given)
    parameters = [read_parameter(name, row) for name, row in zip(names, given, strict=True)]
    document = ToolDocument(
        name=to_name(entry.name, "tool"),
        description_agent=str(fields.get("description") or "").strip(),
        definition=name_placeholders(statement, names, dialect).strip(),
        data_source=str(fields.get("source") or "") or None,
        annotations=_read_annotations(fields.get("annotations")),
        parameters=tuple(parameters),
        **_read_caps(fields),
    )
    CompiledTool(build_spec(document, parameters, {document.data_source: dialect}))
    renamed = [(row["name"], name) for row, name in zip(given, names, strict=True)]
    return document, list(_find_notes(entry, document, renamed))


def _find_notes(
    entry: ToolboxEntry, document: ToolDocument, names: list[tuple[str, str]]
) -> Iterator[Message]:
    """What of a tool is otherwise here than in the file."""
    fields = entry.fields
    for old, new in [(entry.name, document.name), *names]:
        if old != new:
            yield message("toolbox.renamed", "{old} is called {new} here", old=old, new=new)
    if variables := find_variables({key: fields[key] for key in fields if key != "source"}):
        yield message(
            "toolbox.variables",
            "{names} of the environment were replaced by their defaults",
            names=", ".join(dict.fromkeys(variables)),
        )
    if fields.get("authRequired") or fields.get("scopesRequired"):
        yield message(
            "toolbox.auth_required",
            "every call needs a key or token here; who may call it is a matter of grants and"
            " toolsets, and authRequired and scopesRequired are left out",
        )
    if 0 in {fields.get("maxRows"), fields.get("maxResponseBytes")}:
        yield message("toolbox.no_caps", "answers have caps here; 0 became the usual ones")
    if any(isinstance(row, dict) and row.get("escape") for row in fields.get("parameters") or []):
        yield message("toolbox.escape", "escape is left out: parameters are values and never text")
    if left_out := sorted(set(fields) - _READ):
        yield message("toolbox.left_out", "{names} was left out", names=", ".join(left_out)[:200])


def _take_source(entry: ToolboxEntry, reading: ToolboxReading) -> Iterator[ToolboxFinding]:
    if entry.type not in _SOURCES:
        raise DefinitionError(
            message(
                "toolbox.source_type",
                "a database of type {type} cannot be a data source; there are {databases}",
                type=entry.type or "?",
                databases=_DATABASES,
            )
        )
    engine, toolbox = _SOURCES[entry.type]
    columns: dict[str, JsonValue] = {"engine": engine.name}
    for theirs, ours in toolbox.fields.items():
        if (value := fill_variables(entry.fields.get(theirs))) not in {None, ""}:
            columns[ours] = value
    missing = [name for name in toolbox.fields.values() if name not in columns and name != "port"]
    password = entry.fields.get("password")
    if variables := find_variables(password):
        # A reference, which is no secret; the variable is read when somebody connects.
        columns["password_reference"] = f"env:{variables[0]}"
    name = to_name(entry.name, "toolbox")[:63]
    reading.sources.append(ReadSource(name, columns, entry.line, tuple(missing)))
    if name != entry.name:
        renamed = message("toolbox.renamed", "{old} is called {new} here", old=entry.name, new=name)
        yield ToolboxFinding(entry.line, entry.name, renamed)
    if variables:
        yield ToolboxFinding(
            entry.line,
            entry.name,
            message(
                "toolbox.password_variable",
                "its password is read from the environment variable {name} of this installation",
                name=variables[0],
            ),
        )
    elif "user" in toolbox.fields:
        yield ToolboxFinding(entry.line, entry.name, _SET_PASSWORD)
    unread = set(entry.fields) - {"kind", "type", "name", "password", *toolbox.fields}
    if left_out := sorted(key for key in unread if fill_variables(entry.fields[key])):
        text = message("toolbox.left_out", "{names} was left out", names=", ".join(left_out)[:200])
        yield ToolboxFinding(entry.line, entry.name, text)


_TEMPLATES = message(
    "toolbox.templates",
    "templateParameters put text of the agent into the statement, which could then do anything; make"
    " a tool for each table, or a parameter of each value, with [[ ]] around what is optional",
)
_NO_STATEMENT = message(
    "toolbox.no_statement", "it needs a statement, which is text, and a list of parameters"
)
_PARAMETER_NAMES = message("toolbox.parameter_names", "every parameter needs a name")
_SET_PASSWORD = message(
    "toolbox.set_password",
    "its password was not taken; set it on the data source's page, or name a variable",
)


def _refuse_type(name: str) -> Message:
    """Why no tool of that type is taken, and what to do instead."""
    instead = next(
        (text for end, text in _INSTEAD if name == end or name.endswith(end)), _INSTEAD_OF_LISTS
    )
    return message(
        "toolbox.tool_type",
        "tools of type {type} are not taken: {instead}",
        type=name or "?",
        instead=instead,
    )


def _read_annotations(given: JsonValue) -> dict[str, bool]:
    if not isinstance(given, dict):
        return {}
    return {key: given[key] for key in HINTS if isinstance(given.get(key), bool)}


def _read_caps(fields: Mapping[str, JsonValue]) -> dict[str, int]:
    """The limits of the answer; 0 lifts them there, and is the usual one here."""
    caps = {"row_limit": fields.get("maxRows"), "byte_limit": fields.get("maxResponseBytes")}
    return {name: cap for name, cap in caps.items() if type(cap) is int and cap > 0}
