"""The language model behind the agents: OpenAI-compatible, by ADK's own class or by LiteLLM."""

import asyncio
import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

import openai
from google.adk.integrations.openai import OpenAILlm
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from httpx import Timeout
from pydantic import PrivateAttr

from agents.data_search.environment import Environment
from agents.data_search.faults import LanguageModelError, SettingError

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


class BoundedLlm(BaseLlm):
    """A model each of whose answers has a deadline, and whose faults are LanguageModelError."""

    inner: BaseLlm
    deadline_s: float

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The model's responses. Raises LanguageModelError."""
        deadline = asyncio.get_running_loop().time() + self.deadline_s
        llm_request.model = self.inner.model
        responses = self.inner.generate_content_async(llm_request, stream)
        try:
            while (response := await _next_response(responses, deadline)) is not None:
                yield _refuse_empty(response)
        finally:
            await responses.aclose()

    async def close(self) -> None:
        """Close the connections; the model cannot be asked after it."""
        await _close(self.inner)


class ScriptedDemoLlm(BaseLlm):
    """The demo's scripted model: its server starts with the first question, in a thread of this process."""

    _inner: OpenAILlm | None = PrivateAttr(default=None)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        if self._inner is None:
            # Here, because a run with a real model has no use for the demo's server.
            from agents.data_search.demo_llm.serving import start_in_thread  # noqa: PLC0415

            base_url = await asyncio.to_thread(start_in_thread)
            self._inner = _make_openai(self.model, Environment(llm_base_url=base_url))
        async for response in self._inner.generate_content_async(llm_request, stream):
            yield response


async def _close(model: BaseLlm | None) -> None:
    if isinstance(model, ScriptedDemoLlm):
        await _close(model._inner)
    elif isinstance(model, OpenAILlm) and model.client is not None:
        await model.client.close()


def make_model(environment: Environment) -> BoundedLlm:
    """The model that the environment names. Raises SettingError."""
    inner = _make_inner(environment)
    return BoundedLlm(model=inner.model, inner=inner, deadline_s=environment.llm_timeout_s)


def _make_inner(environment: Environment) -> BaseLlm:
    if environment.is_demo:
        # As above: only the demo needs it.
        from agents.data_search.demo_llm.serving import MODEL_NAME  # noqa: PLC0415

        return ScriptedDemoLlm(model=environment.llm_model or MODEL_NAME)
    if environment.llm_backend == "litellm":
        return _make_litellm(environment)
    return _make_openai(environment.llm_model, environment)


def _make_openai(model: str, environment: Environment) -> OpenAILlm:
    client = openai.AsyncOpenAI(
        base_url=environment.llm_base_url,
        api_key=environment.llm_api_key or _NO_KEY,
        timeout=Timeout(environment.llm_timeout_s, connect=_CONNECT_TIMEOUT_S),
        max_retries=1,
    )
    return OpenAILlm(model=model, client=client)


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
            return await anext(responses, None)
    except (openai.OpenAIError, TimeoutError) as error:
        raise LanguageModelError(_find_code(error)) from error
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        # A server that is none, such as a web page under the address: the client trips over its answer.
        raise LanguageModelError(_UNREADABLE) from error


def _refuse_empty(response: LlmResponse) -> LlmResponse:
    """The response. Raises LanguageModelError for one that was filtered, or cut off before its first word."""
    if response.error_code and not response.content:
        raise LanguageModelError("model_empty")
    return response


def _find_code(error: Exception) -> str:
    # LiteLLM reports a server that is away as one with a fault of its own.
    if any(isinstance(cause, openai.APIConnectionError) for cause in _causes(error)):
        return "model_late" if isinstance(error, openai.APITimeoutError) else "model_unreachable"
    found = (code for kind, code in _CODES if isinstance(error, kind))
    return next(found, _UNREADABLE)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised from or while handling."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__
