"""The embedding client against a server that answers badly, late or not at all."""

import asyncio
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from core.errors import EmbeddingError, EmbeddingUnavailableError
from gateways import circuit
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole
from tests.gateways.embeddings.scripted_server import (
    Reply,
    ScriptedServer,
    answer,
    cut_connection,
    data,
    length_vectors,
    reversed_vectors,
    scripted,
    silence,
    slowly,
    vectors,
)
from tests.waiting import LIMIT_S, eventually

KEY = "sk-verysecret123"


def make_client(server: ScriptedServer, **changes: Any) -> EmbeddingClient:
    settings = EmbeddingSettings(url=server.url, model="bge-m3-ko", api_key=KEY, timeout_s=30.0)
    return EmbeddingClient(replace(settings, **changes))


async def embed(server: ScriptedServer, *texts: str, **changes: Any) -> list[list[float]]:
    client = make_client(server, **changes)
    try:
        return (await client.embed(texts, TextRole.QUERY)).vectors
    finally:
        await client.close()


async def failure(*replies: Reply, texts: tuple[str, ...] = ("a",), **changes: Any) -> str:
    """The text of the error."""
    async with scripted(*replies) as server:
        with pytest.raises(EmbeddingError) as refusal:
            await embed(server, *texts, **changes)
    return str(refusal.value)


async def test_request_is_the_one_of_the_openai_interface() -> None:
    async with scripted(vectors) as server:
        await embed(server, "사용자 이름")

    (asked,) = server.asked
    assert asked.path == "/v1/embeddings"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.content == {
        "model": "bge-m3-ko",
        "input": ["사용자 이름"],
        "encoding_format": "float",
    }


@pytest.mark.parametrize(
    ("style", "sent"),
    [
        ("input_type", {"input": ["a"], "input_type": "passage"}),
        ("prefix", {"input": ["passage: a"]}),
        ("none", {"input": ["a"]}),
    ],
)
async def test_role_is_sent_in_the_style_of_the_model(style: str, sent: dict[str, Any]) -> None:
    async with scripted(vectors) as server:
        client = make_client(server, role_style=style)
        await client.embed(["a"], TextRole.PASSAGE)
        await client.close()

    constant = {"model": "bge-m3-ko", "encoding_format": "float"}
    assert server.asked[0].content == constant | sent


async def test_no_key_sends_no_authorization() -> None:
    async with scripted(vectors) as server:
        await embed(server, "a", api_key="")

    assert "authorization" not in server.asked[0].headers


async def test_vectors_are_put_in_the_order_of_the_texts() -> None:
    texts = [f"text {number:03}{chr(97 + number % 26)}" for number in range(100)]

    async with scripted(reversed_vectors) as server:
        got = await embed(server, *texts)

    assert got == length_vectors(texts)
    assert [len(asked.content["input"]) for asked in server.asked] == [32, 32, 32, 4]


async def test_answer_without_indexes_is_in_order_already() -> None:
    async with scripted(data([1.0], [2.0], indexes=[None, None])) as server:
        assert await embed(server, "a", "b") == [[1.0], [2.0]]


async def test_long_texts_go_in_small_requests() -> None:
    async with scripted(vectors) as server:
        await embed(server, "a" * 900, "b" * 900, "c" * 900, "d")

    assert [len(asked.content["input"]) for asked in server.asked] == [2, 2]


async def test_no_texts_need_no_server() -> None:
    client = EmbeddingClient(EmbeddingSettings(url="http://127.0.0.1:1", model="m"))

    result = await client.embed([], TextRole.QUERY)

    assert (result.vectors, result.truncated, result.dimension) == ([], (), 0)


