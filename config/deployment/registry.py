"""All checks of the deployment, in the order in which they are told, and the run of all of them."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import DatabaseError, InterfaceError, connection

from config.deployment import addresses, contents, database, secrets, services
from config.deployment.findings import DeploymentFinding, Gravity, fault

Needs = Literal["nothing", "database", "tables"]
DEADLINE_S = 30.0


@dataclass(frozen=True, slots=True)
class DeploymentCheck:
    """A function that gives findings; it is left out where what it `needs` is not there.

    "database" wants a connection, "tables" migrated tables beside it.
    """

    name: str
    find: Callable[[], Iterable[DeploymentFinding]]
    needs: Needs = "nothing"


CHECKS: tuple[DeploymentCheck, ...] = (
    DeploymentCheck("environment", secrets.check_origin_of_settings),
    DeploymentCheck("secret-key", secrets.check_secret_key),
    DeploymentCheck("encryption-keys", secrets.check_encryption_keys),
    DeploymentCheck("credentials", secrets.check_credentials_dir),
    DeploymentCheck("web-address", addresses.check_web_address),
    DeploymentCheck("web-hosts", addresses.check_web_hosts),
    DeploymentCheck("mcp-address", addresses.check_mcp_address),
    DeploymentCheck("mcp-auth", addresses.check_mcp_hosts),
    DeploymentCheck("proxies", addresses.check_proxies),
    DeploymentCheck("django", addresses.check_django),
    DeploymentCheck("database", database.check_reachable),
    DeploymentCheck("database-hosts", database.check_hosts),
    DeploymentCheck("replica", database.check_replica, "database"),
    DeploymentCheck("pooler", database.check_pooler, "database"),
    DeploymentCheck("notifications", database.check_notifications, "database"),
    DeploymentCheck("database-role", database.check_role, "database"),
    DeploymentCheck("triggers", database.check_triggers, "database"),
    DeploymentCheck("extensions", database.check_extensions, "database"),
    DeploymentCheck("durability", database.check_durability, "database"),
    DeploymentCheck("database-tls", database.check_encryption, "database"),
    DeploymentCheck("clock", database.check_clock, "database"),
    DeploymentCheck("migrations", database.check_migrations, "database"),
    DeploymentCheck("stored-secrets", secrets.check_stored_secrets, "tables"),
    DeploymentCheck("administrator", contents.check_administrator, "tables"),
    DeploymentCheck("sources", contents.check_sources, "tables"),
    DeploymentCheck("issuers", contents.check_issuers, "tables"),
    DeploymentCheck("redis", services.check_redis),
    DeploymentCheck("vectors", services.check_vectors),
    DeploymentCheck("mail", services.check_mail),
    DeploymentCheck("language-model", services.check_language_model),
    DeploymentCheck("call-log", contents.check_retention),
    DeploymentCheck("audit", contents.check_audit_head),
    DeploymentCheck("metrics", contents.check_metrics),
    DeploymentCheck("disk", contents.check_disk),
)


def run_checks(
    checks: Sequence[DeploymentCheck] = CHECKS, deadline_s: float = DEADLINE_S
) -> Iterator[DeploymentFinding]:
    """The findings of all checks in their order; one that is later than the deadline is a fault itself.

    What needs no database is asked beside it, each check in a thread that nobody waits for at the end.
    """
    beside = {check.name: _Begun(check) for check in checks if check.needs == "nothing"}
    ends_at = time.monotonic() + deadline_s
    missing: set[Needs] = set()
    for check in checks:
        if check.needs == "nothing":
            found = beside[check.name].wait(ends_at)
        elif check.needs in missing:
            continue
        else:
            found = find_all(check)
        if any(one.level is Gravity.ERROR for one in found):
            match check.name:
                case "database":
                    missing = {"database", "tables"}
                case "migrations":
                    missing |= {"tables"}
        yield from found


class _Begun:
    """A check that runs in a thread; one that hangs keeps nobody."""

    def __init__(self, check: DeploymentCheck) -> None:
        self._check = check
        self._found: list[DeploymentFinding] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._found = find_all(self._check)
        connection.close()

    def wait(self, ends_at: float) -> list[DeploymentFinding]:
        """Its findings, or that it is late."""
        self._thread.join(max(0.0, ends_at - time.monotonic()))
        if self._found is None:
            return [fault(self._check.name, "No answer in time.")]
        return self._found


def find_all(check: DeploymentCheck) -> list[DeploymentFinding]:
    """The findings of one check; one that fails is a fault, without the foreign text, which may hold a secret."""
    try:
        return list(check.find())
    except (DatabaseError, InterfaceError, OSError, ValueError, RuntimeError) as error:
        return [fault(check.name, f"This could not be checked ({type(error).__name__}).")]
