"""One connection of MariaDB or MySQL, on which only statements prepared on the server are run.

asyncmy signs in and takes packets apart; this reads them in its place, because asyncmy reads all rows
before it gives the first, throws away what a prepared statement says of its columns, and closes the
connection of a caller that goes away while its query runs on. It uses private names of asyncmy, whose
version is pinned; tests/gateways/mysql/test_wire.py holds each of them.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from math import inf
from typing import Any

from asyncmy.errors import MySQLError
from asyncmy.protocol import (
    FieldDescriptorPacket,
    MysqlPacket,
    pack_binary_params,
    parse_binary_rows_from_buffer,
)

from gateways.mysql.connecting import ReadingConnection

# A KILL that works does so in milliseconds.
_SETTLE_TIMEOUT_S = 1.5
_KEPT_STATEMENTS = 64
_PREPARE, _EXECUTE, _CLOSE, _QUERY = b"\x16", b"\x17", b"\x19", b"\x03"
_OK, _END, _ERROR = 0x00, 0xFE, 0xFF
_LONG_PACKET = 0xFFFFFF
# What may have been locked by a view of the database's own, and is all that outlives a query.
_RELEASE = b"DO RELEASE_ALL_LOCKS()"
# What the server says when it, or someone on it, ends the session.
_SESSION_ENDED = frozenset({1053, 1077, 1079, 1080, 1152, 1153, 1158, 1159, 1160, 1161, 1927, 4031})
_ENCODING = "utf8"


class MysqlConnectionLostError(Exception):
    """The session is gone; nothing of it can be used again."""


class UnreadableRowsError(Exception):
    """A text in no character set stands in the rows."""


class MysqlServerError(Exception):
    """What the server said, with its number, such as 1054, and its SQLSTATE."""

    def __init__(self, payload: bytes) -> None:
        self.number = int.from_bytes(payload[1:3], "little")
        has_state = payload[3:4] == b"#"
        self.sqlstate = payload[4:9].decode("ascii", "replace") if has_state else ""
        self.message = payload[9 if has_state else 3 :].decode(errors="replace")
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class WireColumn:
    """What the server says of a column: `type_code` and `flags` are the protocol's, `length` is in bytes."""

    name: str
    type_code: int
    flags: int
    length: int
    charset: int
    scale: int
    table: str
    original_name: str


@dataclass(slots=True)
class Prepared:
    """A statement that is kept on the server; `block` is what an answer to it began with the last time."""

    number: int
    parameter_count: int
    columns: tuple[WireColumn, ...]
    block: bytes = b""
    answer_columns: tuple[WireColumn, ...] = ()
    specs: tuple[Any, ...] = field(default=(), repr=False)


class _Phase(IntEnum):
    """What comes next of the answer to the command that was sent first."""

    PREPARED = auto()
    EXECUTED = auto()
    DEFINITIONS = auto()
    ROWS = auto()
    DONE = auto()


# Makes the specs of asyncmy's row parser.
SpecMaker = Callable[[Sequence[WireColumn]], tuple[Any, ...]]
Receive = Callable[[list[tuple[Any, ...]]], bool]


