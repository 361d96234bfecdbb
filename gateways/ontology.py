"""`OntologyBuilder`: tools taken in from wherever they are described, for programs that use the search as a library."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import httpx

from core.errors import ImportFileError
from core.ingest.documents import read_document
from core.library import ToolGraph, tools_of_openapi
from core.messages import message
from core.retrieval.model import Tool
from core.toolspec import JsonValue

# GitHub's document has 12 MB.
DOCUMENT_BYTES = 50_000_000
FETCH_TIMEOUT_S = 30.0


class OntologyBuilder(ToolGraph):
    """A graph of tools that reads OpenAPI documents of any kind and lists of MCP tools.

    `add_tool`, `ingest_mcp_tools`, `attributes` and `similarity` are the graph's.
    """

    def ingest_openapi(
        self, source: Mapping[str, JsonValue] | str | Path, *, server_name: str = ""
    ) -> list[Tool]:
        """Take in the operations of an OpenAPI 3 or Swagger 2.0 document, with annotations by HTTP methods.

        `source` is the document, its text (JSON or YAML), the path of a file, or an address. The address is
        fetched as it is: one that comes from somebody else has to be checked before. `server_name` is added
        to the tags. Raises ImportFileError for what cannot be read.
        """
        document = source if isinstance(source, Mapping) else read_document(_read_text(source))
        tools = tools_of_openapi(document)
        if server_name:
            tools = [replace(tool, tags=(*tool.tags, server_name)) for tool in tools]
        for tool in tools:
            self.add_tool(tool)
        return tools


def _read_text(source: str | Path) -> str:
    """The text of a document, which a string may be, lead to, or name."""
    text = str(source)
    if isinstance(source, str) and text.startswith(("http://", "https://")) and " " not in text:
        return _fetch(text)
    if isinstance(source, str) and ("\n" in text or text.lstrip()[:1] in {"{", ""}):
        return text
    path = Path(source)
    try:
        if path.stat().st_size > DOCUMENT_BYTES:
            raise _too_large()
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ImportFileError(
            message("ontology.no_file", "the file {name} cannot be read as UTF-8", name=path.name)
        ) from error


def _fetch(address: str) -> str:
    chunks: list[bytes] = []
    size = 0
    try:
        with httpx.stream(
            "GET", address, timeout=FETCH_TIMEOUT_S, follow_redirects=True
        ) as response:
            response.raise_for_status()
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > DOCUMENT_BYTES:
                    raise _too_large()
                chunks.append(chunk)
        return b"".join(chunks).decode("utf-8")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeDecodeError) as error:
        raise ImportFileError(
            message("ontology.no_answer", "the address does not answer with a document")
        ) from error


def _too_large() -> ImportFileError:
    return ImportFileError(
        message(
            "ontology.too_large",
            "the document is larger than {count} MB",
            count=DOCUMENT_BYTES // 1_000_000,
        )
    )
