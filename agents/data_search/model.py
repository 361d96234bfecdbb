"""The language model behind the agents: OpenAI-compatible, by ADK's own class or by LiteLLM, or recorded."""

import asyncio
import importlib
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import openai
from google.adk.integrations.openai import OpenAILlm
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from httpx import Timeout

from agents.data_search.environment import Environment
from agents.data_search.faults import LanguageModelError, SettingError
from agents.data_search.recordings import find_replies

_CONNECT_TIMEOUT_S = 5.0
# A local server asks for no key, but the client sends one always.
_NO_KEY = "unused"
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (openai.AuthenticationError, "model_key"),
    (openai.PermissionDeniedError, "model_forbidden"),
    (openai.NotFoundError, "model_missing"),
    (openai.RateLimitError, "model_limit"),
    (TimeoutError, "model_late"),
    (openai.BadRequestError, "model_request"),
    (openai.InternalServerError, "model_fault"),
)
_UNREADABLE = "model_unreadable"
_QUESTION = re.compile(r"^## Question\n(.*?)(?=\n\n## |\Z)", re.MULTILINE | re.DOTALL)
# Services answer a wrong name with either.
_MAYBE_UNKNOWN = {"model_missing", "model_request"}
_LISTED_MODELS = 10
# How long a model may take by the question's budget, and that budget; no service is sent them.
TIME_LEFT_LABEL = "toolbuilder_seconds_left"
TIME_BUDGET_LABEL = "toolbuilder_seconds"
# Where ADK says which agent asks.
_AGENT_LABEL = "adk_agent_name"


class BoundedLlm(BaseLlm):
    """A model each of whose answers has a deadline, and whose faults are LanguageModelError."""

    inner: BaseLlm
    deadline_s: float

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The model's responses. Raises LanguageModelError."""
        labels = llm_request.config.labels or {}
        left_s = float(labels.pop(TIME_LEFT_LABEL, self.deadline_s))
        deadline = asyncio.get_running_loop().time() + min(self.deadline_s, left_s)
        llm_request.model = self.inner.model
        responses = self.inner.generate_content_async(llm_request, stream)
        try:
            while (response := await _next_response(responses, deadline)) is not None:
                yield response
        except LanguageModelError as error:
            if error.code == "model_late" and left_s < self.deadline_s:
                limit = labels.get(TIME_BUDGET_LABEL, "")
                raise LanguageModelError("budget_time", limit=limit) from error
            if error.code in _MAYBE_UNKNOWN and (names := await self._find_other_models()):
                raise LanguageModelError("model_unknown", names=", ".join(names)) from error
            raise
        finally:
            await responses.aclose()

    async def _find_other_models(self) -> list[str]:
        """What the service has, if that is not the model that was asked for; else nothing."""
        if not isinstance(self.inner, OpenAILlm) or self.inner.client is None:
            return []
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                served = [model.id async for model in self.inner.client.models.list()]
        except (openai.OpenAIError, TimeoutError, ValueError, TypeError, AttributeError):
            return []
        return [] if self.inner.model in served else served[:_LISTED_MODELS]

    async def close(self) -> None:
        """Close the connections; the model is of no use afterwards."""
        if isinstance(self.inner, OpenAILlm) and self.inner.client is not None:
            await self.inner.client.close()


class RecordedModel(BaseLlm):
    """No model: the replies that were recorded for the demo's questions, by question and agent."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The reply of the agent that asks. Raises LanguageModelError for a question not recorded."""
        question = _QUESTION.search(str(llm_request.config.system_instruction))
        replies = find_replies(question[1]) if question else None
        if replies is None:
            raise LanguageModelError("not_recorded")
        own = replies[(llm_request.config.labels or {})[_AGENT_LABEL]]
        parts = [part for content in llm_request.contents for part in content.parts or []]
        lookups = sum(part.function_response is not None for part in parts)
        reply = own[min(lookups, len(own) - 1)]
        if tool := reply.get("tool"):
            part = types.Part.from_function_call(name=tool, args=reply["arguments"])
        else:
            part = types.Part.from_text(text=reply["text"])
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def make_model(environment: Environment) -> BoundedLlm:
    """The model that the environment names. Raises SettingError."""
    inner: BaseLlm
    if environment.is_recorded:
        inner = RecordedModel(model="recorded")
    elif environment.llm_backend == "litellm":
        inner = _make_litellm(environment)
    else:
        client = openai.AsyncOpenAI(
            base_url=environment.llm_base_url,
            api_key=environment.llm_api_key or _NO_KEY,
            timeout=Timeout(environment.llm_timeout_s, connect=_CONNECT_TIMEOUT_S),
            max_retries=1,
        )
        inner = OpenAILlm(model=environment.llm_model, client=client)
    return BoundedLlm(model=inner.model, inner=inner, deadline_s=environment.llm_timeout_s)


def _make_litellm(environment: Environment) -> BaseLlm:
    try:
        # An extra, which takes seconds to import.
        litellm: Any = importlib.import_module("litellm")
        from google.adk.models.lite_llm import LiteLlm  # noqa: PLC0415
    except ImportError as error:
        raise SettingError(
            "LLM_BACKEND=litellm needs litellm; install requirements-agent-litellm.in, or use openai"
        ) from error
    # Else it prints advice about its issue tracker with each fault.
    litellm.suppress_debug_info = True
    name = environment.llm_model
    return LiteLlm(
        model=name if "/" in name else f"openai/{name}",
        api_base=environment.llm_base_url,
        api_key=environment.llm_api_key or _NO_KEY,
        timeout=environment.llm_timeout_s,
    )


async def _next_response(
    responses: AsyncIterator[LlmResponse], deadline: float
) -> LlmResponse | None:
    """The next response, or None at the end. Raises LanguageModelError."""
    try:
        async with asyncio.timeout_at(deadline):
            response = await anext(responses, None)
    except (openai.OpenAIError, TimeoutError) as error:
        raise LanguageModelError(_find_code(error)) from error
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        # A web page under the address, say: the client trips over its answer.
        raise LanguageModelError(_UNREADABLE) from error
    if response and response.error_code and not response.content:
        # Filtered, or cut off before its first word.
        raise LanguageModelError("model_empty")
    return response


def _find_code(error: Exception) -> str:
    # LiteLLM reports a server that is away as one with a fault of its own; the cause says it.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, openai.APIConnectionError):
            return (
                "model_late" if isinstance(error, openai.APITimeoutError) else "model_unreachable"
            )
        cause = cause.__cause__ or cause.__context__
    codes = (code for kind, code in _CODES if isinstance(error, kind))
    return next(codes, _UNREADABLE)
