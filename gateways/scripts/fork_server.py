"""The program that forks script processes: small, with one thread, everything they use imported.

It runs no script itself. It takes orders over file descriptor 0 from the server, and ends all it has
forked when the server orders it, closes the socket, or dies by whatever cause.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
from typing import NoReturn

from gateways.scripts.worker import CHANNEL, Compile, WorkerOptions, become_worker

ORDER_BYTES = 64

# What the standard library would import while a script runs, when no file can be opened any more.
_LAZY_IMPORTS = ("_strptime", "encodings.idna", "encodings.utf_16", "unicodedata", "linecache")


class ForkServer:
    """Obeys `fork NUMBER`, which comes with a socket, and `end NUMBER`.

    An end is answered by `ended NUMBER STATUS`, the status as from waitpid.
    """

    def __init__(self, control: socket.socket, options: WorkerOptions, compiler: Compile) -> None:
        self._control = control
        self._options = options
        self._compiler = compiler
        self._pids: dict[str, int] = {}

    def serve(self, server_pid: int) -> None:
        """Obey until the server is gone; then nothing that was forked is left."""
        watched: list[socket.socket | int] = [self._control]
        # Readable at the end of the server; where the kernel has no such, the control socket tells.
        with contextlib.suppress(OSError, AttributeError):
            watched.append(os.pidfd_open(server_pid))
        with contextlib.suppress(ConnectionError):
            while os.getppid() == server_pid:
                ready, _, _ = select.select(watched, [], [])
                if self._control not in ready or not self._obey():
                    break
        for number in list(self._pids):
            self._end(number)

    def _obey(self) -> bool:
        """Take the next order; False once there is nobody to obey any more."""
        order, files, _, _ = socket.recv_fds(self._control, ORDER_BYTES, 1)
        match order.decode().split():
            case ["fork", number]:
                self._fork(number, files[0])
            case ["end", number]:
                status = self._end(number)
                self._control.send(f"ended {number} {status}".encode())
            case _:
                return False
        return True

    def _fork(self, number: str, channel: int) -> None:
        parent = os.getpid()
        # Where the system has no room for a process, the closed channel tells the server.
        with contextlib.suppress(OSError):
            self._pids[number] = os.fork() or self._become_worker(parent, channel)
        os.close(channel)

    def _become_worker(self, parent: int, channel: int) -> NoReturn:
        try:
            os.dup2(channel, CHANNEL)
            become_worker(self._options, self._compiler, parent)
        finally:
            # Nothing of the fork server may go on in the child.
            os._exit(1)

    def _end(self, number: str) -> int:
        pid = self._pids.pop(number, 0)
        if not pid:
            return 0
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]


def main() -> None:
    """`OPTIONS SERVER_PID`, the options as JSON."""
    options, server_pid = WorkerOptions.from_json(sys.argv[1]), int(sys.argv[2])
    os.environ.clear()
    for name in _LAZY_IMPORTS:
        importlib.import_module(name)
    compiler = options.load_compiler()
    # Pages that no collection touches stay shared with the forks. They do not collect either: it costs
    # deep values seconds, and a process that has grown is replaced.
    gc.disable()
    gc.freeze()
    with socket.socket(fileno=0) as control:
        ForkServer(control, options, compiler).serve(server_pid)
