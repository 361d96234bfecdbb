"""The editor's test run of an operation, and its deadline."""

import asyncio
import json
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from catalog.sources.settings import SourceSettings
from core.http_logic import operation_text
from core.ingest.addresses import AddressRules
from core.ingest.openapi import read_openapi
from core.toolspec import HttpLogic, ToolSpec
from gateways.http.settings import HttpSettings
from tests.http_service import DOCUMENT, LocalService, Received, Reply, answering, running
from toolbuilder.editing.http_exchanges import SecretPlace, answer_to_keep
from toolbuilder.editing.http_page import show_exchanges
from toolbuilder.editing.result import show_trial
from toolbuilder.editing.trial import Trial, TrialCaller, list_entry, run_trial

pytestmark = pytest.mark.django_db

OPERATION = operation_text(read_openapi(DOCUMENT).operations[0])


def spec_of(source: str = "pets", timeout_ms: int = 30_000) -> ToolSpec:
    logic = HttpLogic(OPERATION, source)
    return ToolSpec(id=1, name="list_pets", logic=logic, timeout_ms=timeout_ms)


async def try_on(reply: Reply, spec: ToolSpec) -> tuple[Trial, LocalService]:
    """The trial of the operation on a service that is only there for it."""
    rules = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
    async with running(reply) as service:
        settings = HttpSettings(server_url=service.url, rules=rules)
        sources = SourceSettings(services={"pets": settings})
        caller = TrialCaller(username="ann")
        arguments = {"limit": 2} if spec.name == "list_pets" else {}
        trial = await sync_to_async(run_trial)(spec, arguments, sources, caller)
    return trial, service


async def test_trial_calls_the_service_as_an_agent_does() -> None:
    trial, service = await try_on(answering(b'{"pets":[]}'), spec_of())

    assert (trial.error, trial.structured) == (None, {"pets": []})
    assert trial.texts == ('{"pets":[]}',)
    assert service.received[0].target == "/v1/pets?limit=2"


async def test_trial_of_an_unknown_service_is_explained() -> None:
    trial, service = await try_on(answering(b"{}"), spec_of("cats"))

    assert str(trial.error) == "there is no HTTP service 'cats'; registered: pets"
    assert service.received == []


async def test_trial_ends_at_its_deadline() -> None:
    async def silent(_request: Received, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    trial, _service = await try_on(silent, spec_of(timeout_ms=100))

    assert "did not answer within 0.1 s" in str(trial.error)


def test_list_entry_is_what_agents_see() -> None:
    entry, tokens = list_entry(spec_of())

    assert list(entry["inputSchema"]["properties"]) == ["limit", "kind", "X-Trace"]
    assert entry["outputSchema"] == {"type": "object"}
    assert tokens > 0


def written(**parts: Any) -> ToolSpec:
    """A tool whose request a person wrote, of the items of a service."""
    given = {"method": "get", "path": "/items", **parts}
    return ToolSpec(id=1, name="items", logic=HttpLogic(json.dumps(given), "pets"))


def replying(*replies: tuple[str, bytes]) -> Reply:
    """Replies to the first request with the first status and body, and so on."""
    left = list(replies)

    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        status, body = left.pop(0)
        await answering(body, status=status)(request, writer)

    return reply


async def test_pages_are_read_until_one_is_empty() -> None:
    pages = [("200 OK", b'{"data":[1,2]}'), ("200 OK", b'{"data":[3]}'), ("200 OK", b'{"data":[]}')]
    paging = {"kind": "page", "items": "data", "parameter": "page"}

    trial, service = await try_on(replying(*pages), written(paging=paging, keep={"path": "data"}))

    assert trial.structured == {"result": [1, 2, 3]}
    targets = [request.target for request in service.received]
    assert targets == ["/v1/items?page=1", "/v1/items?page=2", "/v1/items?page=3"]
    assert [exchange.answer and exchange.answer.status for exchange in trial.exchanges] == [200] * 3


def portal_page(*titles: str) -> bytes:
    """A page as portals of Korea send it, in the charset that it names."""
    items = "".join(f"<item><title>{title}</title></item>" for title in titles)
    text = f'<?xml version="1.0" encoding="EUC-KR"?><response><items>{items}</items></response>'
    return text.encode("euc-kr")


XML_PAGING = {"kind": "page", "items": "response.items.item", "parameter": "pageNo"}


async def test_parts_of_xml_are_kept_over_its_pages() -> None:
    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        titles = {"1": ("서울", "부산"), "2": ("대구",)}.get(request.target.rpartition("=")[2], ())
        await answering(portal_page(*titles), "text/xml")(request, writer)

    keep = {"path": "response.items.item[].title"}
    trial, service = await try_on(reply, written(paging=XML_PAGING, keep=keep))

    assert (trial.error, trial.structured) == (None, {"result": ["서울", "부산", "대구"]})
    assert len(service.received) == 3
    first = {"response": {"items": {"item": [{"title": "서울"}, {"title": "부산"}]}}}
    assert json.loads(answer_to_keep(list(trial.exchanges))) == first


async def test_part_of_long_xml_is_kept() -> None:
    body = portal_page(*(f"역 {number}" for number in range(3_000)))
    keep = {"expression": 'len(response["response"]["items"]["item"])'}

    trial, _service = await try_on(answering(body, "text/xml"), written(keep=keep))

    assert (trial.error, trial.structured) == (None, {"result": 3_000})


async def test_xml_stays_a_text_where_nothing_is_kept_of_it() -> None:
    trial, _service = await try_on(answering(portal_page("서울"), "application/xml"), written())

    assert trial.structured == {"result": portal_page("서울").decode("euc-kr")}
    (shown,) = show_exchanges(trial.exchanges, SecretPlace())
    assert shown.answer == portal_page("서울").decode("euc-kr")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"<response><items>", "cannot be read: no element found", id="broken"),
        pytest.param(
            b'<!DOCTYPE r [<!ENTITY x "xx">]><r>&x;</r>',
            "a document type is not read",
            id="entities",
        ),
        pytest.param(
            b"<response><msg>SERVICE_KEY_IS_NOT_REGISTERED_ERROR</msg></response>",
            "has no items there; it has msg; the service said: .*SERVICE_KEY_IS_NOT_REGISTERED",
            id="error of the service",
        ),
    ],
)
async def test_xml_without_the_part_is_said(body: bytes, reason: str) -> None:
    keep = {"path": "response.items"}

    trial, _service = await try_on(answering(body, "text/xml"), written(keep=keep))

    assert re.search(reason, str(trial.error))