@pytest.mark.parametrize("text", ["", " ", "\u00a0\n", "\0"], ids=["none", "blank", "nbsp", "nul"])
async def test_empty_text_is_refused_with_its_position(text: str) -> None:
    assert await failure(vectors, texts=("a", text)) == (
        "text 2 of 2 is empty; leave it out, or give it words"
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (data([1.0, 2.0], [1.0]), "vectors of different dimensions (1, 2)"),
        (data([1.0], [float("nan")]), "a vector with NaN or infinity"),
        (data([1.0], [float("inf")]), "a vector with NaN or infinity"),
        (data([1.0], [10**400]), "a vector with NaN or infinity"),
        (data([1.0], "AACAPw=="), "a vector that is not a list of numbers"),
        (data([1.0], [None]), "a vector that is not a list of numbers"),
        (data([1.0], [True]), "a vector that is not a list of numbers"),
        (data([1.0], []), "a vector that is not a list of numbers"),
        (data([1.0]), "gave 1 vectors for 2 texts"),
        (data([1.0], [2.0], [3.0]), "gave 3 vectors for 2 texts"),
        (data([1.0], [2.0], indexes=[0, 0]), "left out a text, or gave two vectors for one"),
        (data([1.0], [2.0], indexes=[0, 2]), "left out a text, or gave two vectors for one"),
        (data([1.0], [2.0], indexes=[0, "1"]), "do not say which texts they are of"),
        (answer("<html>Welcome</html>"), "did not answer with JSON; TEXT_EMBEDDING_MODEL_URL must"),
        (answer(""), "did not answer with JSON"),
        (answer('{"data": {}}'), "has no list of vectors in `data`"),
        (answer('{"embeddings": [[1.0]]}'), "has no list of vectors in `data`"),
        (answer("[1, 2]"), "has no list of vectors in `data`"),
    ],
    ids=[
        *("two-dimensions", "nan", "infinity", "huge", "base64", "null", "boolean", "no-numbers"),
        *("too-few", "too-many", "twice-the-same", "gap", "text-index", "html", "nothing"),
        *("no-list", "other-interface", "no-objects"),
    ],
)
async def test_unusable_answer_is_refused_with_the_reason(reply: Reply, said: str) -> None:
    assert said in await failure(reply, texts=("a", "b"))


async def test_other_dimension_than_the_set_one_is_refused() -> None:
    assert await failure(vectors, dimension=4) == (
        "the embedding model gave vectors of dimension 3 where 4 is set;"
        " correct TEXT_EMBEDDING_DIMENSION or TEXT_EMBEDDING_MODEL_NAME"
    )


async def test_dimension_that_changes_between_requests_is_refused() -> None:
    replies = (data([1.0, 2.0]), data([1.0]))

    assert "different dimensions (1, 2)" in await failure(*replies, texts=("a", "b"), batch_size=1)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "refused the key; check TEXT_EMBEDDING_API_KEY"),
        (403, "refused the key; check TEXT_EMBEDDING_API_KEY"),
        (404, "has no such address or model (status 404); check TEXT_EMBEDDING_MODEL_NAME"),
        (302, "has no such address or model (status 302)"),
        (400, "refused the texts (status 400)"),
        (413, "refused the texts (status 413)"),
    ],
)
async def test_refusal_says_what_to_look_at_and_is_not_repeated(status: int, said: str) -> None:
    async with scripted(answer("<html/>", status)) as server:
        with pytest.raises(EmbeddingError, match="the embedding server") as refusal:
            await embed(server, "a")

    assert said in str(refusal.value)
    assert not isinstance(refusal.value, EmbeddingUnavailableError)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "too long for KEY at http://10.0.0.1:8000/x, use sk-other12***9"}}',
        '{"error": "too long for KEY; Bearer abcdef"}',
        '{"detail": "too long for \\n KEY (hf_abcdefghij)"}',
    ],
    ids=["openai", "plain", "detail"],
)
async def test_words_of_the_server_are_shown_without_keys_and_addresses(body: str) -> None:
    text = await failure(answer(body.replace("KEY", KEY), 400))

    assert text.startswith("the embedding server refused the texts (status 400): too long for …")
    for secret in (KEY, "10.0.0.1", "sk-other", "abcdef"):
        assert secret not in text


@pytest.mark.parametrize(
    "fault",
    [
        answer("busy", 429),
        answer("busy", 429, Retry_After="1"),
        answer("", 500),
        answer("", 502),
        answer("", 503, Retry_After="soon"),
        cut_connection,
    ],
    ids=["429", "retry-after", "500", "502", "503", "cut"],
)
async def test_passing_fault_is_overcome(fault: Reply) -> None:
    async with scripted(fault, vectors) as server:
        assert await embed(server, "ab") == length_vectors(["ab"])

    assert len(server.asked) == 2


async def test_date_in_retry_after_is_waited_for() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)

    async with scripted(answer("busy", 503, Retry_After=soon), vectors) as server:
        assert await embed(server, "ab") == length_vectors(["ab"])


