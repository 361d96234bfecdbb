"""Files of our own form: lists of tools, and one document for each tool, toolset, data source and the glossary."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import yaml
from django.core.exceptions import ValidationError
from django.db.models import Model

from access.models import Toolset
from access.toolsets.models import ToolsetReview
from catalog.glossary.concepts import LANGUAGES
from catalog.models import DataSource
from core.cases.documents import MAX_CASES, CaseDocument, read_case
from core.errors import DefinitionError
from core.messages import Message, foreign, message
from core.toolspec import JsonValue
from gateways.engines import DEFAULT
from toolbuilder.exchange.exchanged import (
    ExchangedConcept,
    ExchangedSource,
    ExchangedTool,
    ExchangedToolset,
    FilePart,
    ToolFiles,
)
from toolbuilder.exchange.yaml_nodes import FileFault, YamlNode
from tools.definitions import ParameterDocument, ToolDocument

FORMAT = 1
HEAD = ("toolbuilder", "kind")
# What a file of a data source has no word of: who it is here, and its password.
_OF_THE_ROW = frozenset({"id", "uid", "name", "origin", "password", "created_at", "updated_at"})
SOURCE_FIELDS = tuple(
    field.name for field in DataSource._meta.fields if field.name not in _OF_THE_ROW
)
_ALWAYS_WRITTEN = frozenset({"name", "tool_type", "definition", "param_name", "param_type"})
_TOOL_DEFAULTS = ToolDocument().to_document()
_ALWAYS_SAID = {"record_arguments": _TOOL_DEFAULTS["record_arguments"]}
_PARAMETER_DEFAULTS = ToolDocument(parameters=(ParameterDocument(param_name=""),)).to_document()[
    "parameters"
][0]
Document = dict[str, JsonValue]
Check = Callable[[object], bool]


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks, and lists below their key."""


def _represent_text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def dump(value: JsonValue) -> str:
    """The value as YAML, to which more may be added."""
    text = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return text[:-4] if text.endswith("\n...\n") else str(text)


def write_yaml(tools: Iterable[ExchangedTool]) -> str:
    """A list of tools as YAML."""
    return dump({"toolbuilder": FORMAT, "tools": list(map(_entry_of, tools))})


def write_json(tools: Iterable[ExchangedTool]) -> str:
    """A list of tools as JSON."""
    document = {"toolbuilder": FORMAT, "tools": list(map(_entry_of, tools))}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def tool_document(tool: ExchangedTool) -> Document:
    """The document of a tool's own file; what is as usual is left out."""
    return {"toolbuilder": FORMAT, "kind": "tool", **_entry_of(tool)}


def toolset_document(toolset: ExchangedToolset) -> Document:
    """The document of a toolset's file."""
    columns = {
        "title": toolset.title,
        "description": toolset.description,
        "tags": list(toolset.tags),
        "tools": list(toolset.tools),
        "review": "" if toolset.review == ToolsetReview.NOBODY else toolset.review,
        "owned_by_files": toolset.owned_by_files,
    }
    kept = {name: value for name, value in columns.items() if value}
    return {"toolbuilder": FORMAT, "kind": "toolset", "name": toolset.name, **kept}


def source_document(source: ExchangedSource) -> Document:
    """The document of a data source's file; never its password."""
    usual = DataSource()
    columns: Document = {
        name: value
        for name, value in source.columns.items()
        if name == "engine" or value != getattr(usual, name)
    }
    return {"toolbuilder": FORMAT, "kind": "source", "name": source.name, **columns}


def glossary_document(concepts: Iterable[ExchangedConcept]) -> Document:
    """The document of the glossary's file: the concepts that people wrote or changed."""
    entries: Document = {}
    for concept in concepts:
        entry: Document = {name: list(terms) for name, terms in concept.terms.items() if terms}
        entry |= {"note": concept.note} if concept.note else {}
        entries[concept.name] = entry if concept.is_active else {**entry, "in_use": False}
    return {"toolbuilder": FORMAT, "kind": "glossary", "concepts": entries}


