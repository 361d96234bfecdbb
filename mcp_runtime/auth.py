"""Bearer tokens to callers."""

import asyncio
import logging
import math
import time
from dataclasses import dataclass, field
from typing import Protocol

from django.db import Error as DatabaseError
from fastmcp.server.auth import AccessToken, TokenVerifier

from access.database_thread import DatabaseThread
from access.keys import find_key, token_end, token_key_id
from access.networks import Network, is_within, read_networks
from access.proxies import find_client
from core.bindings import CallerFacts
from mcp_runtime.caller import Caller
from mcp_runtime.endpoints import CLIENT_ADDRESS

logger = logging.getLogger(__name__)

# So long a key is served as it was read: a revoked one stops then, even where no notification comes.
KEY_CACHE_SECONDS = 1.0
# A key in use is read again before that, so that no call of a busy client waits for it.
KEY_REFRESH_SECONDS = 0.7
KEY_CACHE_SIZE = 1_000
# How long known keys stay good while the database is away.
KEY_GRACE_SECONDS = 300.0
# How long a call with a known key waits for the database to confirm the key.
KEY_PATIENCE_SECONDS = 0.5


class KeysUnavailableError(Exception):
    """The database is away, and nothing is known of a key that may be valid."""


class RefusedAddressError(Exception):
    """The key is valid, and may not be used from this address."""


class NotesRefusals(Protocol):
    """Where refused requests are counted."""

    def __call__(self, token: str, *, is_elsewhere: bool = False) -> None: ...


@dataclass(slots=True)
class _Entry:
    caller: Caller
    # It holds the token.
    access: AccessToken = field(repr=False)
    # None is every address.
    networks: tuple[Network, ...] | None
    # In seconds since 1970.
    expires_at: float
    # On the monotonic clock, before the database was asked: what it says is as old as that.
    read_at: float

    def is_younger_than(self, seconds: float) -> bool:
        return time.monotonic() - self.read_at < seconds and time.time() < self.expires_at


