"""What a runtime tells Prometheus, read by its own parser."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from prometheus_client.parser import text_string_to_metric_families

from config.metrics import web_metrics, worker_metrics
from tests.factories import ENDLESS_SQL, make_tool
from tests.mcp_runtime.conftest import Serve, Served

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "sesame-sesame"
HANDBOOK = Path(__file__).parents[3] / "docs/troubleshooting.md"


async def scrape(served: Served, token: str = TOKEN) -> httpx.Response:
    async with httpx.AsyncClient() as http:
        url = served.url.removesuffix("/mcp") + "/metrics"
        return await http.get(url, headers={"Authorization": f"Bearer {token}"})


def read_samples(text: str) -> dict[tuple[str, ...], float]:
    """Values by the name and the values of the labels, in the order of the labels' names."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def assert_metrics_are_explained(text: str) -> None:
    """Of each metric of ours the handbook says what to do, and of none that there is not."""
    told = {one().durations.family().name for one in (web_metrics, worker_metrics)}
    for family in text_string_to_metric_families(text):
        told.add(f"{family.name}_total" if family.type == "counter" else family.name)

    explained = set(re.findall(r"`(toolbuilder_\w+)`", HANDBOOK.read_text()))
    assert explained == {name for name in told if name.startswith("toolbuilder_")}


async def test_calls_are_counted_by_tool_outcome_and_lane(serve: Serve, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    await sync_to_async(make_tool)(
        "SELECT '한글' AS word FROM generate_series(1, 9) n", name="numbers", row_limit=3
    )

    async with serve() as served:
        async with served.client() as client:
            for _ in range(3):
                await client.call_tool("numbers")
            await client.call_tool("made\nup", raise_on_error=False)
        async with httpx.AsyncClient() as http:
            refused = await http.post(served.url, headers={"Authorization": "Bearer wrong"})
        found = read_samples((await scrape(served)).text)

    assert refused.status_code == 401
    calls = {key[1:]: value for key, value in found.items() if key[0] == "toolbuilder_calls_total"}
    assert sum(calls.values()) == 4
    assert sum(value for key, value in calls.items() if key[1:] == ("ok", "numbers")) == 3
    assert calls[("fastmcp", "unknown_tool", "")] == 1
    assert calls[("direct", "ok", "numbers")] >= 1
    assert found["toolbuilder_call_duration_seconds_count", "numbers"] == 3
    assert found["toolbuilder_call_duration_seconds_bucket", "+Inf", "numbers"] == 3
    assert found["toolbuilder_answer_rows_total", "numbers"] == 9
    assert found["toolbuilder_answers_truncated_total", "numbers"] == 3
    text = '[{"word":"한글"},{"word":"한글"},{"word":"한글"}]'
    assert found["toolbuilder_answer_bytes_total", "numbers"] >= 3 * len(text.encode())
    assert found["toolbuilder_requests_refused_total", "401"] >= 1
    assert found["toolbuilder_pool_size", "main_db"] == 4
    assert found["toolbuilder_pool_in_use", "main_db"] == 0
    assert found["toolbuilder_pool_waiting", "main_db"] == 0
    assert found[("toolbuilder_tools",)] == 1
    assert found[("toolbuilder_registry_revision",)] > 0
    assert found[("toolbuilder_calls_in_flight",)] == 0
    assert found[("toolbuilder_call_records_dropped_total",)] == 0
    assert ("process_resident_memory_bytes",) in found


async def test_metrics_are_for_those_with_the_token(serve: Serve, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN

    async with serve() as served:
        answers = [await scrape(served, token) for token in ("wrong", served.token)]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].headers["www-authenticate"] == "Bearer"
    assert "toolbuilder_" not in answers[0].text


@pytest.mark.parametrize("port", [0, 29_464], ids=["off", "on a port of its own"])
async def test_without_a_token_the_port_of_the_tools_has_none(
    serve: Serve, settings: Any, port: int
) -> None:
    settings.METRICS_PORT = port

    async with serve() as served:
        answer = await scrape(served)

    assert answer.status_code == 404


async def test_two_runtimes_take_a_free_port_each(serve: Serve, settings: Any) -> None:
    settings.METRICS_PORT = 29_464

    async with serve() as first, serve() as second:
        ports = [one.runtime.observation.port for one in (first, second)]
        async with httpx.AsyncClient() as http:
            answers = await asyncio.gather(
                *(http.get(f"http://127.0.0.1:{port}/metrics") for port in ports)
            )

    assert len(set(ports)) == 2
    assert all(read_samples(answer.text)[("toolbuilder_tools",)] == 0 for answer in answers)
    assert_metrics_are_explained(answers[0].text)


async def test_resting_tool_is_told(serve: Serve, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    await sync_to_async(make_tool)(
        ENDLESS_SQL, name="slow", timeout_ms=50, breaker_errors=1, breaker_minutes=1
    )

    async with serve() as served:
        await served.call("slow")
        found = read_samples((await scrape(served)).text)

    assert found["toolbuilder_tool_rests", "slow"] == 1
