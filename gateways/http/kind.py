"""HTTP services as a kind of data source, and the check of one before tools call it."""

import asyncio

from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    EditError,
)
from core.ingest.addresses import choose_ip
from core.ingest.requests import PlainRequest
from core.messages import message
from gateways.check_report import ConnectionReport, Finding, Level, ok, refused, warning
from gateways.engine import CheckStage, SourceKind
from gateways.http.service import HttpSource, resolve_host
from gateways.http.settings import CONNECT_TIMEOUT_S, HttpSettings
from gateways.http.tokens import ServiceTokenError

_ANSWER_WITHIN_MS = 10_000
_BEGINNING_BYTES = 1_000

HTTP = SourceKind(
    name="http",
    label="HTTP",
    address="{row.server_url}",
    needed=("server_url",),
    unused=("path", "host", "database", "options", "caller_identity"),
    ignored=("row_limit", "cell_limit", "lock_timeout_ms"),
    stages=(
        CheckStage(
            message("check.name_resolved", "Name resolved"),
            frozenset({"unknown-service", "wrong-configuration"}),
        ),
        CheckStage(message("check.address_allowed", "Address may be called")),
        CheckStage(
            message("check.service_answers", "Service answers"),
            frozenset(
                {"service-answers", "service-refuses", "service-fails", "service-unreachable"}
                | {"service-token"}
            ),
        ),
    ),
    longest_check_s=round(CONNECT_TIMEOUT_S + _ANSWER_WITHIN_MS / 1_000),
)


async def inspect_service(settings: HttpSettings, *, asks: bool = True) -> ConnectionReport:
    """Whether its name leads to addresses that may be called; if it `asks`, what a GET of its address says."""
    address = settings.address
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            found = (
                [str(address.literal_ip)]
                if address.literal_ip
                else await resolve_host(address.host, address.port)
            )
        choose_ip(address, found, settings.rules)
    except (OSError, TimeoutError):
        unknown = refused("unknown-service", "The service's name cannot be resolved now.")
        return ConnectionReport(findings=(unknown,))
    except EditError as error:
        wrong = refused(
            "wrong-configuration",
            "The data source is not set up correctly: {reason}.",
            reason=str(error).rstrip("."),
        )
        return ConnectionReport(server="HTTP", findings=(wrong,))
    allowed = ok("address-allowed", "The service's name leads to addresses that may be called.")
    if not asks:
        return ConnectionReport(server="HTTP", findings=(allowed,))
    answers = await _ask(settings)
    is_reached = answers.level is not Level.REFUSED
    return ConnectionReport(server="HTTP" if is_reached else "", findings=(allowed, answers))


async def _ask(settings: HttpSettings) -> Finding:
    """What a GET of the service's own address says of its credentials; no tool is called."""
    source = HttpSource(settings)
    try:
        answer = await source.send(
            PlainRequest("GET", source.server_url),
            byte_limit=_BEGINNING_BYTES,
            timeout_ms=_ANSWER_WITHIN_MS,
        )
    except ServiceTokenError as error:
        return refused("service-token", "No access token: {reason}.", reason=str(error).rstrip("."))
    except (DataSourceUnavailableError, DeadlineExceededError) as error:
        return refused(
            "service-unreachable",
            "The service does not answer: {reason}. Is the address right, and does it listen?",
            reason=str(error).rstrip("."),
        )
    except DataSourceError as error:
        return ok("service-answers", "The service answers ({reason}).", reason=str(error))
    finally:
        await source.close()
    if answer.status in {401, 403}:
        return warning(
            "service-refuses",
            "The service answers {status}: it refuses the secret, or wants one. Set the authentication"
            " as its documentation says, and enter the secret again.",
            status=str(answer.status),
        )
    if answer.status >= 500:
        return warning(
            "service-fails",
            "The service answers {status}; tools fail while it does.",
            status=str(answer.status),
        )
    return ok("service-answers", "The service answers ({reason}).", reason=f"HTTP {answer.status}")
