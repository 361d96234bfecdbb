"""Pages that are read from a streaming replica, and what they show while it is behind or away."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.models import CallRecord
from access.replica import REPLICA, read_position
from catalog.browsing.fields import table_text
from catalog.models import DataSource
from config.deployment.database import check_replica
from config.deployment.findings import Gravity
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Keeper
from config.web.replica import COOKIE
from tests.catalog.browsing.test_views import HTMX
from tests.catalog.rows import make_table
from tests.config.deployment.test_deploy_check import find
from tests.streaming_replica import replicating
from tests.waiting import wait_until

PAGE = "/catalogue/main_db/public.sales/"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def replica(
    embedded_postgres: EmbeddedPostgres, keeper: Keeper, settings: Any
) -> Iterator[psycopg.Connection[Any]]:
    """The replica's superuser; the web side reads from it as DATABASE_REPLICA_URL lets it."""
    with replicating(embedded_postgres, keeper) as server:
        # Unknown to the settings, which Django's tests would hold it against.
        there = connections[REPLICA] = connection.copy(REPLICA)
        there.settings_dict["PORT"] = str(server.port)
        settings.DATABASE_REPLICA_URL = server.dsn(connection.settings_dict["NAME"])
        # Pages of a busy machine may take longer than what is allowed by default.
        settings.DATABASE_REPLICA_MAX_LAG_S = 3_600
        settings.DATABASE_ROUTERS = ["access.replica.ReplicaRouter"]
        settings.MIDDLEWARE = [*settings.MIDDLEWARE, "config.web.replica.ReplicaMiddleware"]
        dsn = server.dsn("postgres", "superuser")
        with psycopg.connect(dsn, autocommit=True) as superuser:
            yield superuser
        there.close()
        del connections[REPLICA]


class Reader:
    """Somebody's browser."""

    def __init__(self, name: str) -> None:
        self.browser = Client()
        self.browser.force_login(User.objects.create_superuser(name))

    def sees(self, words: str, *, copied: bool, address: str = PAGE, seen: bool = True) -> None:
        """AssertionError unless the page has the words, or has not, and comes from there."""
        with CaptureQueriesContext(connections[REPLICA]) as queries:
            page = self.browser.get(address)
        is_copied = any("pg_is_in_recovery" not in one["sql"] for one in queries)
        assert (page.status_code, words in page.content.decode(), is_copied) == (200, seen, copied)


def wait_for(replica: psycopg.Connection[Any], position: str) -> None:
    """Wait until it has all of the primary's log up to there."""
    statement = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
    wait_until(lambda: replica.execute(statement, [position]).fetchone() == (True,))


def test_a_page_shows_what_its_reader_did_wherever_it_comes_from(
    replica: psycopg.Connection[Any], settings: Any
) -> None:
    table = make_table(description="before")
    CallRecord.objects.create(tool_name="sales_by_region", outcome="ok", duration_ms=1.0)
    writer, other = Reader("writer"), Reader("other")

    wait_for(replica, read_position())
    writer.sees("before", copied=True)
    writer.sees("sales_by_region", copied=True, address="/calls/")
    writer.sees("public.sales", copied=True, address="/catalogue/?q=salez")
    writer.sees("sales_by_region", copied=True, address="/")

    replica.execute("SELECT pg_wal_replay_pause()")
    was = table_text(table, "description", "").digest
    address = f"/catalogue/~/tables/{table.pk}/texts/description/"
    writer.browser.post(address, {"text": "after", "was": was}, headers=HTMX)
    writer.sees("after", copied=False)
    other.sees("before", copied=True)
    # What is further behind than this is nobody's to see.
    settings.DATABASE_REPLICA_MAX_LAG_S = 0
    other.sees("after", copied=False)

    settings.DATABASE_REPLICA_MAX_LAG_S = 3_600
    replica.execute("SELECT pg_wal_replay_resume()")
    wait_for(replica, writer.browser.cookies[COOKIE].value)
    writer.sees("after", copied=True)

    assert find(check_replica).level is Gravity.OK

    replica.execute("SELECT pg_promote()")
    writer.sees("after", copied=False)
    assert find(check_replica).level is Gravity.ERROR


def test_what_a_source_hides_is_hidden_before_the_replica_knows(
    replica: psycopg.Connection[Any],
) -> None:
    table = make_table("payroll", source=DataSource.objects.create(name="warehouse"))
    reader = Reader("reader")
    User.objects.update(is_superuser=False, is_staff=True)
    wait_for(replica, read_position())
    reader.sees("payroll", copied=True, address="/catalogue/")

    replica.execute("SELECT pg_wal_replay_pause()")
    DataSource.objects.update(is_restricted=True)
    reader.sees("payroll", copied=True, address="/catalogue/", seen=False)
    assert reader.browser.get(f"/catalogue/warehouse/public.{table.name}/").status_code == 404
