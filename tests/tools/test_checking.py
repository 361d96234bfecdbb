"""A tool is judged as it would be served: by its own database, or by a real sandbox."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.models import DataSource
from catalog.sources.settings import read_sources
from config.services.postgres import EmbeddedPostgres
from core.errors import DefinitionError
from core.toolspec import Dialect, ScriptLogic, SqlLogic, ToolSpec
from tools.running import check_tool

pytestmark = pytest.mark.django_db

CheckStatement = Callable[[str], None]


def check(logic: SqlLogic | ScriptLogic) -> None:
    check_tool(ToolSpec(id=1, name="tool", logic=logic), read_sources(), "admin")


@pytest.fixture
def check_on_sqlite(tmp_path: Path) -> CheckStatement:
    """Judges a statement on a SQLite file with the table `city`."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as shop:
        shop.execute("CREATE TABLE city (name TEXT)")
    shop.close()
    DataSource.objects.create(name="shop", engine="sqlite", path=str(path))

    return lambda statement: check(SqlLogic(statement, "shop", Dialect.SQLITE))


def test_query_of_a_sqlite_file_is_judged_by_that_file(check_on_sqlite: CheckStatement) -> None:
    check_on_sqlite("SELECT name FROM city ORDER BY name COLLATE NOCASE")


def test_query_that_the_sqlite_file_refuses_is_refused(check_on_sqlite: CheckStatement) -> None:
    with pytest.raises(DefinitionError, match="no such table: town"):
        check_on_sqlite("SELECT name FROM town")


def test_query_of_an_unknown_source_is_refused(embedded_postgres: EmbeddedPostgres) -> None:
    with pytest.raises(DefinitionError, match="there is no data source 'nowhere'"):
        check(SqlLogic("SELECT 1", "nowhere"))


def test_script_is_judged_where_it_would_run(embedded_postgres: EmbeddedPostgres) -> None:
    check(ScriptLogic("total = 1\nresult = total + 1"))


def test_script_outside_the_language_is_refused(embedded_postgres: EmbeddedPostgres) -> None:
    with pytest.raises(DefinitionError, match="import"):
        check(ScriptLogic("import os\nresult = 1"))
