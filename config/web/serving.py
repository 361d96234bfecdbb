"""`manage.py runweb`: serve the web side over HTTP."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import uvicorn

from config import env
from core.errors import ConfigurationError
from gateways.http_server.limits import HttpLimits
from gateways.http_server.serving import server_options

GRACEFUL_STOP_S = 3


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal; the command's exit status."""
    parser = ArgumentParser(f"{env.PROGRAM} runweb", description="Serve the web side over HTTP.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=3002, help="port to listen on")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error("--workers must be 1 or more")
    from django.conf import settings  # noqa: PLC0415

    # It says what the settings depend on, so it is imported before they are read.
    import config.asgi  # noqa: F401, PLC0415

    try:
        limits = HttpLimits.read(settings)
    except ConfigurationError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    if settings.METRICS_PORT and options.workers == 1:
        from config.metrics import web_metrics  # noqa: PLC0415 - only where metrics are on

        web_metrics().listen()
    uvicorn.run(
        "config.asgi:application",
        host=options.host,
        port=options.port,
        workers=options.workers,
        # Of use to traces alone, which are sent at the end.
        lifespan="on" if settings.OTEL_EXPORTER_OTLP_ENDPOINT else "off",
        # Whose headers count says TRUSTED_PROXIES; uvicorn would believe any loopback client.
        proxy_headers=False,
        timeout_graceful_shutdown=GRACEFUL_STOP_S,
        **server_options(limits),
    )
    return 0