def read_own_form(documents: Iterable[YamlNode], path: str, content: ToolFiles) -> None:
    """Add what the documents say to the content, and every fault of them."""
    for node in documents:
        part, entries = FilePart(path, node), node.value
        if not isinstance(entries, dict) or not {"kind", "tools"} & entries.keys():
            text = message("import.no_tools", "The file has no list called tools.")
            content.faults.append(part.fault(text))
            continue
        version = entries.get("toolbuilder")
        if version is None or version.value != FORMAT:
            text = message(
                "import.format",
                "The file must begin with toolbuilder: {format}.",
                format=str(FORMAT),
            )
            content.faults.append(part.fault(text, "toolbuilder"))
        elif "kind" in entries:
            _read_document(part, entries, content)
        elif isinstance(entries["tools"].value, list):
            for number, entry in enumerate(entries["tools"].value, start=1):
                _read_tool(FilePart(path, entry), content, number)
        else:
            text = message("import.no_tools", "The file has no list called tools.")
            content.faults.append(part.fault(text, "tools"))


def _read_document(part: FilePart, entries: Mapping[str, YamlNode], content: ToolFiles) -> None:
    readers: dict[JsonValue, Callable[[FilePart, ToolFiles], None]] = {
        "tool": _read_tool,
        "toolset": _read_toolset,
        "source": _read_source,
        "glossary": _read_glossary,
    }
    kind = entries["kind"].value
    if not isinstance(kind, str) or kind not in readers:
        text = message(
            "import.kind",
            "kind must be one of {known} (got {kind})",
            known=", ".join(map(str, readers)),
            kind=repr(kind)[:60],
        )
        content.faults.append(part.fault(text, "kind"))
    else:
        readers[kind](part, content)


def _read_tool(part: FilePart, content: ToolFiles, number: int | None = None) -> None:
    """Add a tool, or all that is wrong with it; the `number` is its place in a list."""
    given = part.node.plain() if part.node else None
    columns = dict(given) if isinstance(given, dict) else {}
    is_active, listed = columns.pop("is_active", True), columns.pop("cases", None)
    if number is None:
        columns = {name: value for name, value in columns.items() if name not in HEAD}
    if not isinstance(given, dict) or not isinstance(is_active, bool):
        text = message(
            "import.tool_form",
            "{name}: a tool is names with values, and is_active true or false.",
            name=columns.get("name") or number or "",
        )
        content.faults.append(part.fault(text, "is_active"))
        return
    try:
        # A file says all of a tool: what it leaves out has its default, which the plan shows.
        document = ToolDocument.model_validate({**_ALWAYS_SAID, **columns})
    except DefinitionError as error:
        label = str(columns.get("name") or number or part.path)
        found = list(_find_tool_faults(columns)) or [((), error.message)]
        for steps, reason in found:
            text = message("import.tool_fault", "{label}: {reason}", label=label, reason=reason)
            content.faults.append(part.fault(text, *steps))
        return
    if not document.name:
        text = message("import.no_name", "The tool has no name.")
        content.faults.append(part.fault(text))
        return
    cases = None if listed is None else _read_cases(listed, part, content)
    content.tools.append(ExchangedTool(document, is_active, cases, part))


def _read_cases(listed: JsonValue, part: FilePart, content: ToolFiles) -> tuple[CaseDocument, ...]:
    """The test cases by name; what is wrong with them is added to the faults."""
    cases: dict[str, CaseDocument] = {}
    if not isinstance(listed, list) or len(listed) > MAX_CASES:
        text = message("import.cases", "cases must be a list of at most {limit}", limit=MAX_CASES)
        content.faults.append(part.fault(text, "cases"))
        listed = []
    for number, entry in enumerate(listed):
        try:
            case = read_case(entry, f"cases[{number}]")
        except DefinitionError as error:
            content.faults.append(part.fault(error.message, "cases", number))
            continue
        if case.name in cases:
            text = message("import.tool_twice", "{name} is there twice.", name=case.name)
            content.faults.append(part.fault(text, "cases", number))
        cases[case.name] = case
    return tuple(case for _name, case in sorted(cases.items()))


def _find_tool_faults(columns: Document) -> Iterator[tuple[tuple[str | int, ...], Message]]:
    """Every field that cannot be stored: the way to it, and why. Only asked of a document that has one."""
    rows = columns.get("parameters")
    listed = list(enumerate(rows)) if isinstance(rows, list) else []
    for number, row in listed:
        named: Document = {}
        for name, value in row.items() if isinstance(row, dict) else (("", row),):
            document = {**named, name: value} if isinstance(row, dict) else row
            try:
                ParameterDocument.model_validate(document)
            except DefinitionError as error:
                yield ("parameters", number, name), error.message
            else:
                # Beside its name, which texts of further faults begin with.
                named |= {name: value} if name == "param_name" else {}
    others = {name: value for name, value in columns.items() if name != "parameters" or not listed}
    for name, value in others.items():
        try:
            ToolDocument.model_validate({name: value})
        except DefinitionError as error:
            yield (name,), error.message


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _explain_form(check: Check, field: str) -> Message:
    if check is _is_text:
        return message("import.text", "{field} must be text", field=field)
    if check is _is_texts:
        return message("import.texts", "{field} must be a list of texts", field=field)
    return message("import.flag", "{field} must be true or false", field=field)


