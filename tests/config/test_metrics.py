"""What real processes of each kind tell Prometheus, read by its own parser."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from access.tasks import prune_runtimes
from config.celery import app
from config.services.ports import choose_free_port, is_free
from config.services.postgres import EmbeddedPostgres
from tests.mcp_runtime.test_runmcp import database_url
from tests.otlp_receiver import OtlpReceiver, otlp_receiver, read_attributes
from tests.processes import dying_with_us
from tests.waiting import eventually

PROJECT = Path(__file__).parents[2]
TOKEN = "sesame-sesame"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
Start = Callable[..., None]


@pytest.fixture
def start(transactional_db: None, embedded_postgres: EmbeddedPostgres) -> Iterator[Start]:
    """Starts a process of ours with these variables."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(*command: str, **variables: str) -> None:
        environment = os.environ | {"DATABASE_URL": database_url()} | variables
        processes.append(
            subprocess.Popen(
                dying_with_us(sys.executable, *command),
                cwd=PROJECT,
                env=environment,
                start_new_session=True,
            )
        )

    yield run
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


def sent_to(receiver: OtlpReceiver) -> dict[str, str]:
    """The variables of a process whose spans come soon."""
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}


def find_span(receiver: OtlpReceiver, name: str) -> Any:
    """The first span of that name, None before it came."""
    return next((span for span in receiver.spans if span.name == name), None)


def choose_free_pair() -> int:
    """A free port that is followed by another."""
    while not is_free((port := choose_free_port()) + 1):
        pass
    return port


async def scrape(port: int, token: str = "") -> httpx.Response | None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient() as http:
        with suppress(httpx.TransportError):
            return await http.get(f"http://127.0.0.1:{port}/metrics", headers=headers)
    return None


async def find_sample(port: int, name: str, *labels: str, token: str = "") -> float:
    """The value of the sample with this name and at least these labels; 0 while there is none."""
    answer = await scrape(port, token)
    if answer is None or answer.status_code != 200:
        return 0.0
    return sum(
        sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == name and set(labels) <= set(sample.labels.values())
    )


@pytest.mark.slow
async def test_web_counts_requests_by_view_at_its_own_port_and_at_another_and_traces_them(
    start: Start, receiver: OtlpReceiver
) -> None:
    port, own = choose_free_port(), choose_free_port()
    command = ("manage.py", "runweb", "--port", str(port))
    start(*command, METRICS_TOKEN=TOKEN, METRICS_PORT=str(own), **sent_to(receiver))

    async def counts_pages(port: int) -> bool:
        async with httpx.AsyncClient() as http:
            with suppress(httpx.TransportError):
                await http.get(f"http://127.0.0.1:{port}/sign-in/?next=secret", headers=SAMPLED)
        name = "toolbuilder_web_request_duration_seconds_count"
        return await find_sample(port, name, "sign-in", "GET", "200", token=TOKEN) > 0

    await eventually(lambda: counts_pages(port))
    for each in (port, own):
        refused = await scrape(each)
        assert refused is not None
        assert refused.status_code == 401
    assert await find_sample(own, "process_cpu_seconds_total", token=TOKEN) > 0
    await eventually(lambda: find_span(receiver, "GET /sign-in/"))
    span = find_span(receiver, "GET /sign-in/")
    assert (span.trace_id.hex(), span.parent_span_id.hex(), span.kind) == (TRACE, PARENT, 2)
    attributes = read_attributes(span)
    assert (attributes["http.route"], attributes["http.response.status_code"]) == ("/sign-in/", 200)
    assert "secret" not in str(attributes)


@pytest.mark.slow
async def test_each_of_several_web_workers_has_a_port(start: Start) -> None:
    port, own = choose_free_port(), choose_free_pair()
    start(*("manage.py", "runweb", "--port", str(port), "--workers", "2"), METRICS_PORT=str(own))

    for each in (own, own + 1):
        await eventually(partial(find_sample, each, "process_cpu_seconds_total"))


@pytest.mark.slow
async def test_runtime_tells_of_itself_with_the_token(start: Start) -> None:
    port = choose_free_port()
    start("manage.py", "runmcp", "--port", str(port), METRICS_TOKEN=TOKEN)

    await eventually(lambda: find_sample(port, "toolbuilder_database_up", token=TOKEN))
    refused = await scrape(port)
    assert refused is not None
    assert refused.status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["threads", "prefork"])
async def test_worker_counts_and_traces_jobs(
    start: Start, redis_url: str, pool: str, receiver: OtlpReceiver
) -> None:
    own = choose_free_port()
    queue = f"metrics-{pool}"
    options = ("--pool", pool, "--concurrency", "1", "--queues", queue, "--without-mingle")
    variables = {"METRICS_PORT": str(own), **sent_to(receiver)}
    start("-m", "celery", "-A", "config.celery", "worker", *options, **variables)

    await asyncio.to_thread(app.send_task, prune_runtimes.name, queue=queue, headers=SAMPLED)

    name = "toolbuilder_job_duration_seconds_count"
    await eventually(lambda: find_sample(own, name, prune_runtimes.name, "SUCCESS"))
    await eventually(lambda: find_span(receiver, f"job {prune_runtimes.name}"))
    span = find_span(receiver, f"job {prune_runtimes.name}")
    assert (span.trace_id.hex(), span.parent_span_id.hex(), span.kind) == (TRACE, PARENT, 5)
    assert read_attributes(span)["toolbuilder.job.state"] == "SUCCESS"


def test_metrics_of_the_web_side_are_off_without_a_token(client: Client) -> None:
    answer = client.get("/metrics")

    assert answer.status_code == 404
    assert "METRICS_TOKEN" in answer.content.decode()
