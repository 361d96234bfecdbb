"""Requests with keys that are not good, counted and recorded once a minute."""

import asyncio
import time
from collections import Counter
from contextlib import suppress

from django.db import Error as DatabaseError

from access.call_arguments import shorten_text
from access.calls import Call
from access.database_thread import DatabaseThread
from access.keys import find_faults, token_key_id
from access.models import Outcome
from access.reader_language import to_columns
from core.messages import Message, counted, message
from mcp_runtime.caller import TakesCalls
from mcp_runtime.endpoints import CLIENT_ADDRESS

INTERVAL_S = 60.0
# Of keys and addresses in a minute; what is beyond is counted together, so that a flood fills no table.
MOST_KINDS = 200
_ELSEWHERE = message("key.elsewhere", "may not be used from this address")
_UNCLEAR = message("key.unclear", "or token is not known, or was not good then")


class Refusals:
    """Counts refused requests by key and address. Tokens are not kept, and key ids only where they have that form."""

    def __init__(self, recorder: TakesCalls, database: DatabaseThread) -> None:
        self._recorder, self._database = recorder, database
        self._counts: Counter[tuple[str, str, bool]] = Counter()
        self._has_come = asyncio.Event()

    def note(self, token: str, *, is_elsewhere: bool = False) -> None:
        """A request with this token was refused; `is_elsewhere` for a good key of other networks."""
        kind = (token_key_id(token) or "", CLIENT_ADDRESS.get()[:45], is_elsewhere)
        if kind not in self._counts and len(self._counts) >= MOST_KINDS:
            kind = ("", "", False)
        self._counts[kind] += 1
        self._has_come.set()

    async def run(self) -> None:
        """Record what was refused, each minute in which something was."""
        while True:
            await self._has_come.wait()
            await asyncio.sleep(INTERVAL_S)
            await self.flush()

    async def flush(self) -> None:
        """Record what was refused since the last time."""
        counts, self._counts = self._counts, Counter()
        self._has_come.clear()
        faults: dict[str, Message] = {}
        with suppress(DatabaseError, TimeoutError):
            ids = {key_id for key_id, _, _ in counts if key_id}
            faults = await self._database.call(find_faults, ids) if ids else {}
        for (key_id, address, is_elsewhere), count in counts.items():
            reason = _ELSEWHERE if is_elsewhere else faults.get(key_id, _UNCLEAR)
            error = message(
                "key.refused",
                counted(
                    "The key {reason}; {count} request in a minute",
                    "The key {reason}; {count} requests in a minute",
                ),
                reason=reason,
                count=count,
            )
            columns = to_columns("error", error)
            self._recorder.add(
                Call(
                    at=time.time(),
                    tool_name="",
                    key_id=key_id,
                    outcome=Outcome.REFUSED.value,
                    error=shorten_text(columns["error"]),
                    error_message=columns["error_message"],
                    address=address,
                )
            )
