"""Counters with a most each, which never let more through than that, however many processes count."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.asyncio import Connection
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import RedisError

from gateways.counters.counters import CountersAwayError, Wish

TIMEOUT_S = 1.0
# A window ends by its key; what is left of it in Redis is forgotten so long after.
KEPT_AFTER_S = 60
_CLIENT_ERRORS = (RedisError, OSError, TimeoutError)

# All windows or none. A process takes several permits at once where many are left, and one where few are.
_TAKE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-1} end
local taken = {0}
for i = 2, #KEYS do
    local at = 2 + (i - 2) * 3
    local left = tonumber(ARGV[at]) - tonumber(redis.call('GET', KEYS[i]) or '0')
    if left < 1 then return {i - 1} end
    taken[i] = math.max(1, math.min(tonumber(ARGV[at + 1]), math.floor(left / 64)))
end
for i = 2, #KEYS do
    redis.call('INCRBY', KEYS[i], taken[i])
    redis.call('EXPIRE', KEYS[i], ARGV[2 + (i - 2) * 3 + 2])
end
return taken
"""
# Only where the counters are still those that the permits were taken from.
_RETURN = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #KEYS do
    if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('DECRBY', KEYS[i], ARGV[i]) end
end
return 1
"""
# A place is left by itself when its time is over, as when its process was killed.
_OCCUPY = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
"""


@contextmanager
def _wrapped_errors() -> Iterator[None]:
    try:
        yield
    except _CLIENT_ERRORS as error:
        raise CountersAwayError(type(error).__name__) from error


class RedisCounters:
    """The counters below a prefix of a Redis server, as SharedCounters."""

    def __init__(self, url: str, prefix: str) -> None:
        """Connects when first needed."""
        options: dict[str, Any] = {
            "socket_timeout": TIMEOUT_S,
            "socket_connect_timeout": TIMEOUT_S,
        }
        self._url, self._options, self._prefix = url, options, prefix
        self._run_id = ""
        self._redis = AsyncRedis.from_url(
            url, redis_connect_func=self._begin_connection, retry=Retry(NoBackoff(), 0), **options
        )
        self._take = self._redis.register_script(_TAKE)
        self._return = self._redis.register_script(_RETURN)
        self._occupy = self._redis.register_script(_OCCUPY)

    @property
    def _generation(self) -> str:
        return f"{self._prefix}generation"

    async def _begin_connection(self, connection: Connection) -> None:
        """Learn which run of the server this is. What was to be sent was meant for the one before."""
        await connection.on_connect()
        await connection.send_command("INFO", "server")
        run_id = _read_run_id(await connection.read_response())
        is_another, self._run_id = self._run_id not in {"", run_id}, run_id
        if is_another:
            raise LostConnectionError("the server was restarted")

    def _written(self, generation: int) -> str:
        return f"{generation}@{self._run_id}"

    async def take(self, generation: int, wishes: Sequence[Wish]) -> list[int] | int:
        keys = [self._generation, *(self._prefix + wish.key for wish in wishes)]
        numbers = [number for wish in wishes for number in (wish.most, wish.permits, wish.seconds)]
        with _wrapped_errors():
            if not self._run_id:
                await self._redis.ping()
            answer = await self._take(keys=keys, args=[self._written(generation), *numbers])
        return answer[1:] if answer[0] == 0 else int(answer[0])

    async def give_back(self, generation: int, permits: Mapping[str, int]) -> None:
        keys = [self._generation, *(self._prefix + key for key in permits)]
        with _wrapped_errors():
            await self._return(keys=keys, args=[self._written(generation), *permits.values()])

    async def occupy(self, key: str, most: int, place: str, within_ms: int) -> bool:
        with _wrapped_errors():
            taken = await self._occupy(keys=[self._prefix + key], args=[most, place, within_ms])
        return bool(taken)

    async def leave(self, key: str, place: str) -> None:
        with _wrapped_errors():
            await self._redis.zrem(self._prefix + key, place)

    async def is_there(self) -> bool:
        try:
            return bool(await self._redis.ping())
        except _CLIENT_ERRORS:
            return False

    async def close(self) -> None:
        await self._redis.aclose()

    def are_of(self, generation: int) -> bool:
        with self._connected() as redis:
            run_id = _read_run_id(redis.execute_command("INFO", "server"))
            return bool(redis.get(self._generation) == f"{generation}@{run_id}".encode())

    def begin(self, generation: int, used: Mapping[str, tuple[int, int]]) -> None:
        with self._connected() as redis:
            run_id = _read_run_id(redis.execute_command("INFO", "server"))
            pipeline = redis.pipeline(transaction=True)
            for key, (count, seconds) in used.items():
                pipeline.set(self._prefix + key, count, ex=max(1, seconds) + KEPT_AFTER_S)
            pipeline.set(self._generation, f"{generation}@{run_id}")
            pipeline.execute()

    def count_occupied(self, keys: Sequence[str]) -> list[int]:
        with self._connected() as redis:
            pipeline = redis.pipeline(transaction=False)
            for key in keys:
                pipeline.zcount(self._prefix + key, "-inf", "+inf")
            return [int(count) for count in pipeline.execute()]

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """A client for a thread."""
        with _wrapped_errors(), Redis.from_url(self._url, **self._options) as redis:
            yield redis


def _read_run_id(info: Any) -> str:
    """Of the answer to INFO, which clients have parsed or not; '' where the server does not tell it."""
    if isinstance(info, Mapping):
        return str(info.get("run_id", ""))
    text = info.decode() if isinstance(info, bytes) else str(info)
    lines = dict(line.partition(":")[::2] for line in text.splitlines())
    return lines.get("run_id", "")