class KeyVerifier(TokenVerifier):
    """Accepts the API keys of the database; remembers for a second which tokens are keys and which are not."""

    def __init__(
        self, database: DatabaseThread, on_refusal: NotesRefusals = lambda *_, **__: None
    ) -> None:
        """`on_refusal` is given each token that a request came with in vain."""
        super().__init__()
        self.on_refusal = on_refusal
        self._database = database
        self._entries: dict[str, _Entry] = {}
        self._readings: dict[str, asyncio.Task[_Entry | None]] = {}
        self._waits: dict[str, asyncio.Future[None]] = {}
        # When the database said of a token that it is no key, on the monotonic clock.
        self._refused: dict[str, float] = {}

    async def verify_token(self, token: str) -> AccessToken | None:
        """As `check`, and notes what is refused."""
        try:
            access = await self.check(token)
        except RefusedAddressError:
            self.on_refusal(token, is_elsewhere=True)
            raise
        if access is None:
            self.on_refusal(token)
        return access

    async def check(self, token: str) -> AccessToken | None:
        """Raises KeysUnavailableError and, for a key of other networks, RefusedAddressError."""
        entry = self._find_fresh(token)
        if entry is None and self._may_be_good(token):
            entry = await self._wait_for_entry(token)
        if entry and entry.networks is not None:
            address = CLIENT_ADDRESS.get()
            if not is_within(address, entry.networks):
                raise RefusedAddressError
        return None if entry is None else entry.access

    def find(
        self, token: str, peer: str = "", forwarded: str = "", *, has_waited: bool = False
    ) -> Caller | None:
        """The caller of a key that is fresh in memory; None where `verify_token` has to judge.

        `peer` is the other end of the connection, `forwarded` what proxies say of it. For a request that
        `has_waited` for `reading_of` or `check` what was read counts, however long it took: on busy cores
        nothing is fresh when it comes. Must be called in the running event loop.
        """
        entry = self._find_known(token) if has_waited else self._find_fresh(token)
        if entry is None:
            return None
        if entry.networks is not None and not is_within(
            find_client(peer, forwarded), entry.networks
        ):
            return None
        return entry.caller

    def reading_of(self, token: str) -> "asyncio.Future[None] | None":
        """Ends when the key was read again, and KEY_PATIENCE_SECONDS later at the latest; one for all who wait.

        None where `find` would say the same again.
        """
        if self._find_fresh(token) is not None or not self._may_be_good(token):
            return None
        if (known := self._waits.get(token)) is not None:
            return known
        loop = asyncio.get_running_loop()
        waited = self._waits[token] = loop.create_future()

        def end(_reading: object = None) -> None:
            alarm.cancel()
            if not waited.done():
                del self._waits[token]
                waited.set_result(None)

        # The database may be silent for long.
        alarm = loop.call_later(KEY_PATIENCE_SECONDS, end)
        self._begin_reading(token).add_done_callback(end)
        return waited

    def forget_keys(self, _payload: str = "") -> None:
        """Read every key again: one was changed or revoked."""
        self._entries.clear()
        self._refused.clear()
        # What they find may be from before the change.
        self._readings.clear()

    def _find_fresh(self, token: str) -> _Entry | None:
        """An entry that needs no confirmation; one that soon will is read again meanwhile."""
        entry = self._entries.get(token)
        if entry is None or not entry.is_younger_than(KEY_CACHE_SECONDS):
            return None
        if time.monotonic() - entry.read_at >= KEY_REFRESH_SECONDS:
            self._begin_reading(token)
        return entry

    def _may_be_good(self, token: str) -> bool:
        """Whether to ask the database; a request that is refused comes here three times on its way."""
        is_refused = time.monotonic() - self._refused.get(token, -math.inf) < KEY_CACHE_SECONDS
        return not is_refused and token_key_id(token) is not None

    async def _wait_for_entry(self, token: str) -> _Entry | None:
        """The key as the database has it; as it had it, if it is away or slow."""
        reading = self._begin_reading(token)
        is_known = self._find_known(token) is not None
        try:
            async with asyncio.timeout(KEY_PATIENCE_SECONDS if is_known else None):
                return await asyncio.shield(reading)
        except TimeoutError:
            # As it is now: where the loop stalled, the reading has ended too and replaced the entry.
            # Without one the key was forgotten meanwhile, and only the database can confirm it.
            known = self._find_known(token)
            return known or await asyncio.shield(self._begin_reading(token))

    def _find_known(self, token: str) -> _Entry | None:
        """A key that may be served while the database is away or slow."""
        entry = self._entries.get(token)
        return entry if entry and entry.is_younger_than(KEY_GRACE_SECONDS) else None

    def _begin_reading(self, token: str) -> "asyncio.Task[_Entry | None]":
        """One look at the database for all calls with this key that wait for it."""
        if (reading := self._readings.get(token)) is None:
            loop = asyncio.get_running_loop()
            reading = loop.create_task(self._read_entry(token))
            # Nobody may wait for it any more.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._readings[token] = reading
        return reading

    async def _read_entry(self, token: str) -> _Entry | None:
        read_at = time.monotonic()
        try:
            key = await self._database.call(find_key, token)
        except (DatabaseError, TimeoutError):
            logger.warning("API keys cannot be read; the database is away")
            if known := self._find_known(token):
                return known
            raise KeysUnavailableError from None
        finally:
            is_current = self._readings.get(token) is asyncio.current_task()
            if is_current:
                del self._readings[token]
        if not is_current:
            # Keys were forgotten since this reading began.
            return await asyncio.shield(self._begin_reading(token))
        self._entries.pop(token, None)
        if key is None:
            if len(self._refused) >= KEY_CACHE_SIZE:
                self._refused.clear()
            self._refused[token] = read_at
            return None
        if len(self._entries) >= KEY_CACHE_SIZE:
            self._entries.pop(next(iter(self._entries)))
        facts = CallerFacts(
            key_id=key.key_id,
            name=key.name,
            owner=key.owner.get_username() if key.owner else "",
            # Another program may have written something else than an object: no claims then.
            claims=key.claims if isinstance(key.claims, dict) else {},
            grant=key.grant,
        )
        caller = Caller(key_id=key.key_id, name=key.name, facts=facts)
        access = AccessToken(
            token=token, client_id=key.key_id, scopes=[], claims={"caller": caller}
        )
        networks = read_networks(key.allowed_networks)
        end = token_end(key, token)
        expires_at = end.timestamp() if end else math.inf
        entry = self._entries[token] = _Entry(caller, access, networks, expires_at, read_at)
        return entry
