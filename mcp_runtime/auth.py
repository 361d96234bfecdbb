"""Bearer tokens to callers."""

import asyncio
import logging
import time
from dataclasses import dataclass, field
from datetime import datetime

from django.db import Error as DatabaseError
from django.utils import timezone
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token

from access.database_thread import DatabaseThread
from access.keys import find_key, token_digest, token_key_id
from core.bindings import CallerFacts
from mcp_runtime.caller import ANONYMOUS, Caller

logger = logging.getLogger(__name__)

KEY_CACHE_SECONDS = 2.0
KEY_CACHE_SIZE = 1_000
# How long known keys stay good while the database is away.
KEY_GRACE_SECONDS = 300.0
# How long a call with a known key waits for the database to confirm the key.
KEY_PATIENCE_SECONDS = 0.5


@dataclass(slots=True)
class _Entry:
    caller: Caller
    expires_at: datetime | None
    read_at: float = field(default_factory=time.monotonic)

    def is_younger_than(self, seconds: float) -> bool:
        expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return not expired and time.monotonic() - self.read_at < seconds


class KeyVerifier(TokenVerifier):
    """Accepts the API keys of the database; a valid key is remembered for two seconds."""

    def __init__(self, database: DatabaseThread) -> None:
        super().__init__()
        self._database = database
        self._entries: dict[str, _Entry] = {}
        self._readings: dict[str, asyncio.Task[Caller | None]] = {}

    async def verify_token(self, token: str) -> AccessToken | None:
        if token_key_id(token) is None:
            return None
        digest = token_digest(token)
        entry = self._entries.get(digest)
        if entry and entry.is_younger_than(KEY_CACHE_SECONDS):
            caller: Caller | None = entry.caller
        else:
            caller = await self._wait_for_caller(token, digest)
        if caller is None:
            return None
        claims = {"caller": caller}
        return AccessToken(token=token, client_id=caller.key_id, scopes=[], claims=claims)

    def find(self, token: str) -> Caller | None:
        """The caller of a key that was confirmed within two seconds; None where the database has to say."""
        if token_key_id(token) is None:
            return None
        entry = self._entries.get(token_digest(token))
        return entry.caller if entry and entry.is_younger_than(KEY_CACHE_SECONDS) else None

    def forget_keys(self) -> None:
        """Read every key again: one was changed or revoked."""
        self._entries.clear()
        # What they find may be from before the change.
        self._readings.clear()

    async def _wait_for_caller(self, token: str, digest: str) -> Caller | None:
        """The caller as the database has it; as it had it, if it is away or slow."""
        reading = self._begin_reading(token, digest)
        is_known = self._find_known(digest) is not None
        try:
            async with asyncio.timeout(KEY_PATIENCE_SECONDS if is_known else None):
                return await asyncio.shield(reading)
        except TimeoutError:
            # As it is now: where the loop stalled, the reading has ended too and replaced the entry.
            # Without one the key was forgotten meanwhile, and only the database can confirm it.
            known = self._find_known(digest)
            return known or await asyncio.shield(self._begin_reading(token, digest))

    def _find_known(self, digest: str) -> Caller | None:
        """The caller of a key that may be served while the database is away or slow."""
        entry = self._entries.get(digest)
        return entry.caller if entry and entry.is_younger_than(KEY_GRACE_SECONDS) else None

    def _begin_reading(self, token: str, digest: str) -> "asyncio.Task[Caller | None]":
        """One look at the database for all calls with this key that wait for it."""
        if (reading := self._readings.get(digest)) is None:
            loop = asyncio.get_running_loop()
            reading = loop.create_task(self._read_caller(token, digest))
            self._readings[digest] = reading
        return reading

    async def _read_caller(self, token: str, digest: str) -> Caller | None:
        try:
            key = await self._database.call(find_key, token)
        except (DatabaseError, TimeoutError):
            logger.warning("API keys cannot be read; the database is away")
            return self._find_known(digest)
        finally:
            is_current = self._readings.get(digest) is asyncio.current_task()
            if is_current:
                del self._readings[digest]
        if not is_current:
            # Keys were forgotten since this reading began.
            return await asyncio.shield(self._begin_reading(token, digest))
        self._entries.pop(digest, None)
        if key is None:
            return None
        if len(self._entries) >= KEY_CACHE_SIZE:
            self._entries.pop(next(iter(self._entries)))
        facts = CallerFacts(
            key_id=key.key_id,
            name=key.name,
            owner=key.owner.get_username() if key.owner else "",
            # Another program may have written something else than an object: no claims then.
            claims=key.claims if isinstance(key.claims, dict) else {},
            allowed_tools=key.tools,
        )
        caller = Caller(key_id=key.key_id, name=key.name, facts=facts)
        self._entries[digest] = _Entry(caller, key.expires_at)
        return caller


def current_caller() -> Caller:
    """Who makes the request that is being served; ANONYMOUS where authentication is off."""
    token = get_access_token()
    if token is None:
        return ANONYMOUS
    caller = getattr(token, "claims", {}).get("caller")
    return caller if isinstance(caller, Caller) else ANONYMOUS
