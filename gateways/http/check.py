"""What an administrator is told of an HTTP service before tools call it."""

import asyncio

from core.errors import EditError
from core.ingest.addresses import choose_ip
from gateways.checks.report import ConnectionReport, Finding, ok, refused
from gateways.http.service import resolve_host
from gateways.http.settings import CONNECT_TIMEOUT_S, HttpSettings


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
        found_none = refused("unknown-service", "The service's name cannot be resolved now.")
        return ConnectionReport(findings=(found_none,))
    except EditError as error:
        reason = str(error).rstrip(".")
        return ConnectionReport(server="HTTP", findings=(_wrong(reason),))
    fine = ok("address-allowed", "The service's name leads to addresses that may be called.")
    return ConnectionReport(server="HTTP", findings=(fine,))


def _wrong(reason: str) -> Finding:
    return refused(
        "wrong-configuration",
        "The data source is not set up correctly: {reason}.",
        reason=reason,
    )
