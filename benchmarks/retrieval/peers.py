"""Rankers of others over the same tools and questions."""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.tools.base import Tool as ServerTool

from benchmarks.fetched import NotFetchedError, say_skipped
from benchmarks.retrieval.fetched import fetch_peer, run_peer
from benchmarks.retrieval.measures import RESULTS, Answer
from benchmarks.retrieval.questions import Catalogue, Question, mcp_schema
from core.retrieval.model import Tool


@dataclass(frozen=True, slots=True)
class FastMCPSearch:
    """FastMCP's own search over a server's tools."""

    name: str
    transform: BM25SearchTransform
    tools: Sequence[ServerTool]

    def find(self, question: Question) -> Sequence[str]:
        found: Any = asyncio.run(self.transform._search(self.tools, question.text))
        return [tool.name for tool in found]


def fastmcp_search(catalogue: Catalogue) -> FastMCPSearch:
    """The tools behind a BM25SearchTransform that gives as many results as are measured."""
    transform = BM25SearchTransform(max_results=RESULTS)
    return FastMCPSearch("FastMCP BM25", transform, [_server_tool(t) for t in catalogue.tools])


def ask_graph_tool_call(
    catalogue: Catalogue, questions: Sequence[Question], folder: Path
) -> list[Answer]:
    """The answers of graph-tool-call without an embedding model; none, with a word, if it cannot be had."""
    try:
        python = fetch_peer(folder)
        return _ask(python, catalogue, questions)
    except NotFetchedError as error:
        say_skipped("graph-tool-call", error)
        return []


def _ask(python: Path, catalogue: Catalogue, questions: Sequence[Question]) -> list[Answer]:
    with tempfile.TemporaryDirectory(prefix="toolbuilder-peer-") as place:
        request, answer = Path(place, "request.json"), Path(place, "answer.json")
        asked = {
            "tools": [mcp_schema(tool) for tool in catalogue.tools],
            "questions": [question.text for question in questions],
            "results": RESULTS,
        }
        request.write_text(json.dumps(asked), encoding="utf-8")
        run_peer(python, request, answer)
        found = json.loads(answer.read_text(encoding="utf-8"))
    return [
        Answer(question, tuple(each["found"]), each["cpu_ms"])
        for question, each in zip(questions, found, strict=True)
    ]


def _server_tool(tool: Tool) -> ServerTool:
    schema = mcp_schema(tool)
    return ServerTool(
        name=tool.name, description=tool.description, parameters=schema["inputSchema"]
    )
