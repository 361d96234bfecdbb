"""Points the settings at servers of this test run; they start when the first test needs them.

Loaded by `-p tests.plugin` before pytest-django reads the settings, so importing it may only set
environment variables. A variable that is set outside wins, and its server is not started.
"""

import base64
import os
import secrets
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.services import ports
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres, random_passwords
from config.services.processes import Keeper, start, stop
from config.services.valkey import EmbeddedValkey
from tests.waiting import LIMIT_S, wait_until

# Each process of a parallel run chooses from 900 ports of its own: from choosing one until a server
# listens there pass seconds, in which another could choose the same. So could a program that a test starts,
# whose ports are therefore others. Where two runs are beside each other, TOOLBUILDER_TEST_NUMBER says how
# many processes the other one has. Browsers and Node's `fetch` ask no server at port 10080.
_process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
_process += int(os.environ.get("TOOLBUILDER_TEST_NUMBER", "0"))
ports.FIRST_PORT = 10_100 + 1000 * (_process % 10)
ports.LAST_PORT = ports.FIRST_PORT + 899

DIRECTORY = Path(tempfile.gettempdir()) / f"toolbuilder-tests-{secrets.token_hex(6)}"
POSTGRES = EmbeddedPostgres(
    DIRECTORY / "postgres",
    choose_free_port(),
    random_passwords(),
    for_tests=True,
    log=DIRECTORY / "postgres.log",
)
VALKEY = EmbeddedValkey(
    DIRECTORY / "valkey",
    choose_free_port(),
    secrets.token_hex(16),
    log=DIRECTORY / "valkey.log",
)
ENVIRONMENT = {
    "DATABASE_URL": POSTGRES.dsn(),
    "REDIS_URL": VALKEY.url,
    "SECRET_KEY": secrets.token_urlsafe(48),
    "FIELD_ENCRYPTION_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    # Not `.data`: the values of a running `manage.py up` must not leak into the tests.
    "TOOLBUILDER_DATA_DIR": str(DIRECTORY),
    # The default is for people who wait; a busy machine embeds as well, only later.
    "TEXT_EMBEDDING_TIMEOUT_S": "30",
    "POSTGRESQL_DB_HOST": "127.0.0.1",
    "POSTGRESQL_DB_PORT": str(POSTGRES.port),
    "POSTGRESQL_DB_NAME": "demo",
    "POSTGRESQL_DB_USER": "demo_reader",
    "POSTGRESQL_DB_PASS": POSTGRES.passwords["demo_reader"],
}
# What is set outside wins; but the process of a parallel run inherits ours from the one that hands out
# the tests, and has servers of its own.
_OURS = "TOOLBUILDER_TEST_VARIABLES"
_outside = os.environ.keys() - set(os.environ.get(_OURS, "").split())
_ours = {name: value for name, value in ENVIRONMENT.items() if name not in _outside}
os.environ |= {**_ours, _OURS: " ".join(_ours)}
# Each client of httpx reads the authorities that it trusts, in 50 ms where they are those of the system.
# All that tests talk to is on this machine.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("one_authority.pem"))
# Progress bars and telemetry of libraries have no place in a test run.
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")


@pytest.fixture(scope="session")
def keeper() -> Iterator[Keeper]:
    """Ends the run's servers and deletes their data, even when the run itself is killed."""
    DIRECTORY.mkdir(mode=0o700)
    keeper = Keeper()
    keeper.remove(DIRECTORY)
    yield keeper
    keeper.close()


@pytest.fixture(scope="session")
def embedded_postgres(keeper: Keeper) -> Iterator[EmbeddedPostgres]:
    """The run's PostgreSQL; `.dsn(database, role)` connects to `toolbuilder` or `demo`."""
    POSTGRES.start(keeper)
    yield POSTGRES
    POSTGRES.stop(keeper)


@pytest.fixture(scope="session")
def redis_url(keeper: Keeper) -> Iterator[str]:
    """The URL of a real Valkey of this run, or the one that REDIS_URL named from outside."""
    if os.environ["REDIS_URL"] != VALKEY.url:
        yield os.environ["REDIS_URL"]
        return
    process = start(VALKEY.command(), keeper)
    wait_until(lambda: process.poll() is not None or VALKEY.is_ready())
    assert process.poll() is None, "Valkey ended at its start"
    yield VALKEY.url
    stop(process, signal.SIGTERM, timeout_s=LIMIT_S)
    keeper.forget(process.pid)
