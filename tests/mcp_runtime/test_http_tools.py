"""Operations of an ingested document, switched on and called over MCP."""

import json
import logging
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command

from catalog.models import Authentication, DataSource
from tests.http_service import DOCUMENT, LocalService, answering, running
from tests.mcp_runtime.conftest import Serve
from toolbuilder.taking_up.ingesting import (
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "hunter2hunter2"


@pytest.fixture(autouse=True)
def _local_host_is_allowed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setenv("PETS_TOKEN", SECRET)


@sync_to_async
def ingest(service: LocalService, **columns: Any) -> None:
    """The document's tools on that service, switched on."""
    reading = read_openapi_text(json.dumps(DOCUMENT))
    source = find_service("pets", service.url, reading)
    save_service(source)
    given = {"authentication": Authentication.BEARER, "password_reference": "env:PETS_TOKEN"}
    DataSource.objects.filter(pk=source.pk).update(**given | columns)
    outcomes = list(apply_ingest(plan_ingest(reading, source).operations, "ann"))
    assert [outcome.refusal for outcome in outcomes] == [None, None, None]
    ToolDefinition.objects.update(is_active=True)


async def test_operation_is_called_over_mcp(serve: Serve) -> None:
    async with running(answering(b'{"pets":["Tom"]}')) as service:
        await ingest(service)
        async with serve() as served, served.client() as client:
            result = await client.call_tool("list_pets", {"limit": 5, "kind": "cat"})
            tools = {tool.name: tool for tool in await client.list_tools()}

    assert result.structured_content == {"pets": ["Tom"]}
    assert result.content[0].text == '{"pets":["Tom"]}'
    assert service.received[0].target == "/v1/pets?limit=5&kind=cat"
    assert service.received[0].headers["authorization"] == f"Bearer {SECRET}"
    added, listed = tools["add_pet"], tools["list_pets"]
    assert added.annotations.read_only_hint is False
    assert listed.annotations.read_only_hint is True
    assert listed.input_schema["properties"]["limit"]["anyOf"][0]["maximum"] == 50
    assert added.input_schema["properties"]["name"]["minLength"] == 2
    assert added.input_schema["required"] == ["name"]


async def test_nested_body_is_checked_and_sent(serve: Serve) -> None:
    async with running(answering(b"[1]")) as service:
        await ingest(service)
        async with serve() as served:
            wrong = await served.call("add_pet", name="Tom", owner={"mail": "x", "age": -1})
            right = await served.call("add_pet", name="Tom", owner={"mail": "a@b"})

    assert wrong.is_error
    assert "owner.mail: " in wrong.content[0].text
    assert "owner.age: " in wrong.content[0].text
    assert right.structured_content == {"result": [1]}
    (received,) = service.received
    assert json.loads(received.body) == {"name": "Tom", "owner": {"mail": "a@b"}}


async def test_error_of_the_service_is_an_error_without_secrets(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    body = f"no such pet for {SECRET}".encode()
    async with running(answering(body, "text/plain", status="404 Not Found")) as service:
        await ingest(service)
        async with serve() as served:
            result = await served.call("get_pet", id="7")

    assert result.is_error
    text = "the service answered 404 Not Found: no such pet for ***"
    assert result.content[0].text == text
    assert SECRET not in caplog.text


HOSTILE = [
    ("list_pets", {"X-Trace": "1\r\nX-Admin: 1"}),
    ("get_pet", {"id": ".."}),
    ("get_pet", {"id": "a\r\nHost: x"}),
    ("get_pet", {}),
]


async def test_hostile_arguments_are_never_sent_and_redirects_not_followed(serve: Serve) -> None:
    where = {"Location": "http://169.254.169.254/"}
    async with running(answering(b"", status="302 Found", headers=where)) as service:
        await ingest(service)
        async with serve() as served:
            hostile = [await served.call(tool, **arguments) for tool, arguments in HOSTILE]
            sent = len(service.received)
            redirected = await served.call("get_pet", id="7")

    assert all(result.is_error for result in hostile)
    assert sent == 0
    assert redirected.is_error
    assert "redirects are not followed" in redirected.content[0].text
    assert "169.254" not in redirected.content[0].text


async def test_service_that_is_not_allowed_takes_its_tools_down(
    serve: Serve, settings: Any
) -> None:
    async with running(answering(b"{}")) as service:
        await ingest(service)
        settings.HTTP_ALLOWED_HOSTS = []
        async with serve() as served:
            names = await served.names()

    assert names == []
    assert service.received == []


async def test_tool_is_called_from_the_command_line(
    transactional_db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(answering(b'{"pets":[]}')) as service:
        await ingest(service)
        await sync_to_async(call_command)("tools", "call", "get_pet", "id=7")

    assert capsys.readouterr().out == '{"pets":[]}\n'
