"""The server's end of one DuckDB process: a greeting, then one request and one answer at a time."""

import asyncio
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self, cast

from core.errors import DataSourceError, DataSourceUnavailableError
from core.messages import message
from gateways.duckdb.messages import (
    HEAD_LIMIT,
    OPENING,
    STOP,
    DuckdbOptions,
    DuckdbReply,
    decode_reply,
    frame,
)
from gateways.duckdb.settings import EXTRA
from gateways.patience import patient_timeout
from gateways.scripts.messages import FrameBuffer, MessageError

# How long a query that is stopped may take to hear it, before its process is killed.
SETTLE_S = 0.25
START_WITHIN_S = 15.0
# Each costs a start, and a folder of so many damaged files wants a person.
_MOST_LEFT_OUT = 20
PROJECT = Path(__file__).parents[2]
LOST_TEXT = message(
    "source.duckdb_lost",
    "the query needed too much memory or crashed its process; ask for less, or let the tool read less",
)
_NO_START_TEXT = message(
    "source.duckdb_no_start",
    "the process of the data source did not start; a file of it may be damaged or too large",
)
# -I and -S: nothing of the environment or the user gets in; the two packages are found by their places.
_BOOT = "import sys; sys.path[:0] = {!r}; from gateways.duckdb.worker import main; main()"
_FLAGS = ("-I", "-S", "-W", "ignore", "-X", "utf8")

logger = logging.getLogger(__name__)


class DuckdbProcess(asyncio.Protocol):
    """One process; `greeting` is what it found as it opened its source. `start` makes one.

    Files of its folder that are `left_out` have ended another process.
    """

    def __init__(
        self, child: subprocess.Popen[bytes], temp_folder: Path, answer_limit: int
    ) -> None:
        self.greeting: dict[str, Any] = {}
        self.left_out: tuple[str, ...] = ()
        self.calls = 0
        self._child = child
        self._temp_folder = temp_folder
        self._frames = FrameBuffer(answer_limit)
        self._transport: asyncio.Transport | None = None
        self._is_lost = False
        self._ending: asyncio.Future[str] | None = None
        self._loop = asyncio.get_running_loop()
        self._expected: asyncio.Future[bytes] = self._loop.create_future()

    @classmethod
    async def start(cls, options: DuckdbOptions, answer_limit: int = 0) -> Self:
        """A process that has opened its source, but for files that end it. Raises DataSourceUnavailableError."""
        if missing := EXTRA.explain_missing():
            raise DataSourceUnavailableError(missing)
        loop = asyncio.get_running_loop()
        while True:
            folder = Path(mkdtemp(prefix="toolbuilder-duckdb-"))
            ours, theirs = socket.socketpair()
            with theirs:
                child = _spawn(replace(options, temp_folder=str(folder)), theirs)
            process = cls(child, folder, HEAD_LIMIT + answer_limit)
            process.left_out = options.left_out
            try:
                await loop.create_unix_connection(lambda: process, sock=ours)  # noqa: B023 - called now
                async with patient_timeout(START_WITHIN_S):
                    process.greeting = decode_reply(await process._expected).content or {}
                return process
            except DataSourceError as error:
                process.close()
                file = await process.wait_until_ended()
                if not file or len(options.left_out) >= _MOST_LEFT_OUT:
                    raise DataSourceUnavailableError(error.message) from error
            except BaseException as error:
                process.close()
                if isinstance(error, TimeoutError | MessageError):
                    raise DataSourceUnavailableError(_NO_START_TEXT) from error
                raise
            logger.warning("A DuckDB process was ended by a file that it opened: %s", file)
            options = replace(options, left_out=(*options.left_out, file))

    @property
    def is_broken(self) -> bool:
        """Whether it has ended, or is of no more use."""
        return self._is_lost

    @property
    def is_settled(self) -> bool:
        """Whether it works on nothing."""
        return self._expected.done() and not self._expected.cancelled()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    async def ask(self, request: Mapping[str, Any]) -> DuckdbReply:
        """The answer. Raises its error, and DataSourceError where the process is lost.

        After a cancellation it still works, until it is settled.
        """
        if self._is_lost or self._transport is None:
            raise DataSourceError(LOST_TEXT)
        self.calls += 1
        self._expected = self._loop.create_future()
        self._transport.write(frame(json.dumps(request).encode()))
        # The answer to a query whose caller has gone away must not be taken for the next one's.
        payload = await asyncio.shield(self._expected)
        try:
            return decode_reply(payload)
        except MessageError as error:
            logger.warning(
                "A DuckDB process was ended for a message that none should send: %s", error
            )
            self.close()
            raise DataSourceError(LOST_TEXT) from error

    async def settle(self) -> None:
        """Stop what runs, and kill the process where it does not hear that."""
        if self.is_settled:
            return
        if self._transport is not None:
            self._transport.write(frame(STOP))
        try:
            async with asyncio.timeout(SETTLE_S):
                await asyncio.wait([self._expected])
        except TimeoutError:
            self.close()

    def close(self) -> None:
        """Kill it, whatever it works on; its temporary files go with it."""
        self._is_lost = True
        if self._transport is not None:
            self._transport.abort()
        if self._ending is None:
            self._child.kill()
            try:
                self._ending = self._loop.run_in_executor(None, self._collect)
            except RuntimeError:
                # The program ends, and no thread takes work any more; what was killed is over at once.
                self._ending = self._loop.create_future()
                self._ending.set_result(self._collect())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        try:
            payload = self._frames.add(data)
        except MessageError:
            self.close()
            return
        if payload is not None and not self._expected.done():
            self._expected.set_result(payload)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._expected.done():
            self._expected.set_exception(DataSourceError(LOST_TEXT))
            self._expected.exception()  # Read once, so that asyncio does not report it.
        self.close()

    async def wait_until_ended(self) -> str:
        """Return when it has ended, after `close`: the file that it was opening then, '' for none."""
        return await asyncio.shield(self._ending) if self._ending else ""

    def _collect(self) -> str:
        """Wait for its end, in a thread, and remove its temporary files."""
        status = self._child.wait()
        if status < 0 and status != -signal.SIGKILL:
            logger.warning("A DuckDB process ended by %s", signal.Signals(-status).name)
        try:
            file = os.fsdecode((self._temp_folder / OPENING).read_bytes())
        except OSError:
            file = ""
        shutil.rmtree(self._temp_folder, ignore_errors=True)
        return file


def _spawn(options: DuckdbOptions, channel: socket.socket) -> subprocess.Popen[bytes]:
    specs = [find_spec(name) for name in ("duckdb", "orjson", "python_calamine")]
    places = {str(Path(spec.origin).parents[1]) for spec in specs if spec and spec.origin}
    boot = _BOOT.format([str(PROJECT), *sorted(places)])
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *_FLAGS, "-c", boot, options.to_json()],
        env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
        cwd="/",
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
