"""What happens to sessions of earlier protocols, told from one process to the others by the database."""

import asyncio
import logging
from collections.abc import Sequence
from uuid import UUID

import msgspec
from django.db import Error as DatabaseError
from django.db import connection, transaction
from msgspec import Struct

from access.database_thread import DatabaseThread

logger = logging.getLogger(__name__)

SESSIONS_CHANNEL = "toolbuilder_sessions"
# PostgreSQL's limit is 8,000 bytes.
MAX_NEWS_BYTES = 7_000
# What could not be written is tried again after this time; of more ends the oldest are given up.
RETRY_S = 5.0
MOST_UNWRITTEN = 10_000


class SessionNews(Struct):
    """What one process tells the others: a message of a session's client, or that it ended the session ('')."""

    sender: UUID
    session_id: str
    message: str


class _Line(Struct):
    """News as they are written, and the number of the session that is over for good."""

    text: str
    ended: UUID | None


_news = msgspec.json.Decoder(SessionNews)


class NewsWriter:
    """Writes news one after another; those that come meanwhile are written together, in one transaction.

    While the database is known to be away nobody waits: ends of sessions are kept until it is back.
    """

    def __init__(self, runtime_id: UUID, database: DatabaseThread) -> None:
        self._here = runtime_id
        self._database = database
        self._turn = asyncio.Lock()
        self._waiting: list[_Line] = []
        self._batch: asyncio.Task[None] | None = None
        # Sessions that have ended here, which the database does not know yet.
        self._unwritten: set[UUID] = set()
        self._is_away = False

    def end(self, session_id: str, number: UUID) -> asyncio.Future[None]:
        """Tell that the client has ended the session, whether or not it stays for the answer."""
        self._unwritten.add(number)
        return self._write(self._encode(session_id, ""), number)

    def has_ended(self, number: UUID) -> bool:
        """Whether the session has ended here and only this process knows it."""
        return number in self._unwritten

    async def tell(self, session_id: str, message: str) -> None:
        """The client of the session says this of requests that may run elsewhere.

        A long message is not told, nor is any while the database is away: it is of no use later.
        """
        text = self._encode(session_id, message)
        if len(text) <= MAX_NEWS_BYTES and not self._is_away:
            await self._write(text)

    def read(self, payload: str) -> SessionNews | None:
        """The news of another process; None for our own and for what is none."""
        try:
            news = _news.decode(payload)
        except msgspec.MsgspecError:
            logger.warning("unreadable news of a session")
            return None
        return news if news.sender != self._here else None

    def _encode(self, session_id: str, message: str) -> bytes:
        return msgspec.json.encode(SessionNews(self._here, session_id, message))

    def _write(self, text: bytes, ended: UUID | None = None) -> asyncio.Future[None]:
        self._waiting.append(_Line(text.decode(), ended))
        if self._batch is None or len(self._waiting) == 1:
            self._batch = asyncio.create_task(self._write_waiting())
        # Whoever leaves takes no news along.
        return asyncio.shield(self._batch)

    async def _write_waiting(self) -> None:
        async with self._turn:
            if not self._is_away:
                await self._try_to_write()

    async def _try_to_write(self) -> None:
        lines, self._waiting = self._waiting, []
        try:
            await self._database.call(_publish, lines)
        except (DatabaseError, TimeoutError):
            logger.warning("other processes cannot be told of a session; the database is away")
            ends = [line for line in lines if line.ended is not None]
            self._waiting = (ends + self._waiting)[-MOST_UNWRITTEN:]
            self._unwritten = {line.ended for line in self._waiting if line.ended is not None}
            self._is_away = True
            asyncio.get_running_loop().call_later(RETRY_S, self._retry)
        else:
            self._unwritten.difference_update(line.ended for line in lines if line.ended)

    def _retry(self) -> None:
        self._is_away = False
        if self._waiting:
            self._batch = asyncio.create_task(self._write_waiting())


def _publish(lines: Sequence[_Line]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # One statement for any number of them: psycopg keeps what it has made of each.
        cursor.execute(
            "INSERT INTO h_ended_session (number) SELECT unnest(%s::uuid[]) ON CONFLICT DO NOTHING",
            [[line.ended for line in lines if line.ended is not None]],
        )
        texts = [line.text for line in lines]
        cursor.execute(
            "SELECT pg_notify(%s, text) FROM unnest(%s::text[]) AS text", [SESSIONS_CHANNEL, texts]
        )
