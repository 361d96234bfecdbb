"""HTTP services as a kind of data source, and the check of one before tools call it."""

import asyncio

from core.errors import EditError
from core.ingest.addresses import choose_ip
from core.messages import message
from gateways.check_report import ConnectionReport, ok, refused
from gateways.engine import CheckStage, SourceKind
from gateways.http.service import resolve_host
from gateways.http.settings import CONNECT_TIMEOUT_S, HttpSettings

HTTP = SourceKind(
    name="http",
    address="{row.server_url}",
    needed=("server_url",),
    unused=("path", "host", "database", "options"),
    stages=(
        CheckStage(
            message("check.name_resolved", "Name resolved"),
            frozenset({"unknown-service", "wrong-configuration"}),
        ),
        CheckStage(message("check.address_allowed", "Address may be called")),
    ),
    longest_check_s=round(CONNECT_TIMEOUT_S),
)


async def inspect_service(settings: HttpSettings) -> ConnectionReport:
    """Whether its name leads to addresses that may be called; nothing is sent there."""
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
    return ConnectionReport(server="HTTP", findings=(allowed,))
