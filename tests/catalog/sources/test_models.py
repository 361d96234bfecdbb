"""A row says which field its engine needs, whoever writes it."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from catalog.models import DataSource, SourceCheck
from catalog.sources.settings import read_sources
from gateways.postgres.settings import PostgresSettings
from gateways.sqlite.settings import SqliteSettings
from tests.catalog.conftest import MakeSource

pytestmark = pytest.mark.django_db

POSTGRESQL = {"host": "h", "database": "d", "username": "u"}
SQLITE = {"engine": "sqlite", "path": "/data/shop.db"}


@pytest.mark.parametrize("columns", [POSTGRESQL, SQLITE], ids=["postgresql", "sqlite"])
def test_row_with_what_its_engine_needs_is_valid(columns: dict[str, Any]) -> None:
    DataSource(name="s", **columns).full_clean()


def test_name_of_the_default_database_is_taken() -> None:
    with pytest.raises(ValidationError, match="POSTGRESQL_DB"):
        DataSource(name="main_db", **POSTGRESQL).full_clean()


@pytest.mark.parametrize(
    ("columns", "errors"),
    [
        pytest.param(
            {},
            {key: ["PostgreSQL needs this."] for key in ("host", "database", "username")},
            id="nothing",
        ),
        pytest.param({"engine": "sqlite"}, {"path": ["SQLite needs this."]}, id="no file"),
        pytest.param(
            POSTGRESQL | {"path": "/data/shop.db"},
            {"path": ["PostgreSQL has no use for this; leave it empty."]},
            id="server with a file",
        ),
        pytest.param(
            SQLITE | {"host": "h", "options": {"sslmode": "require"}},
            {key: ["SQLite has no use for this; leave it empty."] for key in ("host", "options")},
            id="file with a server",
        ),
        pytest.param(
            SQLITE | {"path": "shop.db"},
            {"path": ["Write an absolute path, as in /data/shop.db."]},
            id="relative file",
        ),
        pytest.param(
            SQLITE | {"path": "/data/"},
            {"path": ["Write an absolute path, as in /data/shop.db."]},
            id="folder",
        ),
    ],
)
def test_row_says_what_its_engine_needs(
    columns: dict[str, Any], errors: dict[str, list[str]]
) -> None:
    with pytest.raises(ValidationError) as caught:
        DataSource(name="s", **columns).full_clean()

    assert caught.value.message_dict == errors


@pytest.mark.parametrize(
    "name",
    [
        *("pool_size", "row_limit", "byte_limit", "cell_limit"),
        *("timeout_ms", "lock_timeout_ms", "port"),
    ],
)
def test_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        DataSource(name="s", **POSTGRESQL, **{name: 0}).full_clean()


def test_insert_by_another_program_needs_the_address_only() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO h_data_source (name, host, database, username) VALUES ('a', 'h', 'd', 'u')"
        )
        cursor.execute(
            "INSERT INTO h_data_source (name, engine, path) VALUES ('b', 'sqlite', '/data/b.db')"
        )

    usable = read_sources().usable
    assert isinstance(usable["a"], PostgresSettings)
    assert isinstance(usable["b"], SqliteSettings)
    assert DataSource.objects.values("uid").distinct().count() == 2


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        pytest.param({"engine": "oracle"}, "engine: Value 'oracle' is not", id="engine"),
        pytest.param({"host": ""}, "host: PostgreSQL needs this.", id="host"),
        pytest.param({"search_path": "a\t-c b=c"}, "search_path: Write schema", id="search path"),
        pytest.param({"options": {"passfile": "/x"}}, "passfile cannot be set", id="option"),
        pytest.param({"row_limit": 0}, "row_limit: Ensure", id="limit"),
    ],
)
def test_row_of_another_program_is_judged_as_the_form_judges(
    make_source: MakeSource, columns: dict[str, Any], reason: str
) -> None:
    make_source("good")
    DataSource.objects.filter(pk=make_source("bad").pk).update(**columns)

    read = read_sources()

    assert reason in str(read.refused["bad"])
    assert "good" in read.usable


def test_every_limit_of_the_row_reaches_the_gateway(make_source: MakeSource) -> None:
    limits = {"pool_size": 1, "max_wait_ms": 2, "row_limit": 3, "byte_limit": 4, "cell_limit": 5}
    make_source(
        "a", timeout_ms=6, lock_timeout_ms=7, search_path="x", prepares_statements=False, **limits
    )
    empty = dict.fromkeys(POSTGRESQL, "")
    make_source("b", **empty, **SQLITE, timeout_ms=6, lock_timeout_ms=7, **limits)

    usable = read_sources().usable

    for found in (usable["a"], usable["b"]):
        assert {name: getattr(found, name) for name in limits} == limits
        assert (found.statement_timeout_ms, found.lock_timeout_ms) == (6, 7)
    assert getattr(usable["a"], "search_path", "") == "x"
    assert getattr(usable["a"], "prepares_statements", None) is False


def test_delete_by_another_program_takes_check_and_rights_along(make_source: MakeSource) -> None:
    source = make_source()
    SourceCheck.objects.create(source=source, state="ok")

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM h_data_source")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert not SourceCheck.objects.exists()


@pytest.mark.parametrize("origin", ["row", "environment"])
@pytest.mark.parametrize("engine", ["mysql", "sqlite", "duckdb", "files", "http"])
def test_engine_that_knows_no_callers_takes_no_rules_for_them(engine: str, origin: str) -> None:
    source = DataSource(name="x", engine=engine, origin=origin, caller_identity="app.a = owner")

    with pytest.raises(ValidationError, match="has no use for this"):
        source.clean()


def test_rules_for_callers_are_checked_as_they_are_typed() -> None:
    source = DataSource(name="x", caller_identity="app.a = everybody")

    with pytest.raises(ValidationError, match="write owner, key_id or claim:NAME"):
        source.clean_fields()
