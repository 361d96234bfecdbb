"""A language model that answers as a test says, over OpenAI's HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
# What the model says to a request: its message, with a `finish_reason` if that matters, or a status and a body.
Answer = dict[str, Any] | tuple[int, bytes]
API_KEY = "llm-secret-4711"


def calling(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A message that asks for one call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def saying(text: str) -> dict[str, Any]:
    """A message of words."""
    return {"role": "assistant", "content": text}


def question_of(request: Request) -> str:
    """What the person asked last."""
    asked = [said["content"] for said in request["messages"] if said["role"] == "user"]
    return str(asked[-1])


def answers_of(request: Request) -> list[str]:
    """What the tools have answered since the last question."""
    roles = [said["role"] for said in request["messages"]]
    last = len(roles) - roles[::-1].index("user")
    return [said["content"] for said in request["messages"][last:] if said["role"] == "tool"]


@dataclass
class ScriptedModel:
    """The model at `url`; `answer` may be replaced, `requests` are those that it got, oldest first."""

    answer: Callable[[Request], Answer]
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


@contextmanager
def scripted_model(answer: Callable[[Request], Answer]) -> Iterator[ScriptedModel]:
    """Serves from threads on a free port of this machine."""
    model = ScriptedModel(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, json.dumps({"data": [{"id": "scripted"}, {"id": "other"}]}).encode())

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.requests.append(request)
            model.tokens.append(self.headers.get("Authorization", ""))
            said = model.answer(request)
            if isinstance(said, tuple):
                return self._send(*said)
            usage = {"prompt_tokens": 100, "completion_tokens": 10}
            message = {name: value for name, value in said.items() if name != "finish_reason"}
            choice = {"index": 0, "message": message, "finish_reason": said.get("finish_reason")}
            body = {"choices": [choice], "usage": usage}
            return self._send(200, json.dumps(body).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
