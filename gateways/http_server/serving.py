"""uvicorn's options for a server within limits."""

import asyncio
import logging
import resource
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from gateways.http_server.direct import DirectApplication, KnownHeads
from gateways.http_server.limits import HttpLimits
from gateways.http_server.protocol import HttpProtocol
from gateways.memory import give_back_memory

logger = logging.getLogger(__name__)

SWEEP_INTERVAL_S = 1.0
TICK_S = 1.0
# Of fewer there is not much to give back.
BURST_CONNECTIONS = 100
# Beside those of clients: databases, logs, the libraries' own.
OTHER_FILES = 256


class LimitedConnections:
    """Makes the protocol of each connection of one server, and sweeps over them once a second.

    It is given to uvicorn in the place of a protocol's class; with several processes each has a copy.
    """

    def __init__(
        self, limits: HttpLimits, find_direct: Callable[[], DirectApplication | None]
    ) -> None:
        self._limits = limits
        self._find_direct = find_direct
        self._heads = KnownHeads()
        self._is_sweeping = False
        self._most_connections = 0

    def __call__(self, *, server_state: ServerState, **parts: Any) -> HttpProtocol:
        if not self._is_sweeping:
            self._is_sweeping = True
            self._sweep_later(server_state)
        return HttpProtocol(
            limits=self._limits,
            direct=self._find_direct(),
            heads=self._heads,
            server_state=server_state,
            **parts,
        )

    def _sweep_later(self, server_state: ServerState) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + SWEEP_INTERVAL_S

        def sweep() -> None:
            # Once after a burst: when a quarter is left of the most connections that there were.
            count = len(server_state.connections)
            self._most_connections = max(self._most_connections, count)
            if self._most_connections >= BURST_CONNECTIONS and count * 4 <= self._most_connections:
                self._most_connections = count
                loop.run_in_executor(None, give_back_memory)
            # Where the loop was held up, what clients have sent meanwhile is not read yet.
            if loop.time() - due < SWEEP_INTERVAL_S:
                for connection in list(server_state.connections):
                    if isinstance(connection, HttpProtocol):
                        connection.close_if_late()
            self._sweep_later(server_state)

        loop.call_at(due, sweep)


class QuietServer(uvicorn.Server):
    """uvicorn's server, which looks once a second and not ten times whether it is to end, and is told at once.

    The ticks are most of what an idle server costs.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        self._exit = asyncio.Event()
        super().__init__(config)

    @property
    def should_exit(self) -> bool:
        """Whether it is to end."""
        return self._exit.is_set()

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        (self._exit.set if value else self._exit.clear)()

    async def main_loop(self) -> None:
        # The first tick of ten makes the date of answers.
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._exit.wait()


def find_none() -> None:
    """Nothing answers before the application."""


def server_options(
    limits: HttpLimits, find_direct: Callable[[], DirectApplication | None] = find_none
) -> dict[str, Any]:
    """What `uvicorn.Config` and `uvicorn.run` take; logs go to the loggers of the process.

    `find_direct` is asked for each connection, in the process that serves it; it can be pickled where
    there are several.
    """
    _allow_files(limits.max_connections + OTHER_FILES)
    return {
        "http": LimitedConnections(limits, find_direct),
        "ws": "none",
        "timeout_keep_alive": limits.idle_timeout_s,
        "server_header": False,
        "log_config": None,
    }


def _allow_files(count: int) -> None:
    """Let this process, and those that it starts, open so many files, or as many as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < count:
        logger.warning(
            "the system allows this process %d open files; HTTP_MAX_CONNECTIONS needs %d",
            hard,
            count,
        )
