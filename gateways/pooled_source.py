"""What data sources have in common: a pool, and for servers work that one lost connection does not end."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from core.errors import DataSourceUnavailableError, ToolboxError
from core.messages import message
from gateways.connection_pool import ConnectionPool, PooledConnection
from gateways.fair_queue import PoolState

# The server's own timer speaks first: its answer is cheaper than a query that has to be stopped.
DEADLINE_MARGIN_S = 0.25


class ServerConnection(PooledConnection, Protocol):
    """A session of a server; it must have answered `until` then, on the monotonic clock."""

    until: float


_T = TypeVar("_T")
_Given = ParamSpec("_Given")
_Pooled = TypeVar("_Pooled", bound=PooledConnection)
_Session = TypeVar("_Session", bound=ServerConnection)


class PooledSource(ABC, Generic[_Pooled]):
    """Connects when it is first needed. Close it, or use `async with`."""

    def __init__(self, *, size: int, max_wait_ms: int) -> None:
        self._pool: ConnectionPool[_Pooled] = ConnectionPool(
            self._connect, size=size, max_wait_s=max_wait_ms / 1_000
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def pool_state(self) -> PoolState:
        """How its connections are used now."""
        return self._pool.state

    async def close(self) -> None:
        """Close the connections; those in use are closed when their query ends."""
        await self._pool.close()

    @abstractmethod
    async def _connect(self) -> _Pooled:
        """A new connection. Raises DataSourceUnavailableError."""


@dataclass(slots=True)
class Turn:
    """Who asks, and until when on the monotonic clock; `waited_s` is what it spent without a connection.

    The server may answer `margin_s` later, where it has a timer of its own.
    """

    caller: str
    until: float
    margin_s: float = DEADLINE_MARGIN_S
    waited_s: float = 0.0


class ServerSource(PooledSource[_Session]):
    """A server, whose connections raise `lost` when they are gone and `refused` for what the server refuses."""

    lost: ClassVar[type[Exception]]
    refused: ClassVar[type[Exception]]

    def __init__(self, *, size: int, max_wait_ms: int, longest_ms: int) -> None:
        super().__init__(size=size, max_wait_ms=max_wait_ms)
        self._longest_ms = longest_ms

    async def ask(self, work: Callable[[_Session], Awaitable[_T]], caller: str = "") -> _T:
        """What `work` gives with a connection. Raises DataSourceError, and what `work` raises."""
        try:
            return await self._on_connection(work, self._turn(caller, self._longest_ms))
        except self.refused as error:
            raise self._explain(error) from error
        except TimeoutError as error:
            raise DataSourceUnavailableError(
                message("source.no_answer", "the data source does not answer")
            ) from error

    @abstractmethod
    def _explain(self, error: Exception) -> ToolboxError:
        """What the server refuses, for who asked."""

    def _turn(self, caller: str, timeout_ms: int) -> Turn:
        return Turn(caller, monotonic() + timeout_ms / 1_000)

    async def _on_connection(
        self,
        work: Callable[Concatenate[_Session, _Given], Awaitable[_T]],
        turn: Turn,
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _T:
        """What `work` gives with a connection; done once more on a new connection if the first one was lost.

        Only reading is done here and nothing was handed on yet, so repeating it is safe. Raises
        TimeoutError when the turn's time is over while it works, DataSourceBusyError when it never did.
        """

        async def attempt() -> _T:
            began = monotonic()
            connection = await self._pool.acquire(turn.caller, turn.until)
            turn.waited_s += monotonic() - began
            connection.until = turn.until + turn.margin_s
            try:
                return await work(connection, *given, **named)
            finally:
                self._pool.give_back(connection)

        return await self._twice(attempt)

    async def _twice(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """What the attempt gives; made once more if its connection was lost, and the idle ones with it."""
        lost: Exception | None = None
        for _ in range(2):
            try:
                return await attempt()
            except self.lost as error:
                lost = error
            self._pool.drop_idle()
        raise DataSourceUnavailableError(
            message(
                "source.lost_twice",
                "the connection to the data source was lost twice; try again later",
            )
        ) from lost
