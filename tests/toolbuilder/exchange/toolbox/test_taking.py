"""A tools.yaml imported by the command: tools that run, data sources and toolsets, and written again."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from access.models import Toolset
from catalog.models import DataSource
from config.services.postgres import EmbeddedPostgres
from tests.factories import claim, make_expression, make_tool, make_toolset
from tests.toolbuilder.exchange.toolbox.test_reading import EXAMPLES
from toolbuilder.exchange.toolbox.reading import read_toolbox
from tools.definitions import ToolDocument
from tools.models import ToolDefinition
from tools.source_loop import shared_loop

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


def run(*arguments: str) -> tuple[str, str]:
    """What the command writes to standard output and standard error; an exit code ends it too."""
    output, errors = StringIO(), StringIO()
    with suppress(SystemExit):
        call_command("tools", *arguments, stdout=output, stderr=errors)
    return output.getvalue(), errors.getvalue()


@pytest.fixture(scope="module")
def _hotels(embedded_postgres: EmbeddedPostgres) -> Iterator[None]:
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as owner:
        owner.execute("CREATE TABLE hotels (id int, name text, location text, booked bit)")
        owner.execute("INSERT INTO hotels VALUES (1, 'Hilton Basel', 'Basel', B'0')")
        owner.execute("INSERT INTO hotels VALUES (2, 'Marriott', 'Zurich', B'1')")
        owner.execute("GRANT SELECT ON hotels TO demo_reader")
        yield
        shared_loop().close()
        owner.execute("DROP TABLE hotels")


@pytest.mark.usefixtures("_hotels")
def test_quickstart_runs_on_our_database() -> None:
    _, errors = run("import", str(EXAMPLES / "quickstart.yaml"), "--source", "my-pg-source=main_db")

    answer, _ = run("call", "search-hotels-by-location", "location=basel", "--json")
    assert json.loads(answer)["rows"] == [[1, "Hilton Basel", "Basel", "0"]]
    assert "line 32: book-hotel: refused: only queries" in errors
    toolset = Toolset.objects.get(name="my-toolset")
    assert set(toolset.tools.values_list("tool_name", flat=True)) == {
        "search-hotels-by-name",
        "search-hotels-by-location",
    }


def test_sqlite_source_is_made_and_its_tools_run(tmp_path: Path) -> None:
    path = tmp_path / "users.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE users (name TEXT, age INTEGER)")
        file.execute("INSERT INTO users VALUES ('Ann', 41), ('Anton', 17)")
    file.close()
    tools = (EXAMPLES / "sqlite-sql.yaml").read_text()
    given = tmp_path / "tools.yaml"
    given.write_text(
        f"sources:\n  my-sqlite-db:\n    kind: sqlite\n    database: {path}\n---\n{tools}"
    )

    run("import", str(given))

    answer, _ = run("call", "search-users", "name=An%", "min_age=18", "--json")
    assert json.loads(answer)["rows"] == [["Ann", 41]]
    assert DataSource.objects.get(name="my-sqlite-db").path == str(path)


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    output, errors = run("import", str(EXAMPLES / "quickstart.yaml"), "--dry-run")

    assert "search-hotels-by-name: new" in output
    assert "my-pg-source: new data source, 127.0.0.1:5432/toolbox_db" in errors
    assert "my-toolset: toolset with 2 of its 5 tools" in errors
    assert not DataSource.objects.exists()
    assert not ToolDefinition.objects.exists()


def test_source_that_the_file_leaves_open_is_said() -> None:
    output, errors = run("import", str(EXAMPLES / "postgres.yaml"))

    assert "the file leaves database, username to the environment" in errors
    assert output.endswith("0 published, 31 refused.\n")


@pytest.mark.parametrize(
    ("pair", "reason"),
    [("a", "a source is given as"), ("my-pg-source=none", "no data source none")],
)
def test_wrong_source_is_refused(pair: str, reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        run("import", str(EXAMPLES / "quickstart.yaml"), "--source", pair)


def test_what_toolbox_can_say_comes_back_the_same() -> None:
    make_tool(
        "SELECT :b::int AS b, :a AS a, :c AS c, :who AS who",
        name="said",
        parameters=[
            {"param_name": "a", "is_required": False, "default": "x"},
            {"param_name": "b", "param_type": "INTEGER", "minimum": "1", "maximum": "9"},
            {"param_name": "c", "param_type": "ENUM", "allowed_values": ["on", "off"]},
            claim("who", "sub"),
        ],
        row_limit=7,
        annotations={"readOnlyHint": True},
    )
    make_toolset("desk", "said")
    text, _ = run("export", "--format", "toolbox")

    reading = read_toolbox(text)

    [tool] = reading.tools
    row = ToolDefinition.objects.whole().get(name="said")
    assert tool.document.replace(data_source=None) == ToolDocument.of_row(row)
    assert [(toolset.name, toolset.tools) for toolset in reading.toolsets] == [("desk", ("said",))]


def test_what_toolbox_cannot_say_is_a_comment() -> None:
    make_expression(name="times")
    make_tool("SELECT 1 [[WHERE 1 = :a]]", name="optional", parameters=["a"])
    make_tool("SELECT :d::date", name="day", parameters=[{"param_name": "d", "param_type": "DATE"}])

    text, _ = run("export", "--format", "toolbox")

    assert "# times: MCP Toolbox has no tools of this kind" in text
    assert "# optional: MCP Toolbox has no optional clauses" in text
    assert "# day: d is a DATE, which MCP Toolbox takes as any text" in text
    assert [tool.document.name for tool in read_toolbox(text).tools] == ["day"]


def test_export_names_its_sources_without_their_passwords() -> None:
    source = DataSource.objects.create(
        name="crm", host="db", database="crm", username="reader", password="secret"
    )
    make_tool(name="one", data_source=source)

    text, _ = run("export", "--format", "toolbox")

    assert "secret" not in text
    [read] = read_toolbox(text).sources
    assert read.columns["password_reference"] == "env:CRM_PASSWORD"
