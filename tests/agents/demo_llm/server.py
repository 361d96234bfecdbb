"""OpenAI's chat completions over HTTP, answered by the script; whole or streamed."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.agents.demo_llm.answers import Answer, answer
from tests.agents.demo_llm.prompt import read_prompt
from tests.agents.demo_llm.variants import NOTICE, Variant

BODY_LIMIT_BYTES = 20_000_000
_CHUNK_LETTERS = 40
_DONE = "data: [DONE]\n\n"
# Longer than any caller waits; hanging up, or the end of the server, ends it at once.
_NEVER_S = 3_600
# What a token is in the usage figures, about.
_LETTERS_PER_TOKEN = 4


def create_app() -> Starlette:
    """The server; it keeps nothing between requests."""
    return Starlette(
        routes=[
            Route("/v1/models", list_models),
            Route("/v1/chat/completions", complete, methods=["POST"]),
        ]
    )


async def list_models(request: Request) -> Response:
    """The scripted model and its variants."""
    models = [{"id": variant.value, "object": "model", "owned_by": NOTICE} for variant in Variant]
    return JSONResponse({"object": "list", "data": models})


async def complete(request: Request) -> Response:
    """One completion; a body that is none is refused in OpenAI's form."""
    body = await request.body()
    if len(body) > BODY_LIMIT_BYTES:
        return _refuse(413, f"a request may have {BODY_LIMIT_BYTES} bytes")
    try:
        asked = json.loads(body)
        variant = Variant(asked["model"])
        messages = asked["messages"]
    except (ValueError, KeyError, TypeError):
        return _refuse(400, f"`messages` and a `model` of {[v.value for v in Variant]} are needed")
    if not isinstance(messages, list) or not messages:
        return _refuse(400, "`messages` must be a list that is not empty")
    if variant is Variant.NEVER_ANSWERS:
        await _wait_for_hanging_up(request)
    given = answer(read_prompt(asked), variant)
    if asked.get("stream"):
        return StreamingResponse(_stream(asked, given), media_type="text/event-stream")
    return JSONResponse(_completion(asked, given))


async def _wait_for_hanging_up(request: Request) -> None:
    async with asyncio.timeout(_NEVER_S):
        while (await request.receive())["type"] != "http.disconnect":
            pass


def _completion(asked: Mapping[str, Any], given: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": given.text or None}
    if given.tool:
        message["tool_calls"] = _tool_calls(given)
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(given)}
    return {**_head(asked, "chat.completion"), "choices": [choice], "usage": _usage(asked, given)}


async def _stream(asked: Mapping[str, Any], given: Answer) -> AsyncIterator[str]:
    head = _head(asked, "chat.completion.chunk")
    for delta in _deltas(given):
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "finish_reason": _finish_reason(given)}
    yield _event({**head, "choices": [last]})
    if (asked.get("stream_options") or {}).get("include_usage"):
        yield _event({**head, "choices": [], "usage": _usage(asked, given)})
    yield _DONE


def _deltas(given: Answer) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    text = given.text
    deltas += [
        {"content": text[i : i + _CHUNK_LETTERS]} for i in range(0, len(text), _CHUNK_LETTERS)
    ]
    if given.tool:
        deltas.append({"tool_calls": [{"index": 0, **_tool_calls(given)[0]}]})
    return deltas


def _tool_calls(given: Answer) -> list[dict[str, Any]]:
    arguments = json.dumps(given.arguments or {}, ensure_ascii=False)
    function = {"name": given.tool, "arguments": arguments}
    return [{"id": f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function}]


def _finish_reason(given: Answer) -> str:
    return "tool_calls" if given.tool else "stop"


def _head(asked: Mapping[str, Any], kind: str) -> dict[str, Any]:
    identity = f"chatcmpl-{uuid.uuid4().hex[:24]}"
    return {"id": identity, "object": kind, "created": int(time.time()), "model": asked["model"]}


def _usage(asked: Mapping[str, Any], given: Answer) -> dict[str, int]:
    prompt = len(json.dumps(asked["messages"], ensure_ascii=False)) // _LETTERS_PER_TOKEN
    completion = len(given.text + json.dumps(given.arguments or "")) // _LETTERS_PER_TOKEN
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


def _event(chunk: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def _refuse(status: int, message: str) -> Response:
    kind = "invalid_request_error"
    return JSONResponse({"error": {"message": message, "type": kind}}, status_code=status)
