"""OpenTelemetry's SDK, which sends spans and metrics over OTLP/HTTP; the only module that imports it.

The providers are ours alone and never the process's: FastMCP and the MCP SDK, which make spans with the
global one, make none, so nothing is told twice.
"""

import asyncio
from threading import Thread

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from gateways.telemetry.durations import BUCKETS_S

SCOPE = "toolbuilder"
# What has not left by then, when the process stops, is lost.
CLOSE_TIMEOUT_S = 3.0


class TelemetryExport:
    """Makes spans and durations, and sends them in threads of its own. Close it."""

    def __init__(
        self, endpoint: str, *, service: str, version: str, instance: str, ratio: float
    ) -> None:
        """`ratio` of the traces are sampled, of those that a caller has begun and sampled, too."""
        base = endpoint.rstrip("/")
        names = ("service.name", "service.version", "service.instance.id")
        resource = Resource.create(dict(zip(names, (service, version, instance), strict=True)))
        share = TraceIdRatioBased(ratio)
        self._tracers = TracerProvider(
            # A caller that samples all of its calls would have us keep all of ours.
            sampler=ParentBased(root=share, remote_parent_sampled=share),
            resource=resource,
            shutdown_on_exit=False,
        )
        self._tracers.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{base}/v1/traces"))
        )
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=f"{base}/v1/metrics"))
        # Which call a number came from is told by spans; exemplars would cost half as much again.
        self._meters = MeterProvider(
            [reader], resource, shutdown_on_exit=False, exemplar_filter=AlwaysOffExemplarFilter()
        )
        self.tracer = self._tracers.get_tracer(SCOPE, version)
        self.durations = self._meters.get_meter(SCOPE, version).create_histogram(
            "mcp.server.operation.duration",
            unit="s",
            description="Time from taking a request to its answer.",
            explicit_bucket_boundaries_advisory=BUCKETS_S,
        )

    async def close(self) -> None:
        """Send what waits, for three seconds at most."""
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def flush() -> None:
            # Both send what they have left.
            self._tracers.shutdown()
            self._meters.shutdown(CLOSE_TIMEOUT_S * 1_000)
            if not loop.is_closed():
                loop.call_soon_threadsafe(done.set)

        # No worker of the executor: the process would wait for it, and a collector may never answer.
        Thread(target=flush, name="telemetry", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await done.wait()
        except TimeoutError:
            return