async def test_pages_end_at_their_cap_and_say_so() -> None:
    pages = [("200 OK", b'{"data":[1,2]}'), ("200 OK", b'{"data":[3,4]}')]
    paging = {"kind": "page", "items": "data", "parameter": "page", "pages": 2}

    trial, service = await try_on(replying(*pages), written(paging=paging))

    assert trial.structured == {"data": [1, 2, 3, 4]}
    assert trial.texts[1] == "(truncated: there may be more than these 4 items)"
    assert len(service.received) == 2


async def test_failure_that_may_pass_is_tried_again() -> None:
    replies = [("503 Service Unavailable", b"{}"), ("200 OK", b'{"ok":true}')]

    trial, service = await try_on(replying(*replies), written(retries=1))

    assert trial.structured == {"ok": True}
    assert len(service.received) == 2


async def test_last_failure_is_the_answer() -> None:
    replies = [("503 Service Unavailable", b'{"a":1}'), ("404 Not Found", b'{"error":"none"}')]

    trial, _service = await try_on(replying(*replies), written(retries=2))

    assert str(trial.error) == 'the service answered 404 Not Found: {"error":"none"}'
    assert [e.answer and e.answer.status for e in trial.exchanges] == [503, 404]


async def test_service_that_wants_a_longer_pause_than_there_is_time_is_not_asked_again() -> None:
    reply = answering(b"", status="429 Too Many Requests", headers={"Retry-After": "3600"})

    trial, service = await try_on(reply, written(retries=5))

    assert "429 Too Many Requests, to be asked again after 3600 s" in str(trial.error)
    assert len(service.received) == 1


async def test_part_of_the_answer_is_kept() -> None:
    keep = {"expression": '[{"n": x["a"]["b"]} for x in response["rows"]]'}
    body = b'{"rows":[{"a":{"b":1},"more":"x"},{"a":{"b":2}}]}'

    trial, _service = await try_on(answering(body), written(keep=keep))
    shown = show_trial(trial, "items", {})

    assert trial.structured == {"result": [{"n": 1}, {"n": 2}]}
    assert [column.name for column in shown.columns] == ["n"]
    assert shown.row_count == 2


async def test_part_that_is_not_there_is_named() -> None:
    trial, _service = await try_on(answering(b'{"a":1}'), written(keep={"path": "b"}))

    assert "the answer has no b there; it has a" in str(trial.error)


async def test_request_is_shown_without_its_secret() -> None:
    trial, _service = await try_on(answering(b'{"a":1}'), spec_of())
    secret = SecretPlace(header="Authorization", prefix="Bearer ", name="PETS_TOKEN")

    (shown,) = show_exchanges(trial.exchanges, secret)

    assert (shown.status, shown.phrase, shown.query) == (200, "OK", "limit=2")
    assert '-H "Authorization: Bearer $PETS_TOKEN"' in shown.curl
    assert [(header.name, header.secret) for header in shown.headers] == [
        ("Authorization", "PETS_TOKEN")
    ]
