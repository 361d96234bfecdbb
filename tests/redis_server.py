"""A Redis of a test's own, which it may kill."""

import signal
from pathlib import Path

from config.services.ports import choose_free_port
from config.services.processes import Keeper, start, stop
from config.services.valkey import EmbeddedValkey
from tests.waiting import LIMIT_S, wait_until


class Redis:
    """A server that can be killed, and started again with what it has kept or with nothing."""

    def __init__(self, directory: Path, keeper: Keeper) -> None:
        self.valkey = EmbeddedValkey(directory, choose_free_port(), "secret")
        self._keeper = keeper
        self.start()

    def start(self) -> None:
        self._process = start(self.valkey.command(), self._keeper)
        wait_until(self.valkey.is_ready)

    def kill(self) -> None:
        stop(self._process, signal.SIGKILL, timeout_s=LIMIT_S)
        self._keeper.forget(self._process.pid)

    def forget(self) -> None:
        for path in self.valkey.directory.rglob("*"):
            if path.is_file() and path.name != "valkey.conf":
                path.unlink()
