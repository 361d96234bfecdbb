"""An OpenAI-compatible server that calls one demo tool and tells what it answered.

It is no language model: it calls `get_user_daily_limit` where that is among the tools that it is
given, and what it says is made of the tool's own answer, so that without the tool there is none.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOOL = "get_user_daily_limit"
WITHOUT_TOOL = "No tool can tell."


@contextmanager
def serve_scripted_model() -> Iterator[str]:
    """The server's address as LLM_BASE_URL wants it, on a free port of the loopback interface."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _ChatCompletions) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join(timeout=10)


class _ChatCompletions(BaseHTTPRequestHandler):
    """`POST /v1/chat/completions`, not streamed; everything else is 404."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions" or request.get("stream"):
            self.send_error(404)
            return
        body = json.dumps(_complete(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests' output is theirs."""


def _complete(request: dict[str, Any]) -> dict[str, Any]:
    message = _next_message(request["messages"], request.get("tools") or [])
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def _next_message(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The tool's answer in a sentence, else the tool's call, else that there is no such tool."""
    if messages[-1]["role"] == "tool":
        return _say(_tell(messages[-1]["content"]))
    if TOOL not in [tool["function"]["name"] for tool in tools]:
        return _say(WITHOUT_TOOL)
    function = {"name": TOOL, "arguments": json.dumps({"user_name": "hong"})}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _say(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _tell(content: str | list[dict[str, Any]]) -> str:
    """The limit that the tool's rows name; clients hand on its text alone or as a list of parts."""
    text = content if isinstance(content, str) else content[0]["text"]
    rows = json.loads(text)
    # The Agents SDK hands on a single part as itself, in JSON.
    if isinstance(rows, dict):
        rows = json.loads(rows["text"])
    return f"{rows[0]['user_nm']} may call {rows[0]['max_count']} times a day."