_TOOLSET = {
    "name": _is_text,
    "title": _is_text,
    "description": _is_text,
    "tags": _is_texts,
    "tools": _is_texts,
    "review": _is_text,
    "owned_by_files": _is_flag,
}
_CONCEPT = {**dict.fromkeys(LANGUAGES, _is_texts), "note": _is_text, "in_use": _is_flag}


def _check(
    part: FilePart, columns: Document, checks: Mapping[str, Check], steps: Collection[str] = ()
) -> Iterator[FileFault]:
    """What is wrong with the form of the columns: those that there are not, and those of another type."""
    for name, value in columns.items():
        if name not in checks:
            known = ", ".join(checks)
            text = message(
                "import.unknown_field",
                "there is no {field} here; there are {known}",
                field=name,
                known=known,
            )
            yield part.fault(text, *steps, name)
        elif not checks[name](value):
            yield part.fault(_explain_form(checks[name], name), *steps, name)


def _columns_of(part: FilePart) -> Document:
    given = part.node.plain() if part.node else {}
    return {name: value for name, value in given.items() if name not in HEAD}


def _read_toolset(part: FilePart, content: ToolFiles) -> None:
    columns = _columns_of(part)
    faults = list(_check(part, {"name": None, **columns}, _TOOLSET))
    if not faults:
        tags, tools = (tuple(columns.pop(name, ())) for name in ("tags", "tools"))
        faults = list(_clean(Toolset(**columns, tags=list(tags)), part))
        if not faults:
            toolset = ExchangedToolset(**columns, tags=tags, tools=tools, part=part)
            content.toolsets.append(toolset)
    content.faults += faults


def _clean(row: Model, part: FilePart) -> Iterator[FileFault]:
    """What the row would not take, as its forms say it."""
    try:
        row.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        for name, texts in error.message_dict.items():
            yield part.fault(foreign(f"{name}: {' '.join(texts)}"), name)


def _read_source(part: FilePart, content: ToolFiles) -> None:
    """Add a data source whose columns its row would take."""
    columns = _columns_of(part)
    known: dict[str, Check] = dict.fromkeys(SOURCE_FIELDS, lambda _value: True)
    faults = list(_check(part, {"name": None, **columns}, {"name": _is_text, **known}))
    if not faults:
        columns.setdefault("engine", DEFAULT.name)
        row = DataSource(**columns)
        faults = list(_clean(row, part))
        if not faults:
            read = {name: getattr(row, name) for name in SOURCE_FIELDS}
            content.sources.append(ExchangedSource(name=row.name, columns=read, part=part))
    content.faults += faults


def _read_glossary(part: FilePart, content: ToolFiles) -> None:
    columns = _columns_of(part)
    concepts = columns.pop("concepts", {})
    content.faults += _check(part, columns, {})
    if not isinstance(concepts, dict):
        text = message("import.concepts", "concepts must be names with their terms by language")
        content.faults.append(part.fault(text, "concepts"))
        return
    for name, entry in concepts.items():
        columns = entry if isinstance(entry, dict) else {"": entry}
        faults = list(_check(part, columns, _CONCEPT, ("concepts", name)))
        content.faults += faults
        if not faults:
            terms = {language: tuple(columns.get(language, ())) for language in LANGUAGES}
            note, is_active = columns.get("note", ""), columns.get("in_use", True)
            content.concepts.append(
                ExchangedConcept(name=name, terms=terms, note=note, is_active=is_active, part=part)
            )


def _entry_of(tool: ExchangedTool) -> Document:
    document = tool.snapshot.to_document()
    parameters = [_shorten(row, _PARAMETER_DEFAULTS) for row in document.pop("parameters")]
    entry = _shorten(document, _TOOL_DEFAULTS)
    if not tool.is_active:
        entry["is_active"] = False
    entry |= {"parameters": parameters} if parameters else {}
    return entry | {"cases": [case.to_document() for case in tool.cases]} if tool.cases else entry


def _shorten(document: Document, defaults: Document) -> Document:
    return {
        name: value
        for name, value in document.items()
        if name in _ALWAYS_WRITTEN or value != defaults[name]
    }
