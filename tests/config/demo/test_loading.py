"""The demo data is loaded once and whole, or not at all."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.contrib.auth.models import User

from config.demo.loading import load_shop, load_tools, read_tools
from core.errors import ConfigurationError
from tools.models import RegistryRevision, ToolDefinition
from tools.registry import read_served_rows


def test_second_load_changes_nothing(owner: psycopg.Connection) -> None:
    # The last transaction that wrote, of all rows, and the files of all tables.
    state = (
        "SELECT (SELECT max(xmin::text::bigint) FROM sales_transactions),"
        " array_agg((oid, relfilenode)::text ORDER BY oid) FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace"
    )
    before = owner.execute(state).fetchone()

    assert load_shop(owner.info.dsn + f" password={owner.info.password}") is False
    assert owner.execute(state).fetchone() == before


def test_two_loaders_at_once_make_one_shop(empty_database: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(load_shop, [empty_database] * 2))

    assert sorted(results) == [False, True]


def test_load_gives_the_same_rows_in_any_time_zone(
    empty_database: str, owner: psycopg.Connection
) -> None:
    separator = "&" if "?" in empty_database else "?"
    load_shop(f"{empty_database}{separator}options=-c%20TimeZone%3DAmerica/Los_Angeles")
    state = "SELECT sum(hashtextextended(row::text, 0)) FROM orders AS row"

    with psycopg.connect(empty_database, options="-c TimeZone=UTC") as connection:
        elsewhere = connection.execute(state).fetchone()

    assert elsewhere == owner.execute(state).fetchone()


def test_failed_load_leaves_nothing(empty_database: str) -> None:
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE h_user (mine text)")

    with pytest.raises(ConfigurationError, match="find no other tables of the same names"):
        load_shop(empty_database)

    with psycopg.connect(empty_database) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        assert tables.fetchall() == [("h_user",)]


def test_unreachable_database_is_a_clear_error_without_the_password() -> None:
    with pytest.raises(ConfigurationError, match="must be reachable") as caught:
        load_shop("postgresql://demo_owner:s3cret@127.0.0.1:1/demo")

    assert "s3cret" not in str(caught.value)


@pytest.mark.django_db
def test_tools_are_written_once() -> None:
    first, second = load_tools(), load_tools()

    assert (first, second) == (len(read_tools()), 0)
    assert ToolDefinition.objects.count() == first


@pytest.mark.django_db
def test_administrator_made_before_does_not_keep_the_tools_away() -> None:
    User.objects.create_superuser("admin")
    assert RegistryRevision.current() > 0

    assert load_tools() > 0


@pytest.mark.django_db
def test_deleted_tools_do_not_come_back() -> None:
    load_tools()
    ToolDefinition.objects.all().delete()

    assert load_tools() == 0
    assert not ToolDefinition.objects.exists()


@pytest.mark.django_db
def test_tools_of_a_person_are_left_alone() -> None:
    ToolDefinition.objects.create(name="mine", definition="SELECT 1")

    assert load_tools() == 0


@pytest.mark.django_db
def test_loaded_tools_are_served() -> None:
    load_tools()

    served = {spec.name: spec for spec in read_served_rows().specs}

    assert set(served) == {entry["name"] for entry in read_tools()}
    assert RegistryRevision.current() > 0
    assert [p.name for p in served["multiply_numbers"].parameters] == ["num1", "num2"]
