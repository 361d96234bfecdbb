"""Fixtures of all tests; the servers themselves are in tests/plugin.py."""

import gc
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings
from psycopg.conninfo import make_conninfo
from pytest_django.plugin import DjangoDbBlocker

from config.services.postgres import SUPERUSER_NAME
from config.services.processes import Keeper
from tests.emptying import empty_trail, empty_written_tables, emptying
from tests.plugin import POSTGRES
from tests.redis_server import Redis

# The same examples in every run; `--hypothesis-profile=default` searches on at random.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

ROOT = Path(__file__).parent
SERVER_IS_OURS = os.environ["DATABASE_URL"] == POSTGRES.dsn()
ALONE = [
    ROOT / place
    for place in (
        "access/test_many_calls.py",
        "catalog/searching/test_edit_to_search.py",
        "chaos",
        "config/services",
        "gateways/postgres/test_faults.py",
        "hostile/test_postgres_bombs.py",
        "hostile/test_postgres_memory.py",
    )
]
# Each of their tests asks for every page, and how many quick ones take as long as one of them.
LONG = {
    ROOT / "access/test_url_roles.py": 50,
    ROOT / "browser/test_every_page.py": 300,
    ROOT / "config/web/test_visibility.py": 50,
}


@pytest.fixture
def redis(tmp_path: Path, keeper: Keeper) -> Iterator[Redis]:
    """A Redis of the test's own, which it may kill."""
    server = Redis(tmp_path / "valkey", keeper)
    yield server
    server.kill()


@pytest.fixture
def own_trail(transactional_db: None) -> None:
    """Begin with an empty audit trail; otherwise it has what tests before have done."""
    empty_trail()


def pytest_configure() -> None:
    """Hash passwords fast: no test is about how long it takes to guess one."""
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Next to nothing of what is imported and collected is garbage.
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on look for garbage, but not among the modules and tests, which all stay.

    And seldom: what pages and queries leave behind was looked through 60 times in each second.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module of which `-m alone` or `-m "not alone"` would leave out every test."""
    match config.option.markexpr:
        case "not alone" if _is_alone(collection_path):
            return True
        case "alone" if not _is_alone(collection_path) and not _leads_to_alone(collection_path):
            return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of these folders and modules `alone`; with several workers, begin with the longest modules.

    Otherwise one worker would end the run with a long module while the others have nothing to do.
    """
    alone = {path for path in {item.path for item in items} if _is_alone(path)}
    weights: Counter[Path] = Counter()
    for item in items:
        if item.path in alone:
            item.add_marker(pytest.mark.alone)
        weights[item.path] += _weight_of(item)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (-weights[item.path], item.path))


def _weight_of(item: pytest.Item) -> int:
    """How long the test may take, in those of many quick ones."""
    database, fixtures = item.get_closest_marker("django_db"), getattr(item, "fixturenames", ())
    is_emptied = database is not None and database.kwargs.get("transaction")
    if item.path in LONG:
        return LONG[item.path]
    if item.get_closest_marker("slow"):
        return 50
    if "axe" in fixtures:
        return 30
    return 10 if is_emptied or "transactional_db" in fixtures else 1


def _is_alone(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in ALONE)


def _leads_to_alone(folder: Path) -> bool:
    return any(place.is_relative_to(folder) for place in ALONE)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Start PostgreSQL before pytest-django makes its test database, and not for pure tests."""
    if SERVER_IS_OURS:
        request.getfixturevalue("embedded_postgres")


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """Drop no database whose server is deleted next: whoever connects again would hold that up."""
    return django_db_keepdb or SERVER_IS_OURS


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a test database elsewhere be dropped: threads of async tests leave their connections open."""
    parameters = connection.get_connection_params()
    place = {name: parameters[name] for name in ("dbname", "user", "password", "host", "port")}
    if SERVER_IS_OURS:
        place |= {"user": SUPERUSER_NAME, "password": POSTGRES.passwords["superuser"]}
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(emptying(make_conninfo(**place)))
        stack.enter_context(
            patch.object(TransactionTestCase, "_fixture_teardown", empty_written_tables)
        )
        yield
    if SERVER_IS_OURS:
        return
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            # The server's own workers may not be ended by us, and end by themselves.
            " AND backend_type = 'client backend'"
        )