@pytest.mark.parametrize(
    ("fault", "requests", "said"),
    [
        (answer("", 429), 3, "the embedding server has too many requests; retry later"),
        (answer("", 429, Retry_After="60"), 1, "the embedding server has too many requests"),
        (answer("", 503), 3, "the embedding server is not ready (status 503); retry later"),
        (answer("", 500), 3, "the embedding server failed (status 500); retry later"),
        (cut_connection, 3, "the connection to the embedding server was lost; retry later"),
    ],
    ids=["429", "long-wait", "503", "500", "cut"],
)
async def test_lasting_fault_is_told_after_three_requests(
    fault: Reply, requests: int, said: str
) -> None:
    async with scripted(fault) as server:
        with pytest.raises(EmbeddingUnavailableError) as refusal:
            await embed(server, "a")

    assert said in str(refusal.value)
    assert len(server.asked) == requests


async def test_silent_server_is_given_up_and_the_next_caller_told_at_once(
    never_held_up: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit, "DOWN_S", 600.0)
    async with scripted(silence) as server:
        client = make_client(server, timeout_s=0.2)
        for _ in range(3):
            with pytest.raises(EmbeddingUnavailableError, match=r"did not answer within 0\.2 s"):
                await client.embed(["a"], TextRole.QUERY)
        await client.close()

    assert len(server.asked) == 1


async def test_slow_server_is_stopped_by_the_limit_of_the_whole_call() -> None:
    async with scripted(silence) as server:
        with pytest.raises(EmbeddingUnavailableError, match=r"embedding took longer than 0\.5 s"):
            await embed(server, *"abcdefgh", batch_size=1, total_timeout_s=0.5)


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


async def test_absent_server_is_told_without_its_address() -> None:
    client = EmbeddingClient(EmbeddingSettings(url=free_address(), model="m"))

    with pytest.raises(EmbeddingUnavailableError) as refusal:
        await client.embed(["a"], TextRole.QUERY)

    assert str(refusal.value) == (
        "the embedding server cannot be reached; retry later, or check TEXT_EMBEDDING_MODEL_URL"
    )
    await client.close()


@pytest.mark.parametrize(("url", "model"), [("", "m"), ("http://h", "")], ids=["url", "model"])
async def test_missing_setting_is_named(url: str, model: str) -> None:
    client = EmbeddingClient(EmbeddingSettings(url=url, model=model))

    with pytest.raises(EmbeddingUnavailableError, match="set TEXT_EMBEDDING_MODEL_URL and"):
        await client.embed(["a"], TextRole.QUERY)


async def test_server_that_is_back_is_used_again() -> None:
    async with scripted(silence, vectors) as server:
        client = make_client(server, timeout_s=0.5)
        errors = 0

        async with asyncio.timeout(LIMIT_S):
            while True:
                try:
                    result = await client.embed(["a"], TextRole.QUERY)
                    break
                except EmbeddingUnavailableError:
                    errors += 1
                    await asyncio.sleep(0.05)
        await client.close()

    assert result.vectors == length_vectors(["a"])
    assert errors


async def test_hundred_calls_share_a_few_connections() -> None:
    texts = [f"text {number}" for number in range(100)]

    async with scripted(slowly(0.01)) as server:
        client = make_client(server)
        calls = [client.embed([text], TextRole.QUERY) for text in texts]
        results = await asyncio.gather(*calls)
        await client.close()

    assert [result.vectors for result in results] == [length_vectors([text]) for text in texts]
    assert server.most_in_flight <= 4


async def test_question_does_not_wait_for_passages() -> None:
    async with scripted(*[silence] * 4, vectors) as server:
        client = make_client(server)
        passages = [asyncio.create_task(client.embed([text], TextRole.PASSAGE)) for text in "abcd"]
        await eventually(lambda: len(server.asked) == 4)

        result = await client.embed(["question"], TextRole.QUERY)

        for task in passages:
            task.cancel()
        await asyncio.gather(*passages, return_exceptions=True)
        await client.close()
    assert result.vectors == length_vectors(["question"])


async def test_call_that_is_given_up_leaves_the_client_usable() -> None:
    async with scripted(silence, vectors) as server:
        client = make_client(server, max_requests=1)
        task = asyncio.create_task(client.embed(["a"], TextRole.QUERY))
        await eventually(lambda: len(server.asked) == 1)

        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        result = await client.embed(["b"], TextRole.QUERY)
        await client.close()
    assert result.vectors == length_vectors(["b"])
