"""Call records, written in batches away from the calls."""

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from itertools import count
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from msgspec import Raw, Struct
from msgspec.json import Encoder

from access.database_thread import execute_bound
from access.keys import LAST_USED_RESOLUTION, note_uses
from access.models import CallRecord, Outcome
from access.record_buffers import RecordBuffer

BATCH_SIZE = 500
MAX_WAITING = 50_000


class CallOrigin(Struct, frozen=True):
    """From where a call comes, as far as it is known; fields as those of CallRecord.

    `traceparent` is a well-formed one or '', `lane` what answers the call, `rpc_id` its id on the wire.
    """

    client_name: str = ""
    client_version: str = ""
    protocol: str = ""
    session: str = ""
    address: str = ""
    traceparent: str = ""
    lane: Literal["", "direct", "fastmcp"] = ""
    rpc_id: int | str = ""

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits, or ''."""
        return self.traceparent[3:35]


NOWHERE = CallOrigin()


class Call(Struct, kw_only=True):
    """What will be a CallRecord of this runtime; fields as there, and nothing that could wait is made.

    `at` is in seconds since 1970, `arguments` JSON. A struct costs a twentieth of a model.
    """

    at: float
    tool_name: str
    key_id: str = ""
    caller: str = ""
    arguments: Raw | None = None
    outcome: str = Outcome.OK.value
    error: str = ""
    error_message: dict[str, Any] | None = None
    row_count: int | None = None
    truncated: bool = False
    duration_ms: float = 0.0
    revision: int = 0
    request_id: str = ""
    client_name: str = ""
    client_version: str = ""
    protocol: str = ""
    session: str = ""
    address: str = ""
    endpoint: str = ""
    trace_id: str = ""
    tool_version: int | None = None
    called_as: str = ""
    number: int | None = None


_encode = Encoder().encode
WriteCalls = Callable[[Sequence[Call]], Awaitable[object]]


class CallRecorder:
    """Numbers calls and keeps them until they are written, 50,000 at most."""

    def __init__(self, write: WriteCalls) -> None:
        self._buffer = RecordBuffer("call", write, MAX_WAITING, BATCH_SIZE)
        self._numbers = count(1)
        self.run, self.flush = self._buffer.run, self._buffer.flush

    @property
    def dropped(self) -> int:
        """How many were dropped: the database was away too long, or refused them."""
        return self._buffer.dropped

    def add(self, call: Call) -> None:
        """Take a call; never blocks and never fails."""
        call.number = next(self._numbers)
        self._buffer.add(call)


class CallWriter:
    """Inserts the calls of a runtime, and notes of their keys to the minute that they were used."""

    def __init__(self, runtime_id: UUID | None = None) -> None:
        self._runtime_id = runtime_id
        self._noted_at: dict[str, float] = {}

    def write(self, calls: Sequence[Call]) -> None:
        """One statement for the whole batch: a tenth of the cost of a bulk insert of models.

        Harmless to repeat: a batch whose success is unknown is written again.
        """
        execute_bound(_insert_statement(), [_encode(calls).decode(), self._runtime_id])
        now, resolution_s = time.monotonic(), LAST_USED_RESOLUTION.total_seconds()
        due = {
            call.key_id
            for call in calls
            if call.key_id
            and call.outcome != Outcome.REFUSED
            and now - self._noted_at.get(call.key_id, -math.inf) > resolution_s
        }
        if due:
            note_uses(due)
            self._noted_at |= dict.fromkeys(due, now)


@cache
def _insert_statement() -> str:
    """It takes the calls as one JSON text, and their runtime."""
    kinds = {
        str(field.column): field.db_type(connection)
        for field in CallRecord._meta.concrete_fields
        if not field.primary_key and field.column != "runtime_id"
    }
    assert set(kinds) == set(Call.__struct_fields__)  # noqa: S101 - a typo here loses calls
    columns, kinds["at"] = ", ".join(kinds), "double precision"
    typed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    values = ", ".join("to_timestamp(at)" if name == "at" else name for name in kinds)
    return (
        f"INSERT INTO {CallRecord._meta.db_table} ({columns}, runtime_id)"  # noqa: S608 - names of our model
        f" SELECT {values}, $2::uuid FROM json_to_recordset($1::json) AS call ({typed})"
        " ON CONFLICT (runtime_id, number, at) DO NOTHING"
    )
