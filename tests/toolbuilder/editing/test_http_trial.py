"""The editor's test run of an operation, and its deadline."""

import asyncio

import pytest
from asgiref.sync import sync_to_async

from catalog.sources.settings import SourceSettings
from core.http_logic import operation_text
from core.ingest.addresses import AddressRules
from core.ingest.openapi import read_openapi
from core.toolspec import HttpLogic, ToolSpec
from gateways.http.settings import HttpSettings
from tests.http_service import DOCUMENT, LocalService, Received, Reply, answering, running
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
        trial = await sync_to_async(run_trial)(spec, {"limit": 2}, sources, caller)
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