class MysqlConnection:
    """A session for one task at a time; after an exception see `is_settled`.

    `stop` ends the query of the thread of that number from another connection; `wait_gone` returns when
    the server has no such thread any more.
    """

    def __init__(
        self,
        connection: ReadingConnection,
        stop: Callable[[int], Awaitable[None]],
        wait_gone: Callable[[int], Awaitable[None]],
    ) -> None:
        self._connection: Any = connection
        self._proto: Any = self._connection._proto
        self._loop = asyncio.get_running_loop()
        self._stop, self._wait_gone = stop, wait_gone
        self.thread_number = int(self._connection.thread_id())
        self._has_ends = not self._connection._deprecate_eof
        self._kept: OrderedDict[str, Prepared] = OrderedDict()
        self._closing: list[bytes] = []
        # When what the server is asked next must be answered, on the loop's clock.
        self.until = inf
        # Of each command that was sent and whose answer is not read to its end, what comes next.
        self._phases: deque[_Phase] = deque()
        self._left = 0
        self._sequence = 0
        self._parts: list[bytes] = []
        self._is_closed = False

    @property
    def is_broken(self) -> bool:
        """Whether it can never be used again."""
        proto = self._proto
        return self._is_closed or bool(proto.eof) or proto.exc is not None

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs on it any more, but for the release of locks."""
        return not self._phases or (len(self._phases) == 1 and self._phases[0] is _Phase.DONE)

    async def prepare(self, sql: str, *, is_kept: bool = True) -> Prepared:
        """The statement on the server, which parses it and runs nothing.

        Raises MysqlServerError, MysqlConnectionLostError, TimeoutError.
        """
        if (known := self._kept.get(sql)) is not None:
            self._kept.move_to_end(sql)
            return known
        self._send(_Phase.PREPARED, _PREPARE + sql.encode())
        await self._finish_earlier()
        head = await self._next()
        number = int.from_bytes(head[1:5], "little")
        column_count, parameter_count = head[5] | head[6] << 8, head[7] | head[8] << 8
        skipped = parameter_count + (self._has_ends and parameter_count > 0)
        for _ in range(skipped):
            await self._next()
        columns = [_read_column(await self._next()) for _ in range(column_count)]
        if column_count and self._has_ends:
            await self._next()
        prepared = Prepared(number, parameter_count, tuple(columns))
        if is_kept:
            self._kept[sql] = prepared
            if len(self._kept) > _KEPT_STATEMENTS:
                self.forget(next(iter(self._kept)))
        return prepared

    def forget(self, sql: str) -> None:
        """Have the server forget the statement, with what is sent next."""
        if (prepared := self._kept.pop(sql, None)) is not None:
            self.drop(prepared)

    def drop(self, prepared: Prepared) -> None:
        """The same of one that is not kept here."""
        self._closing.append(_CLOSE + prepared.number.to_bytes(4, "little"))

    async def execute(
        self, prepared: Prepared, values: tuple[Any, ...], make_specs: SpecMaker, receive: Receive
    ) -> bool:
        """Hand the rows to `receive`, as they come, until it wants no more; whether it took them all.

        Locks that the query took are released behind it. Raises MysqlServerError, MysqlConnectionLostError,
        UnreadableRowsError, TimeoutError.
        """
        head = _EXECUTE + prepared.number.to_bytes(4, "little") + b"\0\1\0\0\0"
        packed = pack_binary_params(values, _ENCODING) if values else b""
        self._send(_Phase.EXECUTED, head + packed)
        if self._phases:
            await self._finish_earlier()
        proto = self._proto
        if proto.length == proto.pos:
            await self._need(4)
        if not self._skip_block(prepared):
            await self._read_block(prepared, make_specs)
        while self._phases[0] is _Phase.ROWS:
            rows: list[tuple[Any, ...]] = []
            try:
                proto.pos, self._sequence = parse_binary_rows_from_buffer(
                    proto.buffer,
                    proto.pos,
                    proto.length,
                    prepared.specs,
                    self._sequence,
                    rows,
                    True,
                )
            except UnicodeDecodeError as error:
                raise UnreadableRowsError from error
            payload = await self._next() if self._is_special() else None
            if payload is not None and self._phases[0] is _Phase.ROWS:
                rows.append(MysqlPacket(payload, _ENCODING).read_binary_row(prepared.specs))
            if rows and not receive(rows):
                return self._phases[0] is not _Phase.ROWS
            if payload is None:
                await self._need_packet()
        return True

    async def settle(self) -> None:
        """Stop what runs, so that the connection can be used again, or close it.

        Where the server cannot stop it, the connection is given up, and this returns when the server has
        ended its thread: until then it takes as much of the server as before.
        """
        self.until = inf
        try:
            async with asyncio.timeout(_SETTLE_TIMEOUT_S):
                await self._stop(self.thread_number)
                while not self.is_settled:
                    self._advance(await self._read_packet())
        except (MysqlConnectionLostError, TimeoutError, MySQLError, OSError):
            self.close()
            await self._wait_gone(self.thread_number)

    def close(self) -> None:
        """Give it up; who waits for it gets MysqlConnectionLostError."""
        self._is_closed = True
        self._connection.close()

    def _send(self, phase: _Phase, command: bytes) -> None:
        """Send the command, behind it the release of locks if it is a query, before it what is to be forgotten."""
        commands = [*self._closing, command]
        self._closing.clear()
        if phase is _Phase.EXECUTED:
            commands.append(_QUERY + _RELEASE)
        try:
            self._connection._write_bytes(
                b"".join(len(body).to_bytes(3, "little") + b"\0" + body for body in commands)
            )
        except MySQLError as error:
            raise MysqlConnectionLostError from error
        self._phases.append(phase)
        if phase is _Phase.EXECUTED:
            self._phases.append(_Phase.DONE)

    async def _finish_earlier(self) -> None:
        """Read what is left of the answer before, the release of its locks."""
        if self._phases[0] is _Phase.DONE:
            self._advance(await self._read_packet())
        self._sequence = 1

    def _skip_block(self, prepared: Prepared) -> bool:
        """Pass over the definitions of columns where they are those of the last answer."""
        proto, block = self._proto, prepared.block
        end = proto.pos + len(block)
        if not block or proto.length < end or proto.buffer[proto.pos : end] != block:
            return False
        proto.pos = end
        self._sequence = (1 + len(prepared.answer_columns) + self._has_ends + 1) & 0xFF
        self._phases[0] = _Phase.ROWS
        return True

    async def _read_block(self, prepared: Prepared, make_specs: SpecMaker) -> None:
        head = await self._next()
        payloads = [head]
        while self._phases[0] is _Phase.DEFINITIONS:
            payloads.append(await self._next())
        count = len(payloads) - 1 - self._has_ends
        columns = tuple(map(_read_column, payloads[1 : count + 1]))
        if columns != prepared.answer_columns or not prepared.specs:
            prepared.answer_columns = columns
            prepared.specs = make_specs(columns)
        prepared.block = b"".join(
            len(payload).to_bytes(3, "little") + bytes([(number + 1) & 0xFF]) + payload
            for number, payload in enumerate(payloads)
        )

    async def _next(self) -> bytes:
        """The next packet of the answer. Raises MysqlServerError where that is what the server says."""
        payload = await self._read_packet()
        self._advance(payload)
        if payload[:1] == b"\xff":
            error = MysqlServerError(payload)
            if error.number in _SESSION_ENDED:
                self.close()
                raise MysqlConnectionLostError from error
            raise error
        return payload

    def _advance(self, payload: bytes) -> None:
        """Note what comes behind this packet."""
        first, phase = payload[0], self._phases[0]
        if phase is _Phase.DONE or first == _ERROR:
            self._end()
        elif phase is _Phase.ROWS:
            if first == _END and len(payload) < _LONG_PACKET:
                self._end()
        elif phase is _Phase.DEFINITIONS:
            self._left -= 1
            if not self._left:
                self._phases[0] = _Phase.ROWS
        elif phase is _Phase.EXECUTED:
            self._left = MysqlPacket(payload, _ENCODING).read_length_encoded_integer()
            self._left += self._has_ends and self._left > 0
            if self._left:
                self._phases[0] = _Phase.DEFINITIONS
            else:
                self._end()
        else:
            self._advance_prepared(payload)

    def _advance_prepared(self, payload: bytes) -> None:
        if not self._left:
            counts = payload[5] | payload[6] << 8, payload[7] | payload[8] << 8
            self._left = 1 + sum(count + (self._has_ends and count > 0) for count in counts)
        self._left -= 1
        if not self._left:
            self._end()

    def _end(self) -> None:
        self._phases.popleft()
        self._left = 0
        # Each answer counts its packets from 1.
        self._sequence = 1

    def _is_special(self) -> bool:
        """Whether a whole packet is there that is no usual row: the end, an error, a very long row."""
        proto = self._proto
        size = self._packet_size()
        return size is not None and (size == _LONG_PACKET or proto.length - proto.pos >= 4 + size)

    def _packet_size(self) -> int | None:
        proto = self._proto
        pos, buffer = proto.pos, proto.buffer
        if proto.length - pos < 4:
            return None
        return int.from_bytes(buffer[pos : pos + 3], "little")

    async def _need_packet(self) -> None:
        """Return when the next packet is here as a whole."""
        await self._need(4)
        await self._need(4 + (self._packet_size() or 0))

    async def _read_packet(self) -> bytes:
        """The next packet, put together where it is longer than the protocol's packets."""
        while True:
            await self._need_packet()
            proto = self._proto
            pos = proto.pos
            size = int.from_bytes(proto.buffer[pos : pos + 3], "little")
            payload = bytes(proto.buffer[pos + 4 : pos + 4 + size])
            self._sequence = (proto.buffer[pos + 3] + 1) & 0xFF
            proto.pos = pos + 4 + size
            self._parts.append(payload)
            if size < _LONG_PACKET:
                payload, self._parts = b"".join(self._parts), []
                if not payload:
                    raise MysqlConnectionLostError
                return payload

    async def _need(self, count: int) -> None:
        """Return when so many bytes are here. Raises TimeoutError, MysqlConnectionLostError."""
        proto = self._proto
        while proto.length - proto.pos < count:
            if self.is_broken:
                raise MysqlConnectionLostError
            waiter: asyncio.Future[None] = self._loop.create_future()
            proto._read_waiter = waiter
            timer = self._loop.call_at(self.until, _expire, waiter) if self.until < inf else None
            try:
                await waiter
            finally:
                if timer is not None:
                    timer.cancel()
                if proto._read_waiter is waiter:
                    proto._read_waiter = None


def _expire(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())


def _read_column(payload: bytes) -> WireColumn:
    found: Any = FieldDescriptorPacket(payload, _ENCODING)
    return WireColumn(
        name=found.name,
        type_code=found.type_code,
        flags=found.flags,
        length=found.length,
        charset=found.charsetnr,
        scale=found.scale,
        table=found.org_table,
        original_name=found.org_name,
    )
