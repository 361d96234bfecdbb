"""Answers that are the same for all who see the same tools: made by FastMCP once, and kept as bytes."""

from typing import Any

import msgspec
from msgspec import Raw
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_runtime.snapshot import Snapshot

MOST_KEPT = 16
KEPT_METHODS = frozenset({"tools/list", "server/discover"})
_SCOPE_KEY = "toolbuilder.kept_answer"
_EVENT = b"event: message\r\ndata: "

# The method, the protocol version, and the names that the caller may see, None for all.
Key = tuple[str, str, frozenset[str] | None]


class _Answer(msgspec.Struct):
    result: Raw


class KeptAnswers:
    """The results of one snapshot by key, at most `MOST_KEPT`; those of another are forgotten."""

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._results: dict[Key, bytes] = {}

    def find(self, snapshot: Snapshot, key: Key) -> bytes | None:
        """The result as JSON, None where it has yet to be made."""
        return self._results.get(key) if snapshot is self._snapshot else None

    def keep(self, snapshot: Snapshot, key: Key, body: bytes) -> None:
        """Take the result out of an answer that FastMCP has given, as JSON or as the only event."""
        if body.startswith(_EVENT):
            body = body[len(_EVENT) :].partition(b"\r\n")[0]
        try:
            result = bytes(msgspec.json.decode(body, type=_Answer).result)
        except msgspec.MsgspecError:
            return
        if snapshot is not self._snapshot:
            self._snapshot, self._results = snapshot, {}
        while len(self._results) >= MOST_KEPT:
            del self._results[next(iter(self._results))]
        self._results[key] = result


class KeepAnswers:
    """ASGI middleware: keeps the answers to the requests that were marked for it."""

    def __init__(self, app: ASGIApp, kept: KeptAnswers) -> None:
        self._app = app
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        marked = scope.get(_SCOPE_KEY)
        if marked is None:
            await self._app(scope, receive, send)
            return
        pieces: list[bytes] = []

        async def send_and_note(message: Message) -> None:
            pieces.append(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, send_and_note)
        snapshot, current, key = marked
        if current() is snapshot:
            self._kept.keep(snapshot, key, b"".join(pieces))


def mark(scope: Any, snapshot: Snapshot, current: Any, key: Key) -> None:
    """Have the answer of this request kept, if the snapshot is still the current one by then."""
    scope[_SCOPE_KEY] = (snapshot, current, key)
