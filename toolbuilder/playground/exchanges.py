"""What the playground exchanges with the language model and with the served side."""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from django.conf import settings

from core.errors import DataSourceError, DataSourceUnavailableError
from core.formatting import format_cell
from core.tokens import estimate_tokens
from gateways.chat_model.client import ChatModel, ChatReply, ChatSettings
from gateways.mcp_client.channel import McpChannel
from gateways.mcp_client.session import MODERN_VERSION, McpSession
from toolbuilder.playground.identity import AgentAccess
from tools.source_loop import Work, shared_loop

# What a model is given of one answer, and a page of one table.
MAX_ANSWER_CHARACTERS = 20_000
MAX_ROWS_SHOWN = 20
MAX_COLUMNS_SHOWN = 12
_MAX_CELL_CHARACTERS = 200
_MAX_BYTES = 30_000_000
_MCP_TIMEOUT_S = 60.0
SEARCH_TOOL, CALL_TOOL = "search_tools", "call_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """What a call gave, as it is stored: `text` is all that the model gets of it, `length` what there was.

    `columns` and `rows` are the beginning of a table as texts; `row_count` is None for another answer.
    """

    text: str
    length: int
    tokens: int
    ms: float
    request_id: str = ""
    is_error: bool = False
    row_count: int | None = None
    columns: list[str] | None = None
    rows: list[list[str]] | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer as `entries` have it."""
        return asdict(self)


def chat_settings(model: str = "") -> ChatSettings:
    """The model of the settings, or another one of the same service."""
    return ChatSettings(
        base_url=settings.LLM_BASE_URL,
        model=model or settings.LLM_MODEL,
        api_key=settings.LLM_API_KEY,
        timeout_s=settings.LLM_TIMEOUT_S,
    )


def run_step(work: Work[Any], key: str) -> Any:
    """What the work gives, from a request of a page; `stop_step` of the key ends it with StoppedError."""
    return shared_loop().run(work, None, timeout_s=step_timeout_s(), key=key)


def step_timeout_s() -> float:
    """How long a step may take at most: an answer of the model, or calls of a few tools."""
    return float(settings.LLM_TIMEOUT_S) + 2 * _MCP_TIMEOUT_S


@asynccontextmanager
async def open_agent(
    access: AgentAccess, headers: Mapping[str, str] | None = None
) -> AsyncGenerator[McpSession]:
    """The served side as an agent with the key has it, limits and records included."""
    channel = McpChannel(access.to_settings())
    try:
        yield McpSession(channel, _MAX_BYTES, MODERN_VERSION, headers=headers or {})
    finally:
        await channel.close()


async def list_functions(access: AgentAccess) -> list[dict[str, Any]]:
    """The tools that the key is listed now, as functions of OpenAI's form. Raises DataSourceError."""
    async with open_agent(access) as agent:
        listed = await agent.list_tools()
    functions = []
    for tool in listed:
        match tool:
            case {"name": str(name), "inputSchema": dict(schema), **more}:
                function = {
                    "name": name,
                    "description": str(more.get("description") or more.get("title") or ""),
                    "parameters": schema,
                }
                functions.append({"type": "function", "function": function})
    return functions


async def ask_model(
    model: str, messages: Sequence[Mapping[str, Any]], functions: Sequence[Mapping[str, Any]]
) -> ChatReply:
    """One answer of the model. Raises ChatModelError."""
    client = ChatModel(chat_settings(model))
    try:
        return await client.reply(messages, functions)
    finally:
        await client.close()


async def list_models() -> list[str]:
    """Names of the models that the service has. Raises ChatModelError."""
    client = ChatModel(chat_settings())
    try:
        return await client.list_models()
    finally:
        await client.close()


async def call_tool(access: AgentAccess, name: str, arguments: Mapping[str, Any]) -> CallAnswer:
    """The answer of one call, a refusal included. Raises DataSourceUnavailableError if nobody answers."""
    request_id = f"playground-{uuid4().hex}"
    began = time.perf_counter()
    is_error, texts, content = False, [], {}
    try:
        async with open_agent(access, {"x-request-id": request_id}) as agent:
            result = await agent.call_tool(name, arguments)
    except DataSourceUnavailableError:
        raise
    except DataSourceError as error:
        is_error, texts = True, [str(error)]
    else:
        is_error = bool(result.get("isError"))
        blocks = result.get("content")
        texts = [
            str(block.get("text", f"[{block.get('type', 'content')}]"))
            for block in (blocks if isinstance(blocks, list) else [])
            if isinstance(block, dict)
        ]
        structured = result.get("structuredContent")
        content = structured if isinstance(structured, dict) else {}
    text = "\n".join(texts)
    cut = text[:MAX_ANSWER_CHARACTERS]
    if len(text) > len(cut):
        cut += f"\n[cut: {len(cut)} of {len(text)} characters]"
    row_count = content.get("row_count")
    return CallAnswer(
        text=cut,
        length=len(text),
        tokens=estimate_tokens(text),
        ms=(time.perf_counter() - began) * 1_000,
        request_id=request_id,
        is_error=is_error,
        row_count=row_count if isinstance(row_count, int) else None,
        **_show_table(content),
    )


def _show_table(content: Mapping[str, Any]) -> dict[str, Any]:
    match content:
        case {"columns": list(columns), "rows": list(rows)}:
            shown = [row for row in rows[:MAX_ROWS_SHOWN] if isinstance(row, list)]
            return {
                "columns": [str(column)[:_MAX_CELL_CHARACTERS] for column in columns][
                    :MAX_COLUMNS_SHOWN
                ],
                "rows": [
                    [format_cell(cell)[:_MAX_CELL_CHARACTERS] for cell in row[:MAX_COLUMNS_SHOWN]]
                    for row in shown
                ],
            }
    return {}


def called_name(name: str, arguments: Mapping[str, Any] | None) -> str:
    """The tool that is called: for `call_tool` the one that it is to call."""
    inner = (arguments or {}).get("name")
    return inner if name == CALL_TOOL and isinstance(inner, str) and inner else name


def called_arguments(name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The arguments of the tool that is called."""
    if arguments is None or called_name(name, arguments) == name:
        return dict(arguments) if arguments is not None else None
    inner = arguments.get("arguments")
    return inner if isinstance(inner, dict) else {}
