"""Ranks with graph-tool-call; run by the Python of its own environment, which has nothing of ours.

`peer_program.py REQUEST ANSWER`: REQUEST is JSON with `tools` as an MCP server lists them, `questions`,
and `results`; ANSWER becomes a list of `{"found": [...], "cpu_ms": ...}`.
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main(request_path: str, answer_path: str) -> None:
    # By name, since it is there in its own environment only.
    graph = import_module("graph_tool_call").ToolGraph()
    request = json.loads(Path(request_path).read_text(encoding="utf-8"))
    graph.ingest_mcp_tools(request["tools"])
    answers = [rank(graph, text, request["results"]) for text in request["questions"]]
    Path(answer_path).write_text(json.dumps(answers), encoding="utf-8")


def rank(graph: Any, text: str, results: int) -> dict[str, Any]:
    before = time.thread_time_ns()
    found = graph.retrieve(text, top_k=results)
    spent = (time.thread_time_ns() - before) / 1e6
    return {"found": [tool.name for tool in found], "cpu_ms": spent}


if __name__ == "__main__":
    main(*sys.argv[1:])
