"""Parts of a connection that hold nothing before they need it; of uvicorn's each has an empty deque, 700 bytes."""

import asyncio
from functools import cached_property
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl


class Flow(FlowControl):
    """uvicorn's flow control; its event is made when it is needed."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.read_paused = self.write_paused = False

    @cached_property
    def _is_writable_event(self) -> asyncio.Event:  # type: ignore[override]
        event = asyncio.Event()
        if not self.write_paused:
            event.set()
        return event


class Pipeline(list[Any]):
    """A queue that is empty nearly always."""

    __slots__ = ()

    def appendleft(self, item: object) -> None:
        """Put it at the end, as uvicorn has it: `pop` takes what came first."""
        self.insert(0, item)
