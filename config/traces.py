"""Spans of the web side's requests and of background jobs; imported only where OpenTelemetry is on."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

from celery import signals
from django.conf import settings
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from access.request_ids import Application, Receive, Scope, Send
from core.trace_context import TRACEPARENT, read_traceparent
from gateways.telemetry.otlp import TelemetryExport
from gateways.telemetry.parents import find_parent, write_traceparent


@cache
def process_export() -> TelemetryExport:
    """That of this process; to be asked for behind every fork."""
    return TelemetryExport(
        settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        service=settings.OTEL_SERVICE_NAME,
        version=settings.VERSION,
        instance=str(uuid4()),
        ratio=settings.OTEL_TRACES_SAMPLER_ARG,
    )


@contextmanager
def spanning(name: str, kind: SpanKind, traceparent: object) -> Iterator[Span]:
    """A span, as a child of the one that `traceparent` names, around what is done meanwhile."""
    parent = find_parent(read_traceparent(traceparent))
    span = process_export().tracer.start_span(name, parent, kind)
    named = TRACEPARENT.set(write_traceparent(span))
    try:
        yield span
    finally:
        TRACEPARENT.reset(named)
        span.end()


def trace_jobs() -> None:
    """From now on a job of this worker has a span; one that is sent from here says which span sent it."""
    running: dict[str, tuple[ExitStack, Span]] = {}

    def publish(headers: dict[str, Any], **_signal: Any) -> None:
        if traceparent := TRACEPARENT.get():
            headers["traceparent"] = traceparent

    def begin(task_id: str, task: Any, **_signal: Any) -> None:
        stack, sender = ExitStack(), task.request.get("traceparent")
        span = stack.enter_context(spanning(f"job {task.name}", SpanKind.CONSUMER, sender))
        running[task_id] = stack, span

    def end(task_id: str, task: Any, state: str | None = None, **_signal: Any) -> None:
        stack, span = running.pop(task_id)
        span.set_attributes({"toolbuilder.job": task.name, "toolbuilder.job.state": state or ""})
        if state == "FAILURE":
            # Without the text of the error, which may hold values.
            span.set_status(Status(StatusCode.ERROR))
        stack.close()

    def close(**_signal: Any) -> None:
        # The first process of a pool has run no job, and made nothing that could be closed.
        if process_export.cache_info().currsize:
            asyncio.run(process_export().close())

    signals.before_task_publish.connect(publish, weak=False)
    signals.task_prerun.connect(begin, weak=False)
    signals.task_postrun.connect(end, weak=False)
    signals.worker_process_shutdown.connect(close, weak=False)
    signals.worker_shutdown.connect(close, weak=False)


class ClosesTraces:
    """ASGI middleware: sends what waits before the server stops; Django knows no lifespan."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await process_export().close()
        await send({"type": "lifespan.shutdown.complete"})
