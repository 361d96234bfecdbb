"""Answers of a language model over `/chat/completions`, with the tools that it may ask for."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from core.errors import ChatModelError, ChatModelUnavailableError
from core.messages import foreign, message
from core.tokens import estimate_tokens
from gateways.http.bodies import redact
from gateways.http.client import AnswerTooLargeError, ServerAnswer, ServerClient, is_untrusted

CONNECT_TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 4_000_000
MAX_MODELS = 200
_REASON_CHARACTERS = 300
# Models that reason aloud put it before their answer.
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)

# As OpenAI, vLLM, llama.cpp, Ollama and Anthropic's proxies say it.
_TOO_LONG = re.compile(r"context (length|size|window)|prompt is too long", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """Where the model is; `base_url` ends in /v1, as a rule."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout_s: float = 60.0

    @property
    def is_complete(self) -> bool:
        """Whether there is a model to ask."""
        return bool(self.base_url and self.model)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call that the model asks for; `arguments` is None where what it wrote, `written`, is no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    written: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model says: words, calls of tools or both. Tokens are estimated if it does not count them.

    `is_cut` says that it had more to say than it may in one answer.
    """

    text: str
    requests: tuple[ToolRequest, ...]
    tokens_in: int
    tokens_out: int
    is_cut: bool = False


class ChatModel:
    """Speaks with one model; belongs to one event loop. Close it at the end."""

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        self._client = ServerClient(
            settings.base_url.rstrip("/"),
            settings.api_key,
            connect_timeout_s=CONNECT_TIMEOUT_S,
            max_answer_bytes=MAX_ANSWER_BYTES,
        )

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> ChatReply:
        """The model's answer to messages in OpenAI's form, not streamed.

        Raises ChatModelError, which names the setting that would be right, and
        ChatModelUnavailableError where the same request may work later.
        """
        request: dict[str, Any] = {"model": self.settings.model, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        body = json.dumps(request, ensure_ascii=False).encode()
        return _read_reply(await self._ask("POST", "/chat/completions", body), body)

    async def list_models(self) -> list[str]:
        """Names of the service's models, in order. Raises as `reply`."""
        match await self._ask("GET", "/models"):
            case {"data": list(rows)}:
                names = {row["id"] for row in rows if isinstance(row, dict) and row.get("id")}
                return sorted(name for name in names if isinstance(name, str))[:MAX_MODELS]
        raise ChatModelError(_UNREADABLE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask(self, method: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                answer = await self._client.request(method, path, body=body)
        except TimeoutError as error:
            seconds = f"{self.settings.timeout_s:g}"
            raise ChatModelUnavailableError(
                message(
                    "chat_model.late",
                    "The language model did not answer within {seconds} s. Try again, or raise"
                    " LLM_TIMEOUT_S.",
                    seconds=seconds,
                )
            ) from error
        except AnswerTooLargeError as error:
            raise ChatModelError(_UNREADABLE) from error
        except httpx.RequestError as error:
            raise ChatModelUnavailableError(
                _UNTRUSTED if is_untrusted(error) else _UNREACHABLE
            ) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise ChatModelError(_UNREADABLE) from error
        if answer.status >= 300:
            raise _refusal(answer, self.settings.api_key)
        try:
            document = json.loads(answer.body)
        except ValueError as error:
            raise ChatModelError(_UNREADABLE) from error
        if not isinstance(document, dict):
            raise ChatModelError(_UNREADABLE)
        return document


def _read_reply(document: Mapping[str, Any], body: bytes) -> ChatReply:
    match document:
        case {"choices": [{"message": dict(answer), **choice}, *_]}:
            pass
        case _:
            raise ChatModelError(_UNREADABLE)
    content = answer.get("content")
    text = _THOUGHT.sub("", content).strip() if isinstance(content, str) else ""
    asked = answer.get("tool_calls")
    requests = tuple(
        _read_request(call, number)
        for number, call in enumerate(asked if isinstance(asked, list) else ())
    )
    if not (text or requests):
        raise ChatModelError(_EMPTY)
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    estimates = (body.decode(), text + "".join(request.written for request in requests))
    tokens_in, tokens_out = (
        count if isinstance(count, int) and count >= 0 else estimate_tokens(estimate)
        for count, estimate in zip(counts, estimates, strict=True)
    )
    is_cut = choice.get("finish_reason") == "length"
    return ChatReply(text, requests, tokens_in, tokens_out, is_cut)


def _read_request(call: object, number: int) -> ToolRequest:
    match call:
        case {"function": {"name": str(name), **function}}:
            # Some services send the arguments as an object, or none, and no id.
            written = function.get("arguments") or "{}"
            written = written if isinstance(written, str) else json.dumps(written)
            identity = call.get("id")  # type: ignore[attr-defined]
            try:
                arguments = json.loads(written)
            except ValueError:
                arguments = None
            given = arguments if isinstance(arguments, dict) else None
            return ToolRequest(str(identity or f"call_{number}"), name[:200], given, written)
    raise ChatModelError(_UNREADABLE)


def _refusal(answer: ServerAnswer, api_key: str) -> ChatModelError:
    if text := _REFUSALS.get(answer.status):
        return ChatModelError(text)
    if answer.status == 429 or answer.status >= 500:
        return ChatModelUnavailableError(_LIMIT if answer.status == 429 else _FAULT)
    if answer.status < 400:
        return ChatModelError(_UNREADABLE)
    reason = _find_reason(redact(answer.body, (api_key,) if api_key else ()))
    if _TOO_LONG.search(reason):
        return ChatModelError(
            message(
                "chat_model.too_long",
                "The chat is too long for the language model: {reason}. Begin a new chat, choose a"
                " toolset with fewer tools, or use a model with a longer context.",
                reason=foreign(reason),
            )
        )
    return ChatModelError(
        message(
            "chat_model.request",
            "The language model refuses the request: {reason}. Check that LLM_MODEL can call tools.",
            reason=foreign(reason) if reason else str(answer.status),
        )
    )


def _find_reason(body: bytes) -> str:
    """What the service says of it, '' for nothing; services do not agree on the form."""
    try:
        document = json.loads(body)
    except ValueError:
        return ""
    match document:
        case (
            {"error": {"message": str(reason)}} | {"error": str(reason)} | {"message": str(reason)}
        ):
            return " ".join(reason.split())[:_REASON_CHARACTERS].rstrip(".")
    return ""


_REFUSALS = {
    401: message(
        "chat_model.key", "The language model refuses the key. Set LLM_API_KEY to a valid one."
    ),
    403: message(
        "chat_model.forbidden", "The key in LLM_API_KEY may not use the model in LLM_MODEL."
    ),
    404: message(
        "chat_model.missing", "The language model is not found. Check LLM_BASE_URL and LLM_MODEL."
    ),
}
_LIMIT = message(
    "chat_model.limit", "The language model is over its limit. Wait, or raise its quota."
)
_UNREACHABLE = message(
    "chat_model.unreachable",
    "The language model does not answer. Check LLM_BASE_URL and that it runs.",
)
_UNTRUSTED = message(
    "chat_model.untrusted",
    "The certificate of the language model's service is not trusted here. Check LLM_BASE_URL.",
)
_FAULT = message("chat_model.fault", "The language model has a fault of its own. Try again later.")
_EMPTY = message(
    "chat_model.empty",
    "The language model gave no answer: it was filtered, or cut off at the token limit. Ask in"
    " other words, or use another model.",
)
_UNREADABLE = message(
    "chat_model.unreadable",
    "The language model's answer cannot be read. LLM_BASE_URL must be the address of an"
    " OpenAI-compatible service.",
)
