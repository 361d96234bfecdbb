"""The client of a remote catalogue against a real HTTP server, good, bad and away."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.errors import (
    ConfigurationError,
    DocumentServerError,
    DocumentServerUnavailableError,
    UnknownTableError,
)
from gateways import circuit
from gateways.document_server.client import DocumentServerClient, DocumentServerSettings
from tests.gateways.embeddings.scripted_server import (
    Reply,
    answer,
    cut_connection,
    scripted,
    silence,
)

TABLES = answer('{"tables": [{"name": "stores"}], "total": 1, "more": true}')
INFO = answer('{"table_name": "t", "connection_code": {}}')
Ask = Callable[[DocumentServerClient], Awaitable[dict[str, Any]]]


async def ask(ask: Ask, *replies: Reply, token: str = "", timeout_s: float = 30) -> Any:
    """The answer, and the addresses that were asked."""
    async with scripted(*replies) as server:
        settings = DocumentServerSettings(url=server.url, token=token, timeout_s=timeout_s)
        client = DocumentServerClient(settings)
        try:
            return await ask(client), server.asked
        finally:
            await client.close()


@pytest.mark.parametrize(
    ("tell", "reply", "path"),
    [
        pytest.param(lambda client: client.summaries(), TABLES, "/api/tables", id="summaries"),
        pytest.param(
            lambda client: client.summaries("売"), TABLES, "/api/tables?tag=%E5%A3%B2", id="tag"
        ),
        pytest.param(lambda client: client.tags(), answer('{"tags": []}'), "/api/tags", id="tags"),
        pytest.param(
            lambda client: client.details(["a", 'b,"c']),
            TABLES,
            "/api/tables?names=a%2C%22b%2C%22%22c%22",
            id="details",
        ),
        pytest.param(
            lambda client: client.connection("a/b?표"),
            INFO,
            "/api/tables/a%2Fb%3F%ED%91%9C/connection",
            id="connection",
        ),
        pytest.param(
            lambda client: client.connection(".."),
            INFO,
            "/api/tables/%2E%2E/connection",
            id="name of dots",
        ),
    ],
)
async def test_each_answer_has_its_address(tell: Ask, reply: Reply, path: str) -> None:
    told, asked = await ask(tell, reply, token=" mcp_key\n")

    assert told
    assert asked[0].path == path
    assert asked[0].headers["authorization"] == "Bearer mcp_key"


async def test_answer_is_passed_on_whole() -> None:
    told, _ = await ask(DocumentServerClient.summaries, TABLES)

    assert told == {"tables": [{"name": "stores"}], "total": 1, "more": True}


@pytest.mark.parametrize("trouble", [cut_connection, answer("", 503), answer("{}", 500)])
async def test_failed_request_is_asked_once_more(trouble: Reply) -> None:
    told, asked = await ask(DocumentServerClient.summaries, trouble, TABLES)

    assert told["total"] == 1
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("trouble", "text"),
    [
        pytest.param(cut_connection, "cannot be reached; try again later", id="cut"),
        pytest.param(answer("", 502), "is not ready (status 502)", id="not ready"),
    ],
)
async def test_server_in_trouble_is_said_without_its_address(trouble: Reply, text: str) -> None:
    with pytest.raises(DocumentServerUnavailableError) as caught:
        await ask(DocumentServerClient.tags, trouble)

    assert text in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


async def test_silent_server_has_a_deadline() -> None:
    with pytest.raises(DocumentServerUnavailableError, match=r"did not answer within 0\.2 s; try"):
        await ask(DocumentServerClient.tags, silence, timeout_s=0.2)


async def test_server_that_is_down_is_told_at_once_to_the_next_callers(
    never_held_up: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit, "DOWN_S", 600.0)
    async with scripted(silence) as server:
        client = DocumentServerClient(DocumentServerSettings(url=server.url, timeout_s=0.2))
        results = [await asyncio.gather(client.tags(), return_exceptions=True) for _ in range(3)]
        await client.close()

    assert len(server.asked) == 1
    assert {type(result).__mro__[1] for [result] in results} == {DocumentServerUnavailableError}


async def test_no_server_at_all_is_said() -> None:
    client = DocumentServerClient(DocumentServerSettings(url="http://127.0.0.1:9"))

    with pytest.raises(DocumentServerUnavailableError, match="cannot be reached"):
        await client.tags()
    await client.close()


def refused(status: int, error: str, message: str) -> Reply:
    return answer(json.dumps({"error": error, "message": message}), status)


@pytest.mark.parametrize(
    ("reply", "kind", "text"),
    [
        pytest.param(
            refused(404, "unknown_table", 'no table "x"; did you mean y?'),
            UnknownTableError,
            'no table "x"; did you mean y?',
            id="unknown table",
        ),
        pytest.param(
            refused(401, "unauthorized", "secret"),
            DocumentServerError,
            "the document server does not accept DOCUMENT_SERVER_TOKEN;"
            " it must be a valid API key of that server",
            id="token",
        ),
        pytest.param(
            refused(403, "forbidden", "no"),
            DocumentServerError,
            "the API key in DOCUMENT_SERVER_TOKEN does not have this tool on the document server",
            id="right",
        ),
        pytest.param(
            refused(400, "bad_request", "names must be 1 to 50"),
            DocumentServerError,
            "the document server refused the request: names must be 1 to 50",
            id="request",
        ),
        pytest.param(
            answer("<html>", 404),
            DocumentServerError,
            "the document server has no data catalogue at this address (status 404);"
            " DOCUMENT_SERVER_URL must lead to a server with a data catalogue,"
            " as in http://localhost:3002",
            id="another server",
        ),
        *(
            pytest.param(
                answer(body),
                DocumentServerError,
                "the document server did not answer as a data catalogue does;"
                " DOCUMENT_SERVER_URL must lead to a server with a data catalogue,"
                " as in http://localhost:3002",
                id=f"answer {body}",
            )
            for body in ("", "<html>", "[]", '{"tables": {}}', '{"tables": null}')
        ),
        pytest.param(
            answer("a" * (8 * 1024 * 1024 + 1)),
            DocumentServerError,
            "the document server's answer is too large; ask for fewer tables",
            id="too large",
        ),
    ],
)
async def test_refusal_says_what_would_be_right(reply: Reply, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        await ask(lambda client: client.details(["x"]), reply)

    assert str(caught.value) == text


@pytest.mark.parametrize("names", [["표" * 400] * 50], ids=["long"])
async def test_names_too_long_for_an_address_are_refused(names: list[str]) -> None:
    client = DocumentServerClient(DocumentServerSettings(url="http://127.0.0.1:9"))

    with pytest.raises(DocumentServerError, match="ask for fewer tables"):
        await client.details(names)
    with pytest.raises(UnknownTableError, match="no table has so long a name"):
        await client.connection("표" * 1_000)


@pytest.mark.parametrize(
    ("url", "complete"),
    [
        ("http://localhost:3002", "http://localhost:3002/api"),
        (" https://data.example/ ", "https://data.example/api"),
        ("http://h/api", "http://h/api"),
        ("http://h/tools/api/?x=1#y", "http://h/tools/api"),
    ],
)
def test_address_may_be_written_in_any_form(url: str, complete: str) -> None:
    assert DocumentServerSettings(url=url).url == complete


@pytest.mark.parametrize("url", ["localhost:3002", "ftp://h", "http://", "http://h:x", "a b"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="DOCUMENT_SERVER_URL must be"):
        DocumentServerSettings(url=url)


def test_token_with_strange_characters_is_refused_and_never_shown() -> None:
    with pytest.raises(ConfigurationError, match="DOCUMENT_SERVER_TOKEN has characters"):
        DocumentServerSettings(url="http://h", token="mcp_ü")
    assert "mcp_a" not in repr(DocumentServerSettings(url="http://h", token="mcp_a"))
