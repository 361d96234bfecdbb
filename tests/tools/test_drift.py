"""Active tools are checked against their databases, and broken ones are noted."""

import sqlite3
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from access.models import RuntimeInstance
from catalog.models import DataSource, SchemaState
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from core.errors import DefinitionError
from tests.factories import make_expression, make_tool
from toolbuilder.tasks import check_tools
from tools.drift import check_drift
from tools.models import QuarantinedTool, RegistryRevision

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(tmp_path: Path) -> DataSource:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE city (name TEXT)")
    file.close()
    return DataSource.objects.create(name="shop", engine="sqlite", path=str(path))


def alter(source: DataSource, statement: str) -> None:
    with sqlite3.connect(source.path) as file:
        file.execute(statement)
    file.close()


def run(*names: str) -> tuple[str, int]:
    """What the command writes, and its exit code."""
    out = StringIO()
    try:
        call_command("check_tools", *names, stdout=out, stderr=out)
    except SystemExit as exit_:
        return out.getvalue(), int(exit_.code or 0)
    return out.getvalue(), 0


def make_runtime() -> None:
    now = timezone.now()
    RuntimeInstance.objects.create(host="h", pid=1, version="1", last_seen_at=now)


def test_tool_whose_column_is_gone_is_broken(shop: DataSource) -> None:
    tool = make_tool("SELECT name FROM city", data_source=shop)
    make_tool("SELECT count(*) AS n FROM city", data_source=shop)
    alter(shop, "ALTER TABLE city RENAME COLUMN name TO title")

    report = check_drift()

    assert {k: str(v) for k, v in report.broken.items()} == {tool.pk: "no such column: name"}
    assert len(report.checked) == 2


def test_reason_is_kept_where_no_runtime_lives(shop: DataSource) -> None:
    make_tool("SELECT title FROM city", data_source=shop)

    check_drift()

    assert QuarantinedTool.objects.get().reason == "no such column: title"


def test_tool_that_works_again_is_no_longer_noted(shop: DataSource) -> None:
    make_tool("SELECT title FROM city", data_source=shop)
    check_drift()
    alter(shop, "ALTER TABLE city RENAME COLUMN name TO title")

    assert not check_drift().broken
    assert not QuarantinedTool.objects.exists()


def test_living_runtime_is_told_to_judge_anew_and_keeps_the_reasons(shop: DataSource) -> None:
    make_runtime()
    make_tool("SELECT title FROM city", data_source=shop)
    before = RegistryRevision.current()

    check_drift()

    assert RegistryRevision.current() > before
    assert SchemaState.objects.get().source == shop
    assert not QuarantinedTool.objects.exists()


def test_living_runtime_is_left_alone_where_nothing_changed(shop: DataSource) -> None:
    make_runtime()
    make_tool("SELECT name FROM city", data_source=shop)
    before = RegistryRevision.current()

    check_drift()

    assert RegistryRevision.current() == before


def test_tool_whose_database_is_away_is_not_checked_and_not_broken(db: None) -> None:
    away = DataSource.objects.create(
        name="away", host="127.0.0.1", port=choose_free_port(), database="d", username="u"
    )
    tool = make_tool(data_source=away)

    report = check_drift()

    assert not report.broken
    assert "cannot be reached" in str(report.unreached[tool.pk])
    assert not report.checked


def test_every_variant_of_a_statement_is_checked(embedded_postgres: EmbeddedPostgres) -> None:
    optional = {"param_name": "a", "is_required": False}
    tool = make_tool("SELECT 1 AS one [[ WHERE nowhere = :a ]]", parameters=[optional])

    assert 'column "nowhere" does not exist' in str(check_drift().broken[tool.pk])


def test_bad_rows_and_python_are_checked_too(db: None) -> None:
    bad = [make_tool(tool_type="RUBY"), make_expression("a + c"), make_expression("a *")]
    make_expression()

    report = check_drift()

    assert report.broken.keys() == {tool.pk for tool in bad}
    assert len(report.checked) == 4


def test_inactive_tools_are_not_checked(db: None) -> None:
    make_tool(tool_type="RUBY", is_active=False)

    assert not check_drift().names


def test_unknown_name_is_refused(db: None) -> None:
    with pytest.raises(DefinitionError, match="there is no active tool nobody"):
        check_drift(["nobody"])


def test_job_says_how_many_are_broken(db: None) -> None:
    make_tool(tool_type="RUBY")

    assert check_tools() == 1


def test_command_tells_reasons_and_counts(shop: DataSource) -> None:
    make_tool("SELECT title FROM city", data_source=shop, name="titles")
    make_tool("SELECT name FROM city", data_source=shop)

    out, code = run()

    assert out == "titles: broken: no such column: title\n2 checked, 1 broken\n"
    assert code == 1


def test_command_checks_the_named_tools_alone(shop: DataSource) -> None:
    make_tool("SELECT title FROM city", data_source=shop)
    make_tool("SELECT name FROM city", data_source=shop, name="names")

    assert run("names") == ("1 checked, 0 broken\n", 0)


def test_command_refuses_an_unknown_name(db: None) -> None:
    with pytest.raises(CommandError, match="there is no active tool nobody") as error:
        call_command("check_tools", "nobody")

    assert error.value.returncode == 2
