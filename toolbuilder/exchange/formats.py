"""Files of tools read together, with every fault of all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import ImportFileError
from core.messages import list_lines, message
from toolbuilder.exchange.exchanged import ToolFiles
from toolbuilder.exchange.files import read_own_form
from toolbuilder.exchange.yaml_nodes import FileFault, read_documents

MAX_FILE_CHARACTERS = 50_000_000
_FAULTS_TOLD = 100


def read_file(text: str, path: str, content: ToolFiles) -> None:
    """Add what a file says to the content; `path` is what its faults call it, '' for a pasted text."""
    if len(text) > MAX_FILE_CHARACTERS:
        fault = message("import.file_too_large", "The file is too large.")
        content.faults.append(FileFault(path, 0, 0, fault))
        return
    count = len(content.faults)
    documents = read_documents(text, path, content.faults)
    if not documents and len(content.faults) == count:
        fault = message("import.no_tools", "The file has no list called tools.")
        content.faults.append(FileFault(path, 1, 1, fault))
    read_own_form(documents, path, content)


def read_files(texts: Mapping[str, str]) -> ToolFiles:
    """All that the files say together, by path; what is there twice is a fault, and the first counts."""
    content = ToolFiles()
    for path, text in texts.items():
        read_file(text, path, content)
    parts: tuple[list[Any], ...] = (
        content.tools,
        content.toolsets,
        content.sources,
        content.concepts,
    )
    for kind in parts:
        known: dict[str, Any] = {}
        for entry in kind:
            first = known.setdefault(entry.name, entry)
            if first is not entry:
                fault = message("import.tool_twice", "{name} is there twice.", name=entry.name)
                content.faults.append(entry.part.fault(fault, "name"))
        kind[:] = known.values()
    content.faults.sort()
    return content


def read_tools_file(text: str) -> ToolFiles:
    """What one file says. Raises ImportFileError with every fault that it has, a line each."""
    content = read_files({"": text})
    require_no_faults(content.faults)
    return content


def require_no_faults(faults: Sequence[FileFault]) -> None:
    """Raise ImportFileError if there are any: a line for each, up to a hundred."""
    if faults:
        lines = [fault.message for fault in faults[:_FAULTS_TOLD]]
        if (rest := len(faults) - _FAULTS_TOLD) > 0:
            lines.append(message("import.more_faults", "and {count} more", count=rest))
        raise ImportFileError(list_lines(lines))
