"""A real Chroma for tests, started as `manage.py up` starts it; the fixture `chroma` shares one."""

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.services.chroma import EmbeddedChroma
from config.services.ports import choose_free_port
from config.services.processes import Keeper, start, stop
from tests.plugin import DIRECTORY
from tests.waiting import LIMIT_S, wait_until


@dataclass
class ChromaServer:
    """One server of its own, which tests may kill; its data stay in `directory`."""

    directory: Path
    keeper: Keeper
    host: str = "127.0.0.1"
    port: int = field(default_factory=choose_free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, again on the same port and data, and wait until it answers."""
        chroma = EmbeddedChroma(self.directory, self.port, self.directory.with_suffix(".log"))
        self.process = start(chroma.command(), self.keeper)
        wait_until(lambda: self._has_ended() or chroma.is_ready())
        assert not self._has_ended(), "Chroma ended at its start"

    def _has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """End it without a warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as `manage.py up` does."""
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        """Let it accept connections and say nothing."""
        assert self.process is not None
        self._signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            stop(self.process, number, timeout_s=LIMIT_S)
            self.keeper.forget(self.process.pid)
            self.process = None


@dataclass(frozen=True)
class ChromaAddress:
    """Where a server is, for CHROMADB_HOST and CHROMADB_PORT."""

    host: str
    port: int


@pytest.fixture(scope="session")
def chroma(keeper: Keeper) -> Iterator[ChromaAddress]:
    """The run's Chroma, or the one that CHROMADB_HOST named from outside; collections are shared."""
    if host := os.environ.get("CHROMADB_HOST"):
        yield ChromaAddress(host, int(os.environ.get("CHROMADB_PORT", "8000")))
        return
    server = ChromaServer(DIRECTORY / "chroma", keeper)
    server.start()
    yield ChromaAddress(server.host, server.port)
    server.stop()
