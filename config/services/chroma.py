"""Chroma's own server, run by us."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import Command, plain_environment
from config.services.readiness import answers_http
from core.errors import ConfigurationError

# What the `chroma` script does after importing all of chromadb, which costs two seconds.
PROGRAM = (
    "import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(['chroma', *sys.argv[1:]])"
)


@dataclass(frozen=True)
class EmbeddedChroma:
    """One server on 127.0.0.1:`port` whose collections are in `directory`."""

    directory: Path
    port: int
    log: Path | None = None

    def command(self) -> Command:
        """The server in the foreground."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Command(
            argv=(
                *(sys.executable, "-c", PROGRAM, "run", "--path", str(self.directory)),
                *("--host", "127.0.0.1", "--port", str(self.port)),
            ),
            environment=plain_environment()
            | {"ANONYMIZED_TELEMETRY": "False", "HOME": str(self.directory)},
            log=self.log,
            folder=self.directory,
        )

    def is_ready(self) -> bool:
        """True once the server answers."""
        return answers_http("127.0.0.1", self.port, "/api/v2/heartbeat")


def require_chroma() -> None:
    """ConfigurationError where its wheel does not exist."""
    if importlib.util.find_spec("chromadb_rust_bindings") is None:
        raise ConfigurationError("there is no embedded Chroma for this system; set CHROMADB_HOST")
