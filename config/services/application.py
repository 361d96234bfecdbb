"""The processes of the product itself: bootstrap, web, worker, beat and the MCP server."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from config.services.embedded import Embedded
from config.services.options import EVERY_ADDRESS, LOOPBACK, Options
from config.services.processes import Command
from config.services.readiness import LogWatch, answers_http
from config.services.state import DataDirectory, Secrets
from config.services.supervisor import Service

PROJECT = Path(__file__).resolve().parents[2]
MANAGE = (sys.executable, str(PROJECT / "manage.py"))
# The demo's rows are loaded at the first start.
BOOTSTRAP_TIMEOUT_S = 300.0
# Thousands of documents take minutes; nobody waits for them.
INDEX_TIMEOUT_S = 24 * 3_600.0


@dataclass(frozen=True)
class Application:
    """The product's services beside the `embedded` ones."""

    options: Options
    directory: DataDirectory
    secrets: Secrets
    embedded: Embedded

    @property
    def variables(self) -> dict[str, str]:
        """What the product's processes get; the caller's environment wins if it has a value."""
        general = {
            "SECRET_KEY": self.secrets.secret_key,
            "FIELD_ENCRYPTION_KEYS": self.secrets.field_encryption_keys,
            "ANONYMIZED_TELEMETRY": "False",
        }
        if self.options.host not in EVERY_ADDRESS | LOOPBACK:
            general["ALLOWED_HOSTS"] = f"127.0.0.1,localhost,[::1],{self.options.host}"
        unset = {name: value for name, value in general.items() if not self.options.is_set(name)}
        # These belong together with what we start, whatever else the environment says.
        chosen = {
            "TOOLBUILDER_DATA_DIR": str(self.directory.root),
            "MCP_PORT": str(self.options.port_mcp),
        }
        return unset | self.embedded.variables | chosen

    def services(self) -> list[Service]:
        """In the order bootstrap, then web, worker and mcp together, then beat and the catalogue's jobs."""
        secrets = {
            "TOOLBUILDER_ADMIN_PASSWORD": self.secrets.admin_password,
            "TOOLBUILDER_API_KEY": self.secrets.api_key,
        }
        if self.embedded.demo_dsn:
            secrets["DEMO_DATABASE_URL"] = self.embedded.demo_dsn
        bootstrap = Service(
            "bootstrap",
            partial(self._command, "bootstrap", (*MANAGE, "bootstrap"), secrets),
            needs=frozenset(service.name for service in self.embedded.services),
            runs_once=True,
            ready_timeout_s=BOOTSTRAP_TIMEOUT_S,
        )
        web = self._server("web", self.options.port_web)
        mcp = self._server("mcp", self.options.port_mcp)
        # A scan reads the tables of data sources that were never scanned. Indexing follows it, so that
        # the documents of tables are there; what it does not reach is searched by words.
        scan = self._catalogue_job("scan", ("scan_catalog", "--if-never"), "web", "mcp")
        index = self._catalogue_job("index", ("index_documents",), "scan")
        return [bootstrap, web, mcp, *self._jobs(), scan, index]

    def _server(self, name: str, port: int) -> Service:
        options = self.options
        arguments = (*MANAGE, f"run{name}", "--host", options.host, "--port", str(port))
        return Service(
            name,
            partial(self._command, name, arguments),
            partial(answers_http, options.reachable_host, port, "/healthz"),
            needs=frozenset({"bootstrap"}),
        )

    def _catalogue_job(self, name: str, arguments: tuple[str, ...], *needs: str) -> Service:
        """A job whose failure hurts nothing else."""
        return Service(
            name,
            partial(self._command, name, (*MANAGE, *arguments)),
            needs=frozenset(needs),
            runs_once=True,
            ready_timeout_s=INDEX_TIMEOUT_S,
            awaited=False,
        )

    def _jobs(self) -> list[Service]:
        """Worker and beat; none without a broker, for then jobs run at once."""
        if not self.options.is_set("REDIS_URL") and "REDIS_URL" not in self.embedded.variables:
            return []
        log = LogWatch(self.directory.log("worker"), " ready.")

        def make_command() -> Command:
            log.mark()
            return self._command("worker", (*MANAGE, "worker"))

        worker = Service("worker", make_command, log.says, needs=frozenset({"bootstrap"}))
        # A process of its own, so that its death is seen; last, because nobody waits for it.
        beat = Service(
            "beat",
            partial(self._command, "beat", (*MANAGE, "beat")),
            needs=frozenset({"web", "mcp", "worker"}),
            awaited=False,
        )
        return [worker, beat]

    def _command(
        self, name: str, argv: tuple[str, ...], extra: Mapping[str, str] | None = None
    ) -> Command:
        """The command, in the caller's environment with what Python itself needs."""
        inherited = dict(self.options.outside)
        python = {"PYTHONUNBUFFERED": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
        # Compiling every module again would double the time of each start; a caller who wants no
        # compiled files beside the sources gets them in the data folder.
        if inherited.pop("PYTHONDONTWRITEBYTECODE", None):
            python["PYTHONPYCACHEPREFIX"] = str(self.directory.root / "compiled")
        return Command(
            argv,
            environment={**inherited, **python, **self.variables, **(extra or {})},
            log=self.directory.log(name),
            folder=PROJECT,
        )
