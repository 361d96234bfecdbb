"""A language model over real HTTP, whatever it answers."""

import json
import time

import pytest

from core.errors import ChatModelError, ChatModelUnavailableError
from gateways.chat_model.client import ChatModel, ChatReply, ChatSettings
from tests.chat_model import API_KEY, Answer, calling, saying, scripted_model

HELLO = [{"role": "user", "content": "Hello"}]


async def reply_to(answer: Answer, timeout_s: float = 10.0) -> ChatReply:
    with scripted_model(lambda _request: answer) as server:
        model = ChatModel(
            ChatSettings(base_url=server.url, model="m", api_key=API_KEY, timeout_s=timeout_s)
        )
        try:
            return await model.reply(HELLO, [])
        finally:
            await model.close()


async def test_words_and_calls_are_read_with_their_tokens() -> None:
    said = await reply_to(saying("<think>Hm.</think>\nHello."))
    called = await reply_to(calling("multiply", a=1))

    assert (said.text, said.requests, said.tokens_in, said.tokens_out) == ("Hello.", (), 100, 10)
    assert [(request.name, request.arguments) for request in called.requests] == [
        ("multiply", {"a": 1})
    ]


async def test_arguments_that_are_no_object_are_kept_as_written() -> None:
    message = calling("multiply")
    message["tool_calls"][0]["function"]["arguments"] = "{a: 1"

    request = (await reply_to(message)).requests[0]

    assert request.arguments is None
    assert request.written == "{a: 1"


async def test_model_gets_the_key_and_its_name() -> None:
    with scripted_model(lambda _request: saying("Hi")) as server:
        model = ChatModel(ChatSettings(base_url=f"{server.url}/", model="m", api_key=API_KEY))
        await model.reply(HELLO, [{"type": "function", "function": {"name": "f"}}])
        names = await model.list_models()
        await model.close()

    assert server.tokens == [f"Bearer {API_KEY}"]
    assert server.requests[0]["model"] == "m"
    assert server.requests[0]["tools"][0]["function"]["name"] == "f"
    assert names == ["other", "scripted"]


@pytest.mark.parametrize(
    ("answer", "text", "is_passing"),
    [
        pytest.param((401, b"{}"), "Set LLM_API_KEY", False, id="401"),
        pytest.param((403, b"{}"), "may not use the model in LLM_MODEL", False, id="403"),
        pytest.param((404, b"{}"), "Check LLM_BASE_URL and LLM_MODEL", False, id="404"),
        pytest.param((429, b"{}"), "over its limit", True, id="429"),
        pytest.param((500, b"oh"), "a fault of its own", True, id="500"),
        pytest.param((302, b""), "LLM_BASE_URL must be the address", False, id="redirect"),
        pytest.param((200, b"<html>"), "LLM_BASE_URL must be the address", False, id="a page"),
        pytest.param((200, b"[]"), "LLM_BASE_URL must be the address", False, id="a list"),
        pytest.param((200, b'{"choices": []}'), "must be the address", False, id="no choice"),
        pytest.param((200, b"x" * 4_100_000), "must be the address", False, id="too long"),
        pytest.param(saying(""), "filtered, or cut off", False, id="empty"),
    ],
)
async def test_bad_answers_name_what_would_be_right(
    answer: Answer, text: str, is_passing: bool
) -> None:
    with pytest.raises(ChatModelError, match=text) as refused:
        await reply_to(answer)

    assert isinstance(refused.value, ChatModelUnavailableError) is is_passing


async def test_reason_of_the_service_is_told_without_the_key() -> None:
    body = json.dumps({"error": {"message": f"no tools for {API_KEY}."}}).encode()

    with pytest.raises(ChatModelError, match="refuses the request: no tools for") as refused:
        await reply_to((400, body))

    assert API_KEY not in str(refused.value)


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("This model's maximum context length is 8192 tokens.", id="OpenAI, vLLM"),
        pytest.param(
            "the request exceeds the available context size, try increasing", id="llama.cpp"
        ),
        pytest.param("prompt is too long: 210000 tokens > 200000 maximum", id="Anthropic"),
    ],
)
async def test_chat_that_is_too_long_is_told_as_such(reason: str) -> None:
    body = json.dumps({"error": {"message": reason}}).encode()

    with pytest.raises(ChatModelError, match=r"The chat is too long .* Begin a new chat"):
        await reply_to((400, body))


async def test_late_and_absent_models_are_told_apart() -> None:
    def wait(_request: object) -> Answer:
        time.sleep(1)
        return saying("Late.")

    with scripted_model(wait) as server:
        late = ChatModel(ChatSettings(base_url=server.url, model="m", timeout_s=0.05))
        with pytest.raises(ChatModelUnavailableError, match=r"within 0.05 s.*LLM_TIMEOUT_S"):
            await late.reply(HELLO, [])
        await late.close()
    gone = ChatModel(ChatSettings(base_url=server.url, model="m"))
    with pytest.raises(ChatModelUnavailableError, match="Check LLM_BASE_URL and that it runs"):
        await gone.reply(HELLO, [])
