"""The metrics of this process as Prometheus reads them: as text, and over a port of their own."""

import errno
import hmac
import logging
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
PATH = "/metrics"
# Of processes on one machine each takes the first port that is free.
MOST_PORTS = 100
# A client that sends half a request holds a thread no longer.
_REQUEST_TIMEOUT_S = 5.0


class _Families(Collector):
    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        return self._collect()


class MetricsAnswer(NamedTuple):
    """Status and body of an answer, which is plain text."""

    status: int
    body: bytes


class Exposition:
    """What a process tells of itself to those who bring the token; '' is asked of nobody."""

    def __init__(self, collect: Callable[[], Iterable[Metric]], token: str) -> None:
        self._token = token
        self._registry = CollectorRegistry()
        self._registry.register(_Families(collect))
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._server: ThreadingHTTPServer | None = None

    def answer(self, authorization: str) -> MetricsAnswer:
        """The text for a request with this header; to be made in a thread, for it takes milliseconds."""
        expected = f"Bearer {self._token}"
        if self._token and not hmac.compare_digest(authorization.encode(), expected.encode()):
            return MetricsAnswer(401, b"METRICS_TOKEN is needed as a bearer token\n")
        return MetricsAnswer(200, generate_latest(self._registry))

    def listen(self, host: str, first_port: int) -> int:
        """Answer over HTTP in threads, on the first free port from this one; the port, 0 where none is free."""
        exposition = self

        class Handler(BaseHTTPRequestHandler):
            timeout = _REQUEST_TIMEOUT_S

            def do_GET(self) -> None:
                status, body = 404, b"metrics are at /metrics\n"
                if self.path.partition("?")[0] == PATH:
                    status, body = exposition.answer(self.headers.get("authorization", ""))
                self.send_response(status)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                if status == 401:
                    self.send_header("WWW-Authenticate", "Bearer")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: object) -> None:
                """A scrape is no news."""

        for port in range(first_port, min(first_port + MOST_PORTS, 65_536)):
            try:
                server = _Listener((host, port), Handler)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
                logger.warning("metrics are not served: %s", error)
                return 0
            self._server = server
            Thread(target=server.serve_forever, name="metrics", daemon=True).start()
            logger.info("metrics at http://%s:%d%s", host, port, PATH)
            return port
        logger.warning("metrics are not served: no port is free from %d on", first_port)
        return 0

    def close(self) -> None:
        """Listen no more."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    # Two processes must not share a port: each would tell of itself only now and then.
    allow_reuse_address = True
    allow_reuse_port = False
