"""A warm pool of sandboxed processes in which scripts run, apart from everything else."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from time import monotonic
from typing import Self

from core.errors import (
    DeadlineExceededError,
    DefinitionError,
    EvaluationError,
    ScriptsBusyError,
)
from core.messages import Message, message
from core.script import CompiledScript
from core.toolspec import JsonValue
from gateways.fair_queue import DEFAULT_MAX_WAIT_MS, FairQueue
from gateways.query_deadline import advise
from gateways.scripts.forks import ScriptForks
from gateways.scripts.messages import encode_request
from gateways.scripts.process import ProcessLostError, ScriptProcess
from gateways.scripts.sandbox import missing_support
from gateways.scripts.worker import WorkerOptions

START_WITHIN_S = 5.0
# A script that ends its process every time costs others no more than these forks of some ms each.
FORKS_PER_S = 20
FORK_BURST = 10
# After a failure to start a process at all; twice as long after each further one.
RETRY_AFTER_S = 1.0
RETRY_AFTER_AT_MOST_S = 60.0

NO_START = message("scripts.do_not_start", "their processes do not start")
CLOSED_TEXT = message("scripts.closed", "the script processes were stopped; retry in a few seconds")
LOST_TEXT = message(
    "scripts.lost",
    "the script needed too much memory or crashed; ask for less, or let the script hold less at once",
)
_COMPUTE_LESS = message("advice.compute_less", "ask for less, or let the tool compute less")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptWorkerSettings:
    """The pool's limits.

    `size` processes run at a time, each within `memory_bytes` of address space and for at most
    `recycle_after` calls. A caller waits for one at most `max_wait_ms`, and within its own time.
    `answer_limit_bytes` bounds a result as JSON.
    """

    size: int = 2
    memory_bytes: int = 512_000_000
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    answer_limit_bytes: int = 1_000_000
    recycle_after: int = 1_000


class ScriptWorkers:
    """A ScriptRunner; start it, use it and close it in one event loop.

    `language` is the module whose `compile_script` the processes use.
    """

    def __init__(
        self,
        settings: ScriptWorkerSettings | None = None,
        language: str = "gateways.scripts.language",
    ) -> None:
        self.settings = settings or ScriptWorkerSettings()
        spec = find_spec("asteval")
        options = WorkerOptions(
            language=language,
            asteval=(spec and spec.origin) or "",
            memory_bytes=self.settings.memory_bytes,
            answer_limit=self.settings.answer_limit_bytes,
        )
        self._forks = ScriptForks(options)
        self._allowance = Allowance(FORKS_PER_S, FORK_BURST)
        self._numbers = count(1)
        self._processes: set[ScriptProcess] = set()
        self._idle: list[ScriptProcess] = []
        self._queue: FairQueue[ScriptProcess] = FairQueue(
            message("scripts.process", "script process"),
            size=self.settings.size,
            max_wait_s=self.settings.max_wait_ms / 1_000,
            refuse=ScriptsBusyError,
            take_back=self._give_back,
        )
        self._filling: asyncio.Task[None] | None = None
        self._fault: Message | None = message(
            "scripts.not_started", "their processes are not started"
        )
        self._was_tried = asyncio.Event()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def fork_server_pid(self) -> int | None:
        """The process that starts the script processes, while there is one."""
        return self._forks.pid

    def check(self) -> None:
        """Raise DefinitionError, with the reason, where scripts cannot be run safely."""
        if self._fault is not None:
            raise DefinitionError(
                message(
                    "scripts.cannot_run", "scripts cannot run here: {reason}", reason=self._fault
                )
            )

    async def start(self) -> None:
        """Start the first process, which proves the sandbox; the others follow in the background.

        Never raises: where it fails, `check` tells why.
        """
        self.begin()
        await self.wait_for_first()

    def begin(self) -> None:
        """As `start`, all of it in the background."""
        self._is_closed = False
        if fault := missing_support():
            self._fault = fault
            self._was_tried.set()
            return
        self._fault = NO_START
        self._was_tried.clear()
        self._fill()

    async def wait_for_first(self) -> None:
        """Return when the first process was tried, or it takes longer than it should."""
        if not self._was_tried.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(START_WITHIN_S):
                    await self._was_tried.wait()

    async def close(self) -> None:
        """End every process; calls that run fail, those that wait are told that it is busy."""
        self._is_closed = True
        self._fault = message("scripts.stopped", "their processes were stopped")
        if self._filling is not None and self._filling.cancel():
            await asyncio.wait([self._filling])
        for process in list(self._processes):
            process.abort()
        self._queue.refuse_all(CLOSED_TEXT)
        await self._forks.close()

    async def run(
        self,
        script: CompiledScript,
        values: Mapping[str, object],
        timeout_ms: int,
        caller: str = "",
    ) -> JsonValue:
        """The result. Callers wait in turns for a process, within their time.

        Raises EvaluationError, DeadlineExceededError, ScriptsBusyError, and DefinitionError as
        `check` does.
        """
        self.check()
        read = {name: values[name] for name in script.names if name in values}
        request = encode_request(script.text, read)
        loop = asyncio.get_running_loop()
        began = loop.time()
        until = began + timeout_ms / 1_000
        process = await self._take(caller, until)
        taken = loop.time()
        waited_s = taken - began
        reply = None
        try:
            async with asyncio.timeout_at(until):
                reply = await process.ask(request)
        except TimeoutError as error:
            raise DeadlineExceededError(
                message(
                    "scripts.deadline",
                    "the script took longer than {seconds} s and was stopped; {advice}",
                    seconds=f"{timeout_ms / 1_000:g}",
                    advice=advise(_COMPUTE_LESS, waited_s),
                )
            ) from error
        except ProcessLostError as error:
            raise EvaluationError(LOST_TEXT) from error
        finally:
            self._queue.drop(caller, loop.time() - taken)
            if reply is None or reply.is_spent:
                process.abort()
            self._give_back(process)
        if reply.error is not None:
            raise EvaluationError(reply.error)
        return reply.result

    async def _take(self, caller: str, until: float) -> ScriptProcess:
        while self._queue.may_take(caller, len(self._idle)):
            if not (process := self._idle.pop()).is_lost:
                self._queue.hold(caller)
                return process
        return await self._queue.wait(caller, until)

    def _give_back(self, process: ScriptProcess) -> None:
        if process.is_lost:
            return
        if self._is_closed or process.calls >= self.settings.recycle_after:
            process.abort()
            return
        self._idle.append(process)
        while self._idle and self._queue.offer(self._idle[-1], len(self._idle)):
            self._idle.pop()

    def _fill(self) -> None:
        """Fork what is missing, in the background."""
        if self._filling is None or self._filling.done():
            self._filling = asyncio.get_running_loop().create_task(self._fork_missing())

    async def _fork_missing(self) -> None:
        retry_after_s = RETRY_AFTER_S
        while len(self._processes) < self.settings.size:
            await asyncio.sleep(self._allowance.next_delay_s())
            try:
                process = await self._fork()
            except (OSError, ProcessLostError) as error:
                logger.warning("No script process: %r", error)
                self._was_tried.set()
                await asyncio.sleep(retry_after_s)
                retry_after_s = min(2 * retry_after_s, RETRY_AFTER_AT_MOST_S)
                continue
            self._was_tried.set()
            retry_after_s = RETRY_AFTER_S
            if self._fault is not None:
                logger.error("Scripts are refused: %s", self._fault)
                process.abort()
                return
            self._give_back(process)

    async def _fork(self) -> ScriptProcess:
        """A process that has greeted. Raises OSError, of which TimeoutError is one, ProcessLostError."""
        process = await self._forks.fork(next(self._numbers), self._forget)
        self._processes.add(process)
        try:
            async with asyncio.timeout(START_WITHIN_S):
                leak = await process.greet()
        except BaseException:
            process.abort()
            raise
        self._fault = None
        if leak:
            self._fault = message(
                "scripts.sandbox_leaks",
                "their sandbox does not hold, {reason}",
                reason=leak,
            )
        return process

    def _forget(self, process: ScriptProcess) -> None:
        """Have a lost process ended, and another in its place."""
        self._processes.discard(process)
        if process in self._idle:
            self._idle.remove(process)
        self._forks.end(process.number, was_lost=not process.was_cut_off)
        if not self._is_closed and self._fault is None:
            self._fill()


class Allowance:
    """At most `rate` uses a second over time, `burst` of them at once."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._interval_s = 1 / rate
        self._burst_s = burst / rate
        self._free_at = 0.0

    def next_delay_s(self) -> float:
        """How long to wait for the next use, which is taken."""
        now = self._clock()
        self._free_at = max(self._free_at, now - self._burst_s) + self._interval_s
        return max(0.0, self._free_at - now)
