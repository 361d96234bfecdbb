"""The breakers of this process: a tool that keeps failing is left alone for a while, and its callers are told."""

import asyncio
import logging
import math
import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from uuid import UUID

from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from core.breaker import REST_S, Breaker
from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DeadlineExceededError,
    ToolboxError,
    ToolRestsError,
)
from core.execution import CompiledTool
from core.messages import message
from mcp_runtime.snapshot import ServedTool
from tools.registry import store_resting

logger = logging.getLogger(__name__)

WRITE_INTERVAL_S = 1.0
# SQLSTATE class 22: what PostgreSQL says of values, such as a division by zero.
_DATA_EXCEPTION = "22"
_UNGUARDED = nullcontext()


class Breakers:
    """Of the tools that have a rule. Belongs to one event loop, and knows only this process's calls."""

    def __init__(self, database: DatabaseThread, runtime_id: UUID) -> None:
        self._database, self._runtime_id = database, runtime_id
        self._breakers: dict[int, Breaker] = {}
        self._names: dict[int, str] = {}
        self._has_changed = asyncio.Event()

    def enter(self, tool: ServedTool) -> AbstractContextManager[None]:
        """Around the call, whose end it notes; nothing for a tool without a rule. Raises ToolRestsError."""
        if not isinstance(tool, CompiledTool) or (rule := tool.spec.breaker) is None:
            return _UNGUARDED
        breaker = self._breakers.get(tool.spec.id)
        if breaker is None or breaker.rule != rule:
            breaker = self._breakers[tool.spec.id] = Breaker(rule)
        self._names[tool.spec.id] = tool.spec.name
        tried = breaker.is_open
        if wait_s := breaker.wait_s(time.monotonic()):
            raise ToolRestsError(
                message(
                    "tool.rests",
                    "{name} failed {errors} times within {minutes} min and rests; it is tried"
                    " again in {seconds} s",
                    name=tool.spec.name,
                    errors=str(rule.errors),
                    minutes=str(rule.minutes),
                    seconds=str(math.ceil(wait_s)),
                ),
                math.ceil(wait_s),
            )
        return _Passing(self, breaker, tool.spec.name, tried=tried)

    def open_tools(self, served: Mapping[str, object]) -> Collection[str]:
        """Names of the served tools that rest now."""
        return [self._names[id_] for id_ in self._open_ids() if self._names[id_] in served]

    async def run(self) -> None:
        """For ever: write which tools rest, where people see it."""
        while True:
            await self._has_changed.wait()
            self._has_changed.clear()
            try:
                ids = self._open_ids()
                await self._database.call(store_resting, self._runtime_id, ids)
            except (DatabaseError, TimeoutError):
                logger.warning("which tools rest cannot be written; the database is away")
                self._has_changed.set()
            await asyncio.sleep(WRITE_INTERVAL_S)

    def note_change(self, name: str, breaker: Breaker) -> None:
        """A breaker has opened or closed."""
        self._has_changed.set()
        if breaker.is_open:
            logger.warning("%s keeps failing and rests for %d s", name, REST_S)
        else:
            logger.info("%s works again", name)

    def _open_ids(self) -> list[int]:
        return [id_ for id_, breaker in list(self._breakers.items()) if breaker.is_open]


class _Passing(AbstractContextManager[None]):
    """A call that a breaker let through."""

    __slots__ = ("_breaker", "_breakers", "_name", "_tried")

    def __init__(self, breakers: Breakers, breaker: Breaker, name: str, *, tried: bool) -> None:
        self._breakers, self._breaker, self._name, self._tried = breakers, breaker, name, tried

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        failed = _shows_failure(error)
        if self._breaker.note(time.monotonic(), failed=failed, tried=self._tried):
            self._breakers.note_change(self._name, self._breaker)


def _shows_failure(error: BaseException | None) -> bool | None:
    """Whether what the tool runs on failed; None where that was not shown.

    What a caller causes must not take the tool away from others: arguments, values, limits, leaving.
    """
    if error is None:
        return False
    if isinstance(error, DataSourceBusyError) or not isinstance(error, Exception):
        return None
    if isinstance(error, DataSourceError):
        state = getattr(error.__cause__, "sqlstate", "")
        return None if state.startswith(_DATA_EXCEPTION) else True
    return (
        True
        if isinstance(error, DeadlineExceededError) or not isinstance(error, ToolboxError)
        else None
    )
