"""What a runtime does beside serving: its heartbeat row, and checks of data sources."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseError
from django.utils import timezone

from access.database_thread import DatabaseThread
from access.models import RuntimeInstance
from catalog.sources.checking import find_due, inspect_row, select_faults, store_report
from mcp_runtime.snapshot import Snapshot

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL_S = 5.0
SOURCE_CHECK_INTERVAL_S = 5.0


async def write_heartbeats(
    database: DatabaseThread,
    runtime_id: UUID,
    snapshot: Callable[[], Snapshot],
    dropped_calls: Callable[[], int],
) -> None:
    """For ever: insert or update the runtime's row, which says that it lives and what it serves."""

    def write() -> None:
        served = snapshot()
        columns = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "version": settings.VERSION,
            "revision": served.revision,
            "tool_count": len(served.tools),
            "quarantined_count": len(served.quarantined),
            "dropped_calls": dropped_calls(),
            "last_seen_at": timezone.now(),
        }
        # Not update_or_create(), which takes four more statements; nobody else writes this row.
        if not RuntimeInstance.objects.filter(id=runtime_id).update(**columns):
            RuntimeInstance.objects.create(id=runtime_id, **columns)

    while True:
        try:
            await database.call(write)
        except (DatabaseError, TimeoutError):
            logger.warning("the heartbeat waits for the database")
        await asyncio.sleep(HEARTBEAT_INTERVAL_S)


def remove_heartbeat(runtime_id: UUID) -> None:
    """Delete the row: the runtime stopped on purpose."""
    RuntimeInstance.objects.filter(id=runtime_id).delete()


async def check_due_sources(database: DatabaseThread) -> None:
    """For ever: check data sources that nobody has checked, since any program may write rows.

    A refusal is stored, which takes the tools of that source down. The variables of the default one
    are set by the operator of this server, so it is served all the same, and its faults are logged: it is
    left for the second round, in which whoever waited for the start is served already.
    """
    is_start = True
    while True:
        try:
            for source in await database.call(find_due):
                if is_start and source.is_default:
                    continue
                report = await inspect_row(source, asks_service=False)
                check = await database.call(store_report, source, report)
                logger.info("checked the data source %s: %s", source.name, check.state)
                for fault in select_faults(report) if source.is_default else ():
                    logger.warning("the default data source: %s", fault.text)
        except (DatabaseError, TimeoutError):
            logger.warning("data sources cannot be checked; the database is away")
        except Exception:
            # Whatever a strange database makes of a check, tools go on being served.
            logger.exception("a data source cannot be checked")
        is_start = False
        await asyncio.sleep(SOURCE_CHECK_INTERVAL_S)
