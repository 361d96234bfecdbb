"""Which embedded services stand in for unset variables, and the variables that lead to them."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.services.chroma import EmbeddedChroma, require_chroma
from config.services.embeddings import (
    NGRAM_NOTICE,
    EmbeddedEmbeddings,
    EmbeddedNgrams,
    has_embedded_model,
)
from config.services.options import Options
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Command
from config.services.state import DataDirectory, Secrets
from config.services.supervisor import Service
from config.services.valkey import EmbeddedValkey, find_binary
from core.errors import ConfigurationError


@dataclass
class Embedded:
    """`ports` are the ones to be listened on, by service; `notices` say what people should know.

    `demo_dsn` is the owner's, None without a demo database. `folders` are written to beside the data
    folder.
    """

    services: list[Service] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    demo_dsn: str | None = None
    folders: list[Path] = field(default_factory=list)


@dataclass(frozen=True)
class EmbeddedBuilder:
    """Chooses the embedded services of one data folder."""

    options: Options
    directory: DataDirectory
    secrets: Secrets
    stored_ports: Mapping[str, int]
    has_model: bool = field(default_factory=has_embedded_model)
    result: Embedded = field(default_factory=Embedded)

    def build(self) -> Embedded:
        """All embedded services; if a wheel does not exist, a notice says what that means."""
        self._add_postgres()
        self._unless_set("REDIS_URL", self._add_valkey)
        self._unless_set("CHROMADB_HOST", self._add_chroma)
        self._unless_set("TEXT_EMBEDDING_MODEL_URL", self._add_embeddings)
        return self.result

    def _unless_set(self, variable: str, add: Callable[[], None]) -> None:
        if self.options.is_set(variable):
            return
        try:
            add()
        except ConfigurationError as error:
            self.result.notices.append(str(error))

    def _add_postgres(self) -> None:
        has_own_database = not self.options.is_set("DATABASE_URL")
        has_demo = self.options.has_demo and not self.options.is_set("POSTGRESQL_DB_HOST")
        if not has_own_database and not has_demo:
            return
        server = EmbeddedPostgres(
            self.directory.root / "postgres",
            self.stored_ports["postgres"],
            self.secrets.postgres_passwords,
            log=self.directory.log("postgres"),
        )
        if server.home.notice:
            self.result.notices.append(server.home.notice)
        self.result.folders.append(server.home.data.parent)
        if has_own_database:
            self.result.variables["DATABASE_URL"] = server.dsn("toolbuilder", "app")
        if has_demo:
            self.result.demo_dsn = server.dsn("demo", "demo_owner")
            self.result.variables |= {
                "POSTGRESQL_DB_HOST": "127.0.0.1",
                "POSTGRESQL_DB_PORT": str(server.port),
                "POSTGRESQL_DB_NAME": "demo",
                "POSTGRESQL_DB_USER": "demo_reader",
                "POSTGRESQL_DB_PASS": server.passwords["demo_reader"],
            }
        self._add(_postgres_service(server), server.port)

    def _add_valkey(self) -> None:
        find_binary()
        server = EmbeddedValkey(
            self.directory.root / "valkey",
            self.stored_ports["valkey"],
            self.secrets.redis_password,
            log=self.directory.log("valkey"),
        )
        self.result.variables["REDIS_URL"] = server.url
        self._add(Service("valkey", server.command, server.is_ready), server.port)

    def _add_chroma(self) -> None:
        require_chroma()
        server = EmbeddedChroma(
            self.directory.root / "chroma",
            self.stored_ports["chroma"],
            log=self.directory.log("chroma"),
        )
        self.result.variables |= {"CHROMADB_HOST": "127.0.0.1", "CHROMADB_PORT": str(server.port)}
        self._add(Service("chroma", server.command, server.is_ready), server.port)

    def _add_embeddings(self) -> None:
        kind = EmbeddedEmbeddings if self.has_model else EmbeddedNgrams
        if not self.has_model:
            self.result.notices.append(NGRAM_NOTICE)
        server = kind(self.stored_ports["embeddings"], log=self.directory.log("embeddings"))
        self.result.variables |= server.variables
        self._add(Service("embeddings", server.command, server.is_ready), server.port)

    def _add(self, service: Service, port: int) -> None:
        self.result.services.append(service)
        self.result.ports[service.name] = port


def _postgres_service(server: EmbeddedPostgres) -> Service:
    def make_command() -> Command:
        server.initialise()
        return server.command()

    return Service(
        "postgres",
        make_command,
        server.is_ready,
        server.prepare,
        # SIGTERM would wait until every session has ended by itself.
        stop_signal=signal.SIGINT,
    )
