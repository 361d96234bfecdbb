"""A collector of OpenTelemetry: takes what is sent over OTLP/HTTP, and keeps it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class OtlpReceiver:
    """What came: spans and metrics as protobuf has them, each span's attributes as a dict."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.metrics: list[Any] = []
        self.resources: list[dict[str, Any]] = []
        self.url = ""

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            for part in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(read_attributes(part.resource))
                self.spans += [span for scope in part.scope_spans for span in scope.spans]
        else:
            for part in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics += [one for scope in part.scope_metrics for one in scope.metrics]

    def named(self, name: str) -> Any:
        """The span of that name."""
        (span,) = [span for span in self.spans if span.name == name]
        return span


def read_attributes(holder: Any) -> dict[str, Any]:
    """Attributes of a span, a resource or a data point."""
    return {
        entry.key: getattr(entry.value, str(entry.value.WhichOneof("value")))
        for entry in holder.attributes
    }


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """Listens on a port of 127.0.0.1."""
    receiver = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
