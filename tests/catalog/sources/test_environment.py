"""Variables define data sources; rows only show them."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from catalog.models import DataSource, Origin
from catalog.sources.environment import (
    STARTED_AT,
    find_names,
    read_target,
    sync_environment_sources,
    variable_name,
)
from catalog.sources.settings import read_sources
from core.errors import ConfigurationError
from gateways.postgres.settings import PostgresSettings
from tests.catalog.conftest import MakeSource
from tools.models import RegistryRevision

VARIABLE = "DATA_SOURCE_SALES_EU_URL"
URL = "postgresql://reader:p%40ss@db.example:5433/sales?sslmode=require"

pytestmark = pytest.mark.django_db


@pytest.fixture
def variable(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(VARIABLE, URL)
    return VARIABLE


def test_variable_becomes_a_row_without_its_password(variable: str) -> None:
    assert sync_environment_sources() == 1

    row = DataSource.objects.get()
    shown = (row.name, row.origin, row.engine, row.host, row.port, row.database, row.username)
    assert shown == ("sales-eu", "environment", "postgresql", "db.example", 5433, "sales", "reader")
    assert row.options == {"sslmode": "require"}
    assert not any("p@ss" in str(value) for value in vars(row).values())


def test_password_is_read_from_the_variable(variable: str) -> None:
    found = read_sources().usable["sales-eu"]

    assert isinstance(found, PostgresSettings)
    assert (found.password, found.extra) == ("p@ss", {"sslmode": "require"})


def test_limits_of_the_row_hold_for_a_variable(variable: str) -> None:
    sync_environment_sources()
    DataSource.objects.update(row_limit=7, search_path="eu")

    found = read_sources().usable["sales-eu"]

    assert isinstance(found, PostgresSettings)
    assert (found.row_limit, found.search_path) == (7, "eu")


def test_variable_of_a_file_becomes_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_SOURCE_SHOP_URL", "sqlite:////data/my shop.db")

    sync_environment_sources()

    row = DataSource.objects.get(name="shop")
    assert (row.engine, row.path) == ("sqlite", "/data/my shop.db")


def test_second_run_writes_nothing(variable: str) -> None:
    sync_environment_sources()
    before = RegistryRevision.current()

    assert sync_environment_sources() == 0
    read_sources()

    assert RegistryRevision.current() == before


def test_changed_variable_changes_the_row_at_migrate(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_environment_sources()
    monkeypatch.setenv(VARIABLE, URL.replace("db.example", "new.example"))

    call_command("migrate", "catalog", verbosity=0)

    assert DataSource.objects.get().host == "new.example"


@pytest.mark.parametrize(
    ("is_older", "host"),
    [
        pytest.param(True, "new.example", id="row of before this process"),
        pytest.param(False, "db.example", id="row of a younger process"),
    ],
)
def test_reading_updates_only_rows_of_before_this_process(
    variable: str, monkeypatch: pytest.MonkeyPatch, is_older: bool, host: str
) -> None:
    sync_environment_sources()
    day = timedelta(days=1)
    DataSource.objects.update(updated_at=STARTED_AT - day if is_older else STARTED_AT + day)
    monkeypatch.setenv(VARIABLE, URL.replace("db.example", "new.example"))

    found = read_sources().usable["sales-eu"]

    assert DataSource.objects.get().host == host
    assert isinstance(found, PostgresSettings)
    assert found.host == "new.example"


def test_row_whose_variable_is_gone_stays_and_is_refused(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_environment_sources()
    monkeypatch.delenv(VARIABLE)

    read = read_sources()

    assert DataSource.objects.get().origin == Origin.ENVIRONMENT
    assert str(read.refused["sales-eu"]) == (
        f"the variable {VARIABLE}, which defines this data source, is not set"
    )


@pytest.mark.parametrize("name", ["sales-eu", "sales_eu", "Sales-EU"])
def test_row_made_by_hand_wins_over_a_variable(
    variable: str, make_source: MakeSource, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    make_source(name, host="by.hand")

    with caplog.at_level(logging.WARNING):
        assert sync_environment_sources() == 0

    assert DataSource.objects.get().host == "by.hand"
    assert f"{VARIABLE} is ignored: the data source {name} was made by hand" in caplog.text


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param("oracle://u:hunter2@h/d", "must be one of postgresql", id="another engine"),
        pytest.param("hunter2", "must be one of postgresql://role", id="no URL"),
        pytest.param("mysql://u:hunter2@h:port/d", "must be mysql://role", id="port of MySQL"),
        pytest.param(
            "mysql://u:hunter2@h/d?channel_binding=require",
            "these can: sslcert, sslkey",
            id="an option that MySQL has not",
        ),
        pytest.param("postgresql://u:hunter2@h:port/d", "cannot be read", id="port"),
        pytest.param("postgresql://u:hun#ter2 x@h/d", "cannot be read", id="unquoted"),
        pytest.param("postgresql://u:hunter2@h", "must name role and database", id="no database"),
        pytest.param("postgresql://h/d?password=hunter2", "must name role", id="no role"),
        pytest.param(
            "postgresql://u:hunter2@h/d?options=-csearch_path%3Dx",
            "options cannot be set here",
            id="an option that is not allowed",
        ),
        pytest.param("sqlite:///shop.db", "with four slashes", id="relative file"),
        pytest.param("sqlite:////shop.db?mode=rw", "with four slashes", id="file with options"),
    ],
)
def test_wrong_variable_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, url: str, message: str
) -> None:
    monkeypatch.setenv(VARIABLE, url)

    with pytest.raises(ConfigurationError, match=message) as caught:
        read_target("sales-eu")

    assert VARIABLE in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert read_sources().refused["sales-eu"] == caught.value.message


def test_wrong_variable_leaves_what_the_row_shows(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_environment_sources()
    monkeypatch.setenv(VARIABLE, "mysql://elsewhere")

    assert sync_environment_sources() == 0

    assert DataSource.objects.get().host == "db.example"


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        pytest.param("DATA_SOURCE_A1_B_URL", "x", ["a1-b"], id="name"),
        pytest.param("DATA_SOURCE_POOL_SIZE", "4", [], id="another setting"),
        pytest.param("DATA_SOURCE__URL", "x", [], id="no name"),
        pytest.param("DATA_SOURCE_lower_URL", "x", [], id="small letters"),
        pytest.param("DATA_SOURCE_EMPTY_URL", "", [], id="empty"),
    ],
)
def test_names_are_read_from_the_variables(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, found: list[str]
) -> None:
    monkeypatch.setenv(name, value)

    assert find_names() == found


def test_name_and_variable_belong_together() -> None:
    assert variable_name("sales-eu") == VARIABLE


def test_target_text_holds_no_password(variable: str) -> None:
    target: Any = read_target("sales-eu")

    assert "p@ss" not in repr(target)
