"""The server's end of the fork server: starts it, orders processes from it, and has them ended."""

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from gateways.scripts.process import ScriptProcess
from gateways.scripts.worker import WorkerOptions

END_WITHIN_S = 3.0
_LOOK_EVERY_S = 0.01
ORDER_BYTES = 64
PROJECT = Path(__file__).parents[2]

# -I and -S: nothing of the environment, the user or the installed packages gets in.
_BOOT = (
    "import sys; sys.path.insert(0, {!r}); from gateways.scripts.fork_server import main; main()"
)
_FLAGS = ("-I", "-S", "-W", "ignore", "-X", "utf8")

logger = logging.getLogger(__name__)


class ScriptForks:
    """Script processes by number; a fork server that was lost is started again when one is needed.

    To be used in one event loop.
    """

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._living: set[int] = set()
        self._ended_by_us: set[int] = set()

    @property
    def pid(self) -> int | None:
        """The fork server's process id, while it runs."""
        return self._server.pid if self._server else None

    async def fork(self, number: int, on_lost: Callable[[ScriptProcess], None]) -> ScriptProcess:
        """A new process, which will greet; raises OSError when the system refuses."""
        ours, theirs = socket.socketpair()
        with theirs:
            order, files = [f"fork {number}".encode()], [theirs.fileno()]
            try:
                try:
                    socket.send_fds(self._running(), order, files)
                except ConnectionError:
                    # It had ended, and we had not heard of it yet.
                    self._lose_server()
                    socket.send_fds(self._running(), order, files)
            except OSError:
                ours.close()
                raise
        self._living.add(number)
        _, process = await asyncio.get_running_loop().create_unix_connection(
            lambda: ScriptProcess(number, self._options.answer_limit, on_lost), sock=ours
        )
        return process

    def end(self, number: int, was_lost: bool = False) -> None:
        """SIGKILL to the process; one that `was_lost` before is only waited for, and logged."""
        if self._control is None or number not in self._living:
            return  # It went with an earlier fork server.
        self._living.discard(number)
        if not was_lost:
            self._ended_by_us.add(number)
        try:
            self._control.send(f"end {number}".encode())
        except OSError:
            self._lose_server()

    async def close(self) -> None:
        """End the fork server and all its processes."""
        server, self._server = self._server, None
        self._forget_control()
        if server is None:
            return
        try:
            # No thread can wait for it: none is started any more when Python itself ends.
            async with asyncio.timeout(END_WITHIN_S):
                while server.poll() is None:  # noqa: ASYNC110 - a process sets no event
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            _kill(server)

    def _running(self) -> socket.socket:
        if self._control is None:
            self._control = self._start()
            asyncio.get_running_loop().add_reader(self._control, self._hear)
        return self._control

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        boot = _BOOT.format(str(PROJECT))
        arguments = (json.dumps(asdict(self._options)), str(os.getpid()))
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, *_FLAGS, "-c", boot, *arguments],
                # Nothing, unless Python itself needs to find its libraries.
                env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        ours.setblocking(False)
        return ours

    def _hear(self) -> None:
        """Read one answer of the fork server; an empty one is its end."""
        answer = b""
        try:
            answer = self._control.recv(ORDER_BYTES) if self._control else b""
        except BlockingIOError:
            return
        except ConnectionError:
            pass  # As good as an end.
        match answer.decode().split():
            case ["ended", number, _] if int(number) in self._ended_by_us:
                self._ended_by_us.discard(int(number))
            case ["ended", _, status]:
                logger.warning(
                    "A script process ended by itself: %s", _describe_status(int(status))
                )
            case _:
                logger.error(
                    "The fork server of scripts has ended; it is started again when needed"
                )
                self._lose_server()

    def _lose_server(self) -> None:
        server, self._server = self._server, None
        self._forget_control()
        if server is not None:
            _kill(server)

    def _forget_control(self) -> None:
        control, self._control = self._control, None
        self._living.clear()
        self._ended_by_us.clear()
        if control is not None:
            asyncio.get_running_loop().remove_reader(control)
            control.close()


def _kill(server: subprocess.Popen[bytes]) -> None:
    """Its processes go with it: the kernel sends them the death signal."""
    server.kill()
    server.wait()


def _describe_status(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.waitstatus_to_exitcode(status)}"
