"""Checks data sources that nobody has checked: rows may be written by any program."""

import asyncio
import logging

from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from catalog.sources.checking import find_due, inspect_row, select_faults, store_report
from gateways.engines import DatabaseSettings, inspect_source

logger = logging.getLogger(__name__)

INTERVAL_S = 5.0


async def check_due_sources(database: DatabaseThread) -> None:
    """For ever: a refusal that is found is stored, which takes the tools of that source down."""
    while True:
        try:
            for source in await database.call(find_due):
                check = await database.call(store_report, source, await inspect_row(source))
                logger.info("checked the data source %s: %s", source.name, check.state)
        except (DatabaseError, TimeoutError):
            logger.warning("data sources cannot be checked; the database is away")
        except Exception:
            # Whatever a strange database makes of a check, tools go on being served.
            logger.exception("a data source cannot be checked")
        await asyncio.sleep(INTERVAL_S)


async def warn_of_default_source(settings: DatabaseSettings | None) -> None:
    """Say in the log what is wrong with the role of the default data source.

    Whoever sets its variables runs this server, so it is served all the same.
    """
    if settings is None:
        return
    for fault in select_faults(await inspect_source(settings)):
        logger.warning("the default data source: %s", fault.text)
