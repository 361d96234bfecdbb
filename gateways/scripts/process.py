"""The server's end of one script process: a greeting, then one request and one reply at a time."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar, cast

from gateways.scripts.messages import (
    FrameBuffer,
    MessageError,
    Reply,
    decode_greeting,
    decode_reply,
)

logger = logging.getLogger(__name__)

_Message = TypeVar("_Message")


class ProcessLostError(Exception):
    """The process ended, or broke the rules and was cut off."""


class ScriptProcess(asyncio.Protocol):
    """One process by its number; `calls` counts its requests.

    `is_lost` once it is of no more use, and `was_cut_off` where that was by us. `on_lost` is called once, when its socket closes for whatever reason.
    """

    def __init__(
        self, number: int, answer_limit: int, on_lost: Callable[["ScriptProcess"], None]
    ) -> None:
        self.number = number
        self.calls = 0
        self.is_lost = False
        self.was_cut_off = False
        self._on_lost = on_lost
        self._frames = FrameBuffer(answer_limit)
        self._transport: asyncio.Transport | None = None
        # The greeting comes unasked.
        self._expected: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._expected.cancelled():
            return  # Whoever asked is about to cut the process off.
        try:
            frame = self._frames.add(data)
        except MessageError as error:
            self._refuse(error)
            return
        if self._expected.done():
            # The next caller must not take it for the answer to another question.
            self._refuse(MessageError("nobody asked"))
        elif frame is not None:
            self._expected.set_result(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if not self._expected.done():
            self._expected.set_exception(ProcessLostError())
            self._expected.exception()  # Read once, so that asyncio does not report it if nobody waits.
        self._on_lost(self)

    def abort(self) -> None:
        """Cut the process off; `on_lost` follows."""
        self.is_lost = self.was_cut_off = True
        if self._transport is not None:
            self._transport.abort()

    async def greet(self) -> str | None:
        """Why the sandbox of the process does not hold, or None. Raises ProcessLostError."""
        return self._decode(decode_greeting, await self._expected)

    async def ask(self, request: bytes) -> Reply:
        """The reply to an encoded request. Raises ProcessLostError.

        After a cancellation the process is of no more use: it may still answer.
        """
        if self.is_lost or self._transport is None:
            raise ProcessLostError
        self.calls += 1
        self._expected = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._decode(decode_reply, await self._expected)

    def _decode(self, decode: Callable[[bytes], _Message], payload: bytes) -> _Message:
        try:
            return decode(payload)
        except MessageError as error:
            self._refuse(error)
            raise ProcessLostError from error

    def _refuse(self, error: MessageError) -> None:
        logger.warning("A script process was ended for a message that none should send: %s", error)
        self.abort()
