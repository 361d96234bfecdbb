"""The stage of a run: its own PostgreSQL, databases of tools, and servers; nothing of it stays."""

import base64
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from benchmarks.servers import Server, base_environment, start_server
from benchmarks.tools import write_tools
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres, random_passwords
from config.services.processes import Command, Keeper, run

PROJECT = Path(__file__).resolve().parents[1]
MANAGE = (sys.executable, str(PROJECT / "manage.py"))


class Stage:
    """Use it in a `with` block; its keeper ends and deletes everything even after a `kill -9`."""

    def __init__(self) -> None:
        self.token = f"mcp_{secrets.token_hex(4)}_{secrets.token_hex(32)}"
        self._directory = Path(tempfile.gettempdir()) / f"toolbuilder-bench-{secrets.token_hex(6)}"
        self._keeper = Keeper()
        self._servers: list[Server] = []
        self._postgres = EmbeddedPostgres(
            self._directory / "postgres",
            choose_free_port(),
            random_passwords(),
            for_tests=True,
            log=self._directory / "postgres.log",
        )

    def __enter__(self) -> Self:
        self._directory.mkdir(mode=0o700)
        self._keeper.remove(self._directory)
        try:
            self._postgres.start(self._keeper)
            self._bootstrap()
        except BaseException:
            self._keeper.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for server in list(self._servers):
                self.stop(server)
            self._postgres.stop(self._keeper)
        finally:
            self._keeper.close()

    @property
    def directory(self) -> Path:
        """A folder for files of the run."""
        return self._directory

    @property
    def keeper(self) -> Keeper:
        """Ends what is started for the run."""
        return self._keeper

    @property
    def database_pid(self) -> int:
        """The process above all of the PostgreSQL."""
        assert self._postgres.pid is not None
        return self._postgres.pid

    @property
    def reader_dsn(self) -> str:
        """The demo database as its reader."""
        return self._postgres.dsn("demo", "demo_reader")

    def make_database(self, tool_count: int) -> str:
        """The DSN of a new database with so many served tools."""
        name = f"bench_{tool_count}"
        with psycopg.connect(self._postgres.dsn("postgres", "superuser"), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE toolbuilder OWNER app".encode())
        dsn = self._postgres.dsn(name)
        write_tools(dsn, tool_count)
        return dsn

    def add_key(self, database: str, name: str) -> str:
        """A new API key for the tools of a database."""
        command = self.command("create_api_key", name, DATABASE_URL=database)
        told = subprocess.run(
            command.argv,
            env=command.environment,
            cwd=command.folder,
            check=True,
            capture_output=True,
        ).stdout.decode()
        return next(word for word in told.split() if word.startswith("mcp_"))

    @property
    def application_dsn(self) -> str:
        """The application's own database."""
        return self._postgres.dsn()

    def make_empty_database(self, name: str) -> str:
        """The DSN of a new database without tables."""
        with psycopg.connect(self._postgres.dsn("postgres", "superuser"), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} OWNER app".encode())
        return self._postgres.dsn(name)

    def command(self, *arguments: str, **variables: str) -> Command:
        """`manage.py` with these arguments on the application's own database."""
        return Command((*MANAGE, *arguments), self.environment | variables, folder=PROJECT)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of our programs on the application's own database."""
        return self._environment(self._our_variables(self.application_dsn))

    def restart_database(self) -> None:
        """Stop the PostgreSQL, which ends every session, and start it again."""
        self._postgres.stop(self._keeper)
        self._postgres.start(self._keeper)

    def start_ours(self, name: str, database: str, *options: str, **variables: str) -> Server:
        """`manage.py runmcp` on the tools of a database; `variables` win over the usual ones."""
        port = choose_free_port()
        arguments = (*MANAGE, "runmcp", "--port", str(port), *options)
        return self._start(name, port, arguments, self._our_variables(database) | variables)

    def start_web(self, name: str, database: str, **variables: str) -> Server:
        """The web side on a database, as `manage.py up` serves it; `variables` win over the usual ones."""
        port = choose_free_port()
        command = (*MANAGE, "runweb", "--port", str(port))
        return self._start(name, port, command, self._our_variables(database) | variables)

    def start_program(
        self, name: str, port: int, argv: tuple[str, ...], **variables: str
    ) -> Server:
        """Any other server, once it listens on the port."""
        return self._start(name, port, argv, variables)

    def run_program(self, *argv: str, **variables: str) -> None:
        """Run something to its end; ConfigurationError with its last words if it fails."""
        run(Command(argv, self._environment(variables), folder=PROJECT))

    def stop(self, server: Server) -> None:
        """Stop one server early."""
        self._servers.remove(server)
        server.stop(self._keeper)

    def _start(
        self, name: str, port: int, argv: tuple[str, ...], variables: Mapping[str, str]
    ) -> Server:
        log = self._directory / f"server-{port}.log"
        command = Command(argv, self._environment(variables), log, folder=PROJECT)
        server = start_server(name, port, command, self._keeper)
        self._servers.append(server)
        return server

    def _bootstrap(self) -> None:
        once = {
            "TOOLBUILDER_API_KEY": self.token,
            "DEMO_DATABASE_URL": self._postgres.dsn("demo", "demo_owner"),
        }
        variables = self._our_variables(self._postgres.dsn()) | once
        run(Command((*MANAGE, "bootstrap"), self._environment(variables), folder=PROJECT))

    def _environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        # Compiled here, so that starts do not depend on what is compiled in the checkout.
        compiled = {"PYTHONPYCACHEPREFIX": str(self._directory / "compiled")}
        return {**base_environment(), **compiled, **variables}

    def _our_variables(self, database: str) -> dict[str, str]:
        key = base64.urlsafe_b64encode(self.token.encode()[:32]).decode()
        return {
            "DATABASE_URL": database,
            "SECRET_KEY": self.token,
            "FIELD_ENCRYPTION_KEYS": key,
            # Not `.data`: the values of a running `manage.py up` must not leak into the run.
            "TOOLBUILDER_DATA_DIR": str(self._directory),
            "LOG_LEVEL": "warning",
            # The peers have none.
            "MCP_BUILTIN_TOOLS": "none",
            "POSTGRESQL_DB_HOST": "127.0.0.1",
            "POSTGRESQL_DB_PORT": str(self._postgres.port),
            "POSTGRESQL_DB_NAME": "demo",
            "POSTGRESQL_DB_USER": "demo_reader",
            "POSTGRESQL_DB_PASS": self._postgres.passwords["demo_reader"],
        }
