"""Hears of changes: LISTEN for speed, a poll every two seconds as the truth."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import psycopg
from django.db import connection

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 2.0
REGISTRY_CHANNEL = "toolbuilder_registry"
KEYS_CHANNEL = "toolbuilder_keys"

# Django's connection parameters that psycopg's own cursors do without.
_DJANGOS_OWN = frozenset({"client_encoding", "cursor_factory", "context", "prepare_threshold"})


async def changes(on_keys_changed: Callable[[], None]) -> AsyncIterator[None]:
    """Yields after each registry notification and at least every two seconds, whatever the database does."""
    while True:
        try:
            async with await _connect() as listener:
                # What changed before LISTEN took effect was not notified. Keys are read again within
                # seconds anyway; forgetting them here would shut known callers out if the database
                # goes away once more.
                yield
                async for _ in _notifications(listener, on_keys_changed):
                    yield
        except (psycopg.Error, OSError):
            logger.warning("notifications are off while the database is away; polling")
        yield
        await asyncio.sleep(POLL_INTERVAL_S)


async def _connect() -> psycopg.AsyncConnection[tuple[object, ...]]:
    parameters = connection.get_connection_params()
    parameters = {name: value for name, value in parameters.items() if name not in _DJANGOS_OWN}
    listener = await psycopg.AsyncConnection.connect(**parameters, autocommit=True)
    await listener.execute(f"LISTEN {REGISTRY_CHANNEL}")
    await listener.execute(f"LISTEN {KEYS_CHANNEL}")
    return listener


async def _notifications(
    listener: psycopg.AsyncConnection[tuple[object, ...]], on_keys_changed: Callable[[], None]
) -> AsyncIterator[None]:
    while True:
        async for notification in listener.notifies(timeout=POLL_INTERVAL_S, stop_after=1):
            if notification.channel == KEYS_CHANNEL:
                on_keys_changed()
        yield
