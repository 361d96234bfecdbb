"""Where the vectors are kept."""

import re
from dataclasses import dataclass

from core.errors import ConfigurationError
from core.messages import message

# Chroma's own rule; checked here because a wrong name would only show at the first search.
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")
_HOST = re.compile(r"[A-Za-z0-9._:%-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorStoreSettings:
    """One collection of one Chroma server.

    A search, like every other reading, may take `timeout_s` with all its retries; writing one batch
    and deleting the collection `write_timeout_s`. At most `max_connections` requests are under way,
    the others wait within their time. Raises ConfigurationError for a name that cannot exist.
    """

    host: str
    port: int
    collection: str
    timeout_s: float = 5.0
    write_timeout_s: float = 60.0
    connect_timeout_s: float = 1.0
    max_connections: int = 16

    def __post_init__(self) -> None:
        if not _HOST.fullmatch(self.host):
            raise ConfigurationError(
                message(
                    "vectors.host",
                    "CHROMADB_HOST is the name or address of a host alone, without http:// and port",
                )
            )
        if not 0 < self.port < 65_536:
            raise ConfigurationError(
                message(
                    "vectors.port",
                    "CHROMADB_PORT is a number from 1 to 65535 (got {port})",
                    port=str(self.port),
                )
            )
        if not _NAME.fullmatch(self.collection):
            raise ConfigurationError(
                message(
                    "vectors.collection_name",
                    "CHROMADB_COLLECTION_NAME has 3 to 512 letters, digits, dots, underscores or"
                    " hyphens and starts and ends with a letter or digit (got {name})",
                    name=repr(self.collection[:64]),
                )
            )
