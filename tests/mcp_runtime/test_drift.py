"""A tool whose column is dropped leaves the list after the scan, and comes back with the column."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client

from access.models import RuntimeInstance
from catalog.models import CatalogScan
from catalog.scans.scanning import find_or_queue_scan, run_scan
from config.services.postgres import EmbeddedPostgres
from tests.factories import make_tool
from tests.mcp_runtime.conftest import Serve
from tests.waiting import eventually
from tools.drift import check_drift
from tools.models import QuarantinedTool, ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

Execute = Callable[[str], None]


@pytest.fixture
def owner(embedded_postgres: EmbeddedPostgres) -> Iterator[Execute]:
    """Writes to the demo database as its owner; the table drifting_users is there."""
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as demo:

        def execute(statement: str) -> None:
            demo.execute(statement.encode())

        execute("CREATE TABLE drifting_users (id integer, email text)")
        execute("GRANT SELECT ON drifting_users TO demo_reader")
        yield execute
        execute("DROP TABLE drifting_users")


def scan() -> CatalogScan:
    return run_scan(find_or_queue_scan(None, "kim"))


def read_admin_page() -> str:
    client = Client()
    client.force_login(
        User.objects.get_or_create(username="kim", is_superuser=True, is_staff=True)[0]
    )
    tool = ToolDefinition.objects.get(name="emails")
    return client.get(f"/admin/tools/tooldefinition/{tool.pk}/change/").content.decode()


@pytest.fixture
def emails(transactional_db: None, owner: Execute) -> None:
    make_tool("SELECT email FROM drifting_users", name="emails")
    make_tool("SELECT id FROM drifting_users", name="ids")
    scan()


async def test_tool_follows_its_column_by_scans(serve: Serve, owner: Execute, emails: None) -> None:
    async with serve() as served:
        assert await served.names() == ["emails", "ids"]
        # So that the description is remembered.
        assert not (await served.call("emails")).is_error

        owner("ALTER TABLE drifting_users DROP COLUMN email")
        await sync_to_async(scan)()

        await eventually(lambda: "emails" not in served.runtime.store.snapshot.tools)
        assert await served.names() == ["ids"]
        page = await sync_to_async(read_admin_page)()
        assert "column &quot;email&quot; does not exist" in page
        assert "uses column drifting_users.email, which has been gone since" in page

        owner("ALTER TABLE drifting_users ADD COLUMN email text")
        await sync_to_async(scan)()

        await eventually(lambda: "emails" in served.runtime.store.snapshot.tools)
        assert await served.names() == ["emails", "ids"]


async def test_check_takes_a_broken_tool_down_without_a_scan(
    serve: Serve, owner: Execute, emails: None
) -> None:
    async with serve() as served:
        owner("ALTER TABLE drifting_users DROP COLUMN email")

        await eventually(is_runtime_known)
        await sync_to_async(check_drift)()

        await eventually(lambda: "emails" not in served.runtime.store.snapshot.tools)
        assert await served.names() == ["ids"]
        await eventually(is_quarantine_written)


async def is_quarantine_written() -> bool:
    return await QuarantinedTool.objects.acount() == 1


async def is_runtime_known() -> bool:
    return await RuntimeInstance.objects.aexists()


async def test_tool_that_no_database_judged_in_time_is_judged_later(
    serve: Serve, embedded_postgres: EmbeddedPostgres, emails: None
) -> None:
    async with serve() as served:
        store = served.runtime.store
        with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner")) as holder:
            holder.execute("LOCK TABLE drifting_users IN ACCESS EXCLUSIVE MODE")
            await sync_to_async(make_tool)("SELECT nothing FROM drifting_users", name="broken")
            await eventually(lambda: "broken" in store.snapshot.tools)

        await eventually(lambda: "broken" not in store.snapshot.tools)
        assert await served.names() == ["emails", "ids"]
