"""What tools use of the catalogue is stored, kept up to date and shown."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.utils import translation

from catalog.browsing.addresses import address_of
from catalog.models import CatalogColumn, CatalogTable, DataSource, SchemaState
from tests.catalog.rows import make_table
from tests.factories import make_expression, make_tool
from tools.models import QuarantinedTool, ToolDefinition, ToolUse
from tools.uses.refresh import refresh_uses
from tools.uses.usage import count_tools_by_column, read_tables_used, read_tools_using

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
Uses = dict[str, list[str]]


@pytest.fixture
def users(db: None) -> CatalogTable:
    return make_table("users", columns=("id", "email", "name"))


@pytest.fixture
def staff(client: Client, db: None) -> Client:
    with translation.override("en"):
        client.force_login(User.objects.create_user("kim", is_staff=True))
    return client


def uses_of(tool: ToolDefinition) -> Uses:
    return {one.table.name: one.columns for one in read_tables_used(tool)}


def scan_found_a_change(source: DataSource | None = None) -> None:
    state, _ = SchemaState.objects.get_or_create(source=source)
    state.revision += 1
    state.save()


def by_statement(statement: str) -> Callable[[], None]:
    def execute() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    return execute


def test_tools_of_a_table_are_told_with_their_columns(users: CatalogTable) -> None:
    make_tool("SELECT u.email FROM users u WHERE u.id = :id", name="find", parameters=["id"])
    make_tool("SELECT count(*) FROM users", name="count", is_active=False)
    make_tool("SELECT 1 AS users", name="other")
    make_expression(name="product")

    found = {one.tool.name: one.columns for one in read_tools_using(users)}

    assert found == {"count": [], "find": ["id", "email"]}


def test_columns_are_counted(users: CatalogTable) -> None:
    make_tool("SELECT email FROM users")
    make_tool("SELECT email, name FROM users")

    read_tools_using(users)

    names = {column.pk: column.name for column in users.columns.all()}
    counts = count_tools_by_column(users).items()
    assert {names[id_]: count for id_, count in counts} == {"email": 2, "name": 1}


def test_tables_of_other_sources_are_not_meant(users: CatalogTable) -> None:
    shop = DataSource.objects.create(name="shop", engine="sqlite", path="/data/shop.db")
    make_table("Users", columns=("Id",), source=shop, schema="")
    tool = make_tool("SELECT id FROM users", data_source=shop)

    assert uses_of(tool) == {"Users": ["Id"]}


def test_tool_on_a_view_of_a_file_uses_the_tables_below(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE City (Name TEXT, area REAL)")
        file.execute("CREATE VIEW cities AS SELECT name AS title FROM city")
    file.close()
    shop = DataSource.objects.create(name="shop", engine="sqlite", path=str(path))
    make_table("City", columns=("Name", "area"), source=shop, schema="")
    make_table("cities", columns=("title",), source=shop, schema="")
    listed = {"param_name": "names", "param_type": "STRING_LIST"}
    tool = make_tool(
        "SELECT * FROM cities WHERE title IN (:names)", data_source=shop, parameters=[listed]
    )

    assert uses_of(tool) == {"City": ["Name"], "cities": ["title"]}


def test_definition_that_names_its_source_is_understood(users: CatalogTable) -> None:
    shop = DataSource.objects.create(name="shop", host="h", database="d", username="u")
    make_table("users", columns=("id",), source=shop)
    tool = make_tool('{"sql": "SELECT * FROM users", "data_source": "shop"}')

    assert uses_of(tool) == {"users": ["id"]}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            by_statement("UPDATE h_custom_tool SET definition = 'SELECT name FROM users'"),
            id="statement, by another program",
        ),
        pytest.param(
            by_statement(
                """UPDATE h_custom_tool SET definition = '{"sql": "SELECT name FROM users"}'"""
            ),
            id="JSON",
        ),
    ],
)
def test_changed_tool_is_read_again(users: CatalogTable, change: Callable[[], None]) -> None:
    tool = make_tool("SELECT email FROM users")
    assert uses_of(tool) == {"users": ["email"]}

    change()

    assert uses_of(tool) == {"users": ["name"]}


def test_tools_are_read_again_after_a_scan_that_found_a_change(users: CatalogTable) -> None:
    tool = make_tool("SELECT * FROM users")
    assert uses_of(tool) == {"users": ["id", "email", "name"]}

    CatalogColumn.objects.create(table=users, name="age", position=9)
    scan_found_a_change()

    assert uses_of(tool) == {"users": ["id", "email", "name", "age"]}


def test_nothing_is_read_again_without_a_change(
    users: CatalogTable, django_assert_num_queries: Any
) -> None:
    make_tool("SELECT * FROM users")
    make_tool("SELEC nonsense")
    assert refresh_uses() == 2

    with django_assert_num_queries(1):
        assert refresh_uses() == 0


def test_tools_are_read_together(users: CatalogTable, django_assert_max_num_queries: Any) -> None:
    for _ in range(60):
        make_tool("SELECT * FROM users")

    with django_assert_max_num_queries(14):
        assert refresh_uses() == 60


@pytest.mark.parametrize("table", ["h_custom_tool", "h_catalog_table", "h_catalog_column"])
def test_uses_go_with_what_another_program_deletes(users: CatalogTable, table: str) -> None:
    make_tool("SELECT email FROM users")
    refresh_uses()

    by_statement(f"DELETE FROM {table}")()  # noqa: S608 - a name of this test

    assert not ToolUse.objects.exists()


def test_column_that_is_gone_is_told_with_the_day(users: CatalogTable) -> None:
    tool = make_tool("SELECT email FROM users")
    gone_at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    users.columns.filter(name="email").update(gone_at=gone_at)

    [used] = read_tables_used(tool)

    assert used.complaints == ["uses column users.email, which has been gone since 2026-11-20"]


def test_table_that_is_gone_is_told_once(users: CatalogTable) -> None:
    make_tool("SELECT email, name FROM users")
    gone_at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    CatalogTable.objects.update(gone_at=gone_at)

    [use] = read_tools_using(users)

    assert use.complaints == ["uses table users, which has been gone since 2026-11-20"]


def test_column_that_was_never_there_is_told(users: CatalogTable) -> None:
    make_tool("SELECT u.mail FROM users u")

    [use] = read_tools_using(users)

    assert use.complaints == ["uses column users.mail, which the catalogue does not know"]


def test_page_of_a_table_shows_its_tools(staff: Client, users: CatalogTable) -> None:
    broken = make_tool("SELECT email FROM users", name="find_user")
    QuarantinedTool.objects.create(tool=broken, reason="column <email> does not exist")

    page = staff.get(address_of(users, "tools"), headers=HTMX).content.decode()

    assert "Used by tools" in page
    assert "find_user" in page
    assert "column &lt;email&gt; does not exist" in page
    assert "/admin/toolbuilder/" not in page


def test_tool_is_a_link_for_those_who_may_open_it(staff: Client, users: CatalogTable) -> None:
    tool = make_tool("SELECT email FROM users")
    User.objects.get().user_permissions.add(Permission.objects.get(codename="view_tooldefinition"))

    page = staff.get(address_of(users, "tools")).content.decode()

    assert f'href="/tools/{tool.name}/"' in page


def test_tools_of_a_table_of_a_closed_source_are_not_shown(staff: Client) -> None:
    closed = DataSource.objects.create(name="payroll", is_restricted=True)
    table = make_table("users", columns=("id",), source=closed)

    assert staff.get(address_of(table, "tools")).status_code == 404


def test_tab_of_a_table_that_no_tool_names_says_so(staff: Client, users: CatalogTable) -> None:
    page = staff.get(address_of(users, "tools")).content.decode()

    assert "No tools" in page


def test_admin_page_of_a_tool_says_what_it_uses(client: Client, users: CatalogTable) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    tool = make_tool("SELECT email, u.mail FROM users u")

    page = client.get(f"/admin/tools/tooldefinition/{tool.pk}/change/").content.decode()

    assert "public.users: email" in page
    assert "uses column users.mail, which the catalogue does not know" in page
