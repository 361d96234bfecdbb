"""What of a runtime is measured, as its settings say: for Prometheus, by OpenTelemetry, both, or nothing."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from access.calls import Call, CallOrigin
from core.execution import QuerySources
from core.results import Answer
from mcp_runtime.caller import EndsCall, WatchesCalls

if TYPE_CHECKING:
    from mcp_runtime.server import Runtime


class Observation:
    """The parts that are switched on; what is off is not even imported."""

    def __init__(self, runtime: "Runtime") -> None:
        self.watch: WatchesCalls | None = None
        self.sources: QuerySources = runtime.sources
        # That of the metrics alone, once there is one.
        self.port = 0
        # Around everything.
        self.middleware: list[Middleware] = []
        self._exposition, self._export = None, None
        watches: list[WatchesCalls] = []
        if settings.METRICS_TOKEN or settings.METRICS_PORT:
            from gateways.telemetry.exposition import Exposition  # noqa: PLC0415
            from mcp_runtime.telemetry.metrics import RefusalCounts, RuntimeMetrics  # noqa: PLC0415

            metrics = RuntimeMetrics(runtime)
            self._exposition = Exposition(metrics.collect, settings.METRICS_TOKEN)
            self.middleware = [Middleware(RefusalCounts, counts=metrics.refusals)]
            watches.append(metrics.calls)
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            from gateways.telemetry.otlp import TelemetryExport  # noqa: PLC0415
            from mcp_runtime.telemetry.traced_sources import TracedSources  # noqa: PLC0415
            from mcp_runtime.telemetry.traces import CallTraces  # noqa: PLC0415

            self._export = TelemetryExport(
                settings.OTEL_EXPORTER_OTLP_ENDPOINT,
                service=settings.OTEL_SERVICE_NAME,
                version=settings.VERSION,
                instance=str(runtime.id),
                ratio=settings.OTEL_TRACES_SAMPLER_ARG,
            )
            self.sources = TracedSources(runtime.sources, self._export.tracer)
            watches.append(CallTraces(self._export))
        if watches:
            self.watch = watches[0] if len(watches) == 1 else _Watches(watches)

    def listen(self) -> None:
        """Serve the metrics on a port of their own, where one is set."""
        if self._exposition is not None and settings.METRICS_PORT:
            host, first_port = settings.METRICS_HOST, settings.METRICS_PORT
            self.port = self._exposition.listen(host, first_port)

    async def close(self) -> None:
        """Send what waits, and listen no more."""
        if self._exposition is not None:
            await asyncio.to_thread(self._exposition.close)
        if self._export is not None:
            await self._export.close()

    async def answer_scrape(self, request: Request) -> Response:
        """The metrics at the port of the tools: with the token alone, never without one."""
        if self._exposition is None or not settings.METRICS_TOKEN:
            return Response("metrics are off at this port: METRICS_TOKEN is not set\n", 404)
        from gateways.telemetry.exposition import CONTENT_TYPE  # noqa: PLC0415 - as above

        authorization = request.headers.get("authorization", "")
        status, body = await asyncio.to_thread(self._exposition.answer, authorization)
        headers = {"www-authenticate": "Bearer"} if status == 401 else None
        return Response(body, status, headers, CONTENT_TYPE)


class _Watches:
    """Several as one; the last to begin is the first to end."""

    def __init__(self, watches: Sequence[WatchesCalls]) -> None:
        self._watches = watches

    def began(self, origin: CallOrigin) -> EndsCall:
        ends = [watch.began(origin) for watch in self._watches]

        def ended(record: Call, answer: Answer | None) -> None:
            for end in reversed(ends):
                end(record, answer)

        return ended
