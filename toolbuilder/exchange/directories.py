"""A folder with a file for each tool, toolset and data source, and one for the glossary: read, and written over."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from access.models import Toolset
from access.toolsets.models import read_toolsets
from catalog.glossary.concepts import read_entries
from catalog.models import DataSource
from core.cases.documents import read_cases
from core.errors import ImportFileError
from core.messages import message
from toolbuilder.cases.rows import snapshot_cases
from toolbuilder.exchange.exchanged import (
    ExchangedConcept,
    ExchangedSource,
    ExchangedTool,
    ExchangedToolset,
    FilePart,
    ToolFiles,
)
from toolbuilder.exchange.files import (
    FORMAT,
    SOURCE_FIELDS,
    Document,
    glossary_document,
    source_document,
    tool_document,
    toolset_document,
)
from toolbuilder.exchange.formats import read_files, require_no_faults
from toolbuilder.exchange.patching import write_document, write_over
from toolbuilder.exchange.yaml_nodes import FileFault, read_documents
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

OWNER_FILE = "toolbuilder.yaml"
GLOSSARY_FILE = "glossary.yaml"
FOLDERS = ("tools", "toolsets", "sources")
_ENDINGS = frozenset({".yaml", ".yml"})
_USERINFO = re.compile(r"//[^/@]*@")
_NO_NAME_OF_FILE = re.compile(r"[^\w.-]+")


@dataclass(slots=True)
class WrittenFiles:
    """What an export did: paths that it wrote, files that said the same, and those of tools that are not there."""

    written: list[str] = field(default_factory=list)
    unchanged: int = 0
    stale: list[str] = field(default_factory=list)


def read_directory(folder: Path) -> ToolFiles:
    """All that the files of a folder say, with every fault; paths are below the folder.

    Raises ImportFileError for a folder that is none, or that has no files of tools.
    """
    texts: dict[str, str] = {}
    unreadable: list[FileFault] = []
    for path in find_files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            texts[name] = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            fault = message("import.no_utf8", "The file cannot be read as UTF-8.")
            unreadable.append(FileFault(name, 0, 0, fault))
    owner = texts.pop(OWNER_FILE, None)
    if not texts and not unreadable and owner is None:
        raise ImportFileError(
            message(
                "import.no_folder",
                "{folder} has no YAML files in tools, toolsets or sources.",
                folder=str(folder),
            )
        )
    content = read_files(texts)
    content.faults[:0] = unreadable
    if owner is not None:
        content.owner = _read_owner(owner, content.faults)
    return content


def find_files(folder: Path) -> Iterator[Path]:
    """The files that count, in order; hidden ones do not."""
    for name in (OWNER_FILE, GLOSSARY_FILE):
        if (folder / name).is_file():
            yield folder / name
    for name in FOLDERS:
        for path in sorted((folder / name).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.suffix in _ENDINGS and path.is_file() and not hidden:
                yield path


def read_tools(rows: Iterable[ToolDefinition]) -> list[ExchangedTool]:
    """The tools of these rows, read by `ToolDefinition.objects.whole()`, with their test cases; one query."""
    tools = list(rows)
    cases = snapshot_cases([tool.pk for tool in tools])
    return [
        ExchangedTool(
            ToolDocument.of_row(tool),
            tool.is_active,
            read_cases(cases[tool.pk], "cases") if tool.pk in cases else None,
        )
        for tool in tools
    ]


def read_rows(tools: Iterable[ExchangedTool]) -> tuple[ToolFiles, list[str]]:
    """These tools with all toolsets, data sources and changed concepts, and the sources that are left out.

    A data source of an environment variable is left out: the variable says all of it.
    """
    content = ToolFiles(tools=list(tools))
    rows = {row.name: row for row in Toolset.objects.all()}
    for name, spec in sorted(read_toolsets().items()):
        row = rows[name]
        content.toolsets.append(
            ExchangedToolset(
                name=name,
                title=row.title,
                description=row.description,
                tags=tuple(row.tags if spec.tags else ()),
                tools=tuple(sorted(spec.tools)),
                review=row.review,
                owned_by_files=row.owned_by_files,
            )
        )
    sources = list(DataSource.objects.order_by("name"))
    for source in sources:
        if not source.is_from_environment:
            columns = {name: getattr(source, name) for name in SOURCE_FIELDS}
            # No form takes an address with a password, but another program may write one.
            columns["server_url"] = _USERINFO.sub("//", source.server_url)
            content.sources.append(ExchangedSource(name=source.name, columns=columns))
    for entry in read_entries():
        if entry.is_changed:
            terms = dict(entry.terms)
            content.concepts.append(
                ExchangedConcept(
                    name=entry.key, terms=terms, note=entry.note, is_active=entry.is_active
                )
            )
    return content, [source.name for source in sources if source.is_from_environment]


def write_directory(folder: Path, content: ToolFiles) -> WrittenFiles:
    """Write each part to the file that has it already, or to a new one; what people wrote beside it stays.

    Raises ImportFileError for files that cannot be read, of which nothing is overwritten.
    """
    try:
        known = read_directory(folder) if folder.exists() else ToolFiles()
    except ImportFileError:
        known = ToolFiles()
    require_no_faults(known.faults)
    documents: dict[str, tuple[Document, bool]] = {}
    kinds: tuple[tuple[str, Sequence[Any], Sequence[Any], Callable[[Any], Document]], ...] = (
        ("tools", known.tools, content.tools, tool_document),
        ("toolsets", known.toolsets, content.toolsets, toolset_document),
        ("sources", known.sources, content.sources, source_document),
    )
    done = WrittenFiles()
    for name, there, parts, to_document in kinds:
        former = {part.name: part for part in there}
        for part in parts:
            kept = former.pop(part.name, None)
            path = kept.part.path if kept else file_name(name, part.name, documents)
            documents[path] = to_document(part), kept == part
        done.stale += [part.part.path for part in former.values()]
    if content.concepts:
        is_same = known.concepts == content.concepts
        documents[GLOSSARY_FILE] = glossary_document(content.concepts), is_same
    if not (folder / OWNER_FILE).exists():
        owner = _NO_NAME_OF_FILE.sub("-", folder.resolve().name) or "tools"
        documents[OWNER_FILE] = {"toolbuilder": FORMAT, "owner": owner}, False
    for path, (document, is_same) in documents.items():
        if is_same:
            done.unchanged += 1
        else:
            target = folder / path
            text = target.read_text(encoding="utf-8-sig") if target.exists() else ""
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                write_over(text, document) if text else write_document(document), encoding="utf-8"
            )
            done.written.append(path)
    return done


def file_name(folder: str, name: str, taken: Container[str]) -> str:
    """The path of the file of a new part, which is none of those that are taken."""
    # Another program may have given a tool any name.
    stem = f"{folder}/{_NO_NAME_OF_FILE.sub('_', name).lstrip('.') or '_'}"
    while f"{stem}.yaml" in taken:
        stem += "_"
    return f"{stem}.yaml"


def _read_owner(text: str, faults: list[FileFault]) -> str:
    documents = read_documents(text, OWNER_FILE, faults)
    owner = documents[0].plain() if documents else None
    name = owner.get("owner") if isinstance(owner, dict) else None
    if isinstance(name, str) and name.strip():
        return name.strip()
    fault = message("import.owner", "The file must say whose tools these are: owner: NAME.")
    faults.append(FilePart(OWNER_FILE, documents[0] if documents else None).fault(fault, "owner"))
    return ""
