"""Starts services in the order of their needs, keeps them running, and stops them in reverse."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from config.services.processes import Command, Keeper, kill_group, start, wait_for_end
from core.errors import ConfigurationError

POLL_S = 0.05
# All of a stop; the last level, the databases, always has its part of it.
STOP_LIMIT_S = 9.0
LAST_LEVEL_S = 2.5
LAST_LINES = 20
CHORES_INTERVAL_S = 5.0
Say = Callable[[str], None]


@dataclass(frozen=True)
class Service:
    """One child process.

    `make_command` may take a while and touch the disk. The service is up when `is_ready` is true
    and `prepare` has run; a service with `runs_once` is up when it has ended with status 0.
    Nothing waits for one that is not `awaited`; if it runs once, it may also fail. The needs must be
    up before it is started.
    """

    name: str
    make_command: Callable[[], Command]
    is_ready: Callable[[], bool] = lambda: True
    prepare: Callable[[], None] = lambda: None
    needs: frozenset[str] = frozenset()
    stop_signal: signal.Signals = signal.SIGTERM
    ready_timeout_s: float = 60.0
    runs_once: bool = False
    awaited: bool = True


@dataclass(frozen=True)
class RestartPolicy:
    """A dead service is started again at most `limit` times in `window_s`, later each time.

    While there is an obstacle such as a full disk, it is tried every `blocked_delay_s` without limit.
    """

    limit: int = 5
    window_s: float = 60.0
    first_delay_s: float = 0.5
    blocked_delay_s: float = 3.0


@dataclass
class Child:
    """A service that has been started."""

    service: Service
    process: subprocess.Popen[bytes]
    command: Command
    log_offset: int

    def last_words(self) -> str:
        """The end of what it has written since its start, indented."""
        log = self.command.log
        if log is None or not log.exists():
            return ""
        with log.open("rb") as file:
            # A log that became too large has been emptied meanwhile.
            file.seek(self.log_offset if self.log_offset <= log.stat().st_size else 0)
            lines = file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join((f"  the end of {log}:", *(f"  | {line}" for line in lines)))


class _NotUpError(ConfigurationError):
    """A service that ended or kept silent during its start."""


@dataclass
class Supervisor:
    """Runs `services` until a signal stops it.

    `record` gets the process ids at each change; after an OSError it gets them again soon.
    `find_obstacle` says why no service can be expected to start now, '' for nothing. `do_chores` is
    called every few seconds. Both are called in threads.
    """

    services: Sequence[Service]
    keeper: Keeper
    say: Say
    policy: RestartPolicy = RestartPolicy()
    record: Callable[[dict[str, int]], None] = lambda pids: None
    find_obstacle: Callable[[], str] = lambda: ""
    do_chores: Callable[[], None] = lambda: None
    _children: dict[str, Child] = field(default_factory=dict, init=False)
    _up: dict[str, asyncio.Event] = field(default_factory=dict, init=False)
    _deaths: dict[str, deque[float]] = field(default_factory=dict, init=False)
    _blocked: set[str] = field(default_factory=set, init=False)
    _is_recorded: bool = field(default=True, init=False)
    _stop_requested: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def run(self, when_up: Callable[[], None]) -> None:
        """Call `when_up` once everything is up, and return when all is stopped again.

        SIGINT, SIGTERM and SIGHUP stop it; a second SIGINT kills. Raises ConfigurationError, with
        the end of the log, for a service that does not come up or does not stay up.
        """
        self.services = _in_order(self.services)
        self._up = {service.name: asyncio.Event() for service in self.services}
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)
        work = asyncio.create_task(self._work(when_up))
        stop = asyncio.create_task(self._stop_requested.wait())
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        for task in (work, stop):
            task.cancel()
        outcome, _ = await asyncio.gather(work, stop, return_exceptions=True)
        self._stop_requested.set()
        await self._stop_all()
        if isinstance(outcome, Exception):
            raise outcome

    def _on_signal(self, number: signal.Signals) -> None:
        if number is signal.SIGINT and self._stop_requested.is_set():
            self.say("killing everything")
            for child in self._children.values():
                if child.process.poll() is None:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(child.process.pid, child.command.death_signal)
        self._stop_requested.set()

    async def _work(self, when_up: Callable[[], None]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for service in self.services:
                    group.create_task(self._keep(service))
                group.create_task(self._announce(when_up))
                group.create_task(self._look_after())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _announce(self, when_up: Callable[[], None]) -> None:
        for service in self.services:
            if service.awaited:
                await self._up[service.name].wait()
        while True:
            try:
                return when_up()
            except OSError as error:
                self.say(
                    f"everything runs, but that cannot be written down ({error}); trying again"
                )
            await asyncio.sleep(self.policy.blocked_delay_s)

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(CHORES_INTERVAL_S)
            await asyncio.to_thread(self.do_chores)
            if not self._is_recorded:
                self._record()
            if self._blocked and not await asyncio.to_thread(self.find_obstacle):
                self._blocked.clear()

    async def _keep(self, service: Service) -> None:
        for need in service.needs:
            await self._up[need].wait()
        child = await self._bring_up(service)
        self._up[service.name].set()
        while not service.runs_once:
            await wait_for_end(child.process, POLL_S)
            child = await self._restart(child)

    async def _bring_up(self, service: Service) -> Child:
        began = time.monotonic()
        command = await asyncio.to_thread(service.make_command)
        offset = command.log.stat().st_size if command.log and command.log.exists() else 0
        child = Child(service, start(command, self.keeper), command, offset)
        self._children[service.name] = child
        self._record()
        await self._until_ready(child)
        await asyncio.to_thread(service.prepare)
        if service.awaited:
            self.say(f"  {service.name:<11} up in {time.monotonic() - began:.1f} s")
        return child

    async def _until_ready(self, child: Child) -> None:
        service = child.service
        deadline = time.monotonic() + service.ready_timeout_s
        while True:
            status = child.process.poll()
            if service.runs_once:
                is_up = status == 0 or (status is not None and not service.awaited)
            else:
                is_up = status is None and await asyncio.to_thread(service.is_ready)
            if is_up:
                return
            if status is not None:
                words = child.last_words()
                raise _NotUpError(f"{service.name} {_ending(status)} during its start\n{words}")
            if time.monotonic() > deadline:
                limit = f"{service.ready_timeout_s:g} s"
                words = child.last_words()
                raise _NotUpError(f"{service.name} was not ready within {limit}\n{words}")
            await asyncio.sleep(POLL_S)

    async def _restart(self, child: Child) -> Child:
        """The next child of a service that ended; tried until it is up."""
        failure: Exception = _NotUpError()
        while True:
            await asyncio.sleep(await self._next_delay(child, failure))
            try:
                return await self._bring_up(child.service)
            except (ConfigurationError, OSError) as error:
                failure = error
                child = self._children[child.service.name]

    async def _next_delay(self, child: Child, failure: Exception) -> float:
        """How long to wait before the next start of a service that ended, or did not come up.

        Raises the failure if another start cannot help, and ConfigurationError when there were
        too many deaths; neither while an obstacle explains them.
        """
        self._end(child)
        name, policy = child.service.name, self.policy
        what = f"{name} {_ending(child.process.returncode)}"
        if obstacle := await asyncio.to_thread(self.find_obstacle):
            if name not in self._blocked:
                self.say(f"{what}; {obstacle}; trying every {policy.blocked_delay_s:g} s")
            self._blocked.add(name)
            return policy.blocked_delay_s
        if not isinstance(failure, _NotUpError | OSError):
            raise failure
        now = time.monotonic()
        recent = self._deaths.setdefault(name, deque())
        recent.append(now)
        while now - recent[0] > policy.window_s:
            recent.popleft()
        deaths = len(recent)
        if deaths > policy.limit:
            times = f"{deaths} times within {policy.window_s:g} s"
            raise ConfigurationError(f"{what}, {times}; giving up\n{child.last_words()}")
        delay: float = policy.first_delay_s * 2 ** (deaths - 1)
        self.say(f"{what}; starting it again in {delay:g} s ({deaths} of {policy.limit})")
        return delay

    def _end(self, child: Child) -> None:
        """Leave nothing of a child that is over, or that has failed to come up."""
        kill_group(child.process.pid)
        child.process.wait()
        self.keeper.forget(child.process.pid)
        self._record()

    async def _stop_all(self) -> None:
        """Stop the children level by level, those that nothing needs any more first."""
        depths: dict[str, int] = {}
        for service in self.services:
            depths[service.name] = 1 + max((depths[need] for need in service.needs), default=0)
        levels: dict[int, list[Child]] = {}
        for name, child in self._children.items():
            levels.setdefault(depths[name], []).append(child)
        deadline = time.monotonic() + STOP_LIMIT_S
        for depth in sorted(levels, reverse=True):
            reserved = 0.0 if depth == min(levels) else LAST_LEVEL_S
            await self._stop_level(levels[depth], deadline - reserved)

    async def _stop_level(self, children: list[Child], deadline: float) -> None:
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(child.service.stop_signal)
        while any(child.process.poll() is None for child in children):
            if time.monotonic() > deadline:
                names = [child.service.name for child in children if child.process.poll() is None]
                self.say(f"killing {', '.join(names)}, which did not stop in time")
                break
            await asyncio.sleep(POLL_S)
        for child in children:
            self._end(child)

    def _record(self) -> None:
        children = self._children.items()
        pids = {name: child.process.pid for name, child in children if child.process.poll() is None}
        try:
            self.record(pids)
        except OSError as error:
            if self._is_recorded:
                self.say(f"the process ids cannot be written down: {error.strerror}")
            self._is_recorded = False
        else:
            self._is_recorded = True


def _ending(status: int) -> str:
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _in_order(services: Sequence[Service]) -> list[Service]:
    """Needs first; raises ValueError on needs that are missing or go in a circle."""
    ordered: dict[str, Service] = {}
    while len(ordered) < len(services):
        ready = [s for s in services if s.name not in ordered and s.needs <= ordered.keys()]
        if not ready:
            raise ValueError("the services' needs are missing or go in a circle")
        ordered.update({service.name: service for service in ready})
    return list(ordered.values())
