"""The code of get_connection_info runs as given, on any table, and does nothing else."""

import ast
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from core.catalogue.connection_code import connection_info, environment_variable
from core.catalogue.entries import TableEntry, TableName
from core.catalogue.sql_names import quote_name
from core.toolspec import Dialect
from tests.core.catalogue.sales import SALES

HOSTILE_NAMES = [
    'x"); import os #',
    "it's",
    "'''",
    '"""',
    "back\\slash",
    "{}{0}",
    "new\nline",
    "line\u2028separator",
    "매" * 21,
    "🎉",
    "100%",
    "%(name)s",
    ":name",
    "a:b\\:c::d",
    "\\",
    "a.b",
    "order",
    "Users",
    "two words",
    "--; DROP TABLE x /*",
    "$1 ?",
]
# Each sample starts from nothing, and the second also where the first has run.
RUNNER = """
import json, os, sys
for url, first, second in json.load(sys.stdin):
    os.environ["MAIN_DB_URL"] = url
    alone, after = {}, {}
    exec(second, alone)
    exec(first + "\\n" + second, after)
    print(json.dumps([alone["df"].values.tolist(), after["df"].values.tolist()]))
"""


def entry(name: str, schema: str, dialect: Dialect, source_name: str = "main_db") -> TableEntry:
    return replace(SALES, table=TableName(schema, name), dialect=dialect, source_name=source_name)


def samples(name: str, schema: str, dialect: Dialect) -> tuple[str, str]:
    code = connection_info(entry(name, schema, dialect))["connection_code"]
    return code["sqlalchemy"], code["pandas"]


def run(codes: list[tuple[str, str, str]]) -> list[Any]:
    """The rows that each pair of samples read from its URL; in one process, for pandas is slow to load."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        input=json.dumps(codes),
        env={},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def create_tables(schema: str) -> list[str]:
    """A table for each hostile name, its number in its only row."""
    prefix = f"{quote_name(schema)}." if schema else ""
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE_NAMES]
    return [
        f"CREATE TABLE {prefix}{name} AS SELECT {number} AS n" for number, name in enumerate(quoted)
    ]


@pytest.fixture
def postgres_url(embedded_postgres: EmbeddedPostgres) -> Iterator[str]:
    dsn = embedded_postgres.dsn("toolbuilder", "app")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "from"')
        for statement in create_tables("from"):
            connection.execute(statement.encode())
        yield dsn
        connection.execute('DROP SCHEMA "from" CASCADE')


def test_answer_has_the_keys_of_the_contract_in_order() -> None:
    answer = connection_info(SALES)

    assert list(answer) == [
        *("table_name", "datasource", "type", "schema"),
        *("connection_code", "environment_variable", "notes"),
    ]
    assert list(answer["connection_code"]) == ["sqlalchemy", "pandas"]
    assert answer["environment_variable"] == "MAIN_DB_URL"
    assert (answer["datasource"], answer["type"], answer["schema"]) == (
        *("main_db", "postgresql", "public"),
    )


def test_sample_of_an_ordinary_table_reads_as_people_write_it() -> None:
    answer = connection_info(entry("sales", "", Dialect.SQLITE, "shop"))

    assert answer["connection_code"] == {
        "sqlalchemy": (
            "import os\nfrom sqlalchemy import create_engine\n"
            "engine = create_engine(os.environ['SHOP_URL'])"
        ),
        "pandas": (
            "import os\nimport pandas as pd\nfrom sqlalchemy import create_engine, text\n"
            "engine = create_engine(os.environ['SHOP_URL'])\n"
            "df = pd.read_sql(text('SELECT * FROM sales LIMIT 1000'), engine)"
        ),
    }


@pytest.mark.parametrize(
    ("source_name", "variable"),
    [
        ("main_db", "MAIN_DB_URL"),
        ("analytics-pg", "ANALYTICS_PG_URL"),
        ("2024-archive", "DB_2024_ARCHIVE_URL"),
        ("매출", "DATA_SOURCE_URL"),
        ("a'] or os['b", "A_OR_OS_B_URL"),
        ("--x--", "X_URL"),
    ],
)
def test_variable_is_made_of_the_data_source_s_name(source_name: str, variable: str) -> None:
    assert environment_variable(source_name) == variable


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_name_adds_nothing_to_the_code(name: str, dialect: Dialect) -> None:
    ordinary, hostile = samples("sales", "s", dialect), samples(name, name, dialect)

    assert hostile[0] == ordinary[0]
    assert shape_of(hostile[1]) == shape_of(ordinary[1])


def shape_of(code: str) -> str:
    """The code's syntax tree without its texts."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = ""
    return ast.dump(tree)


def test_code_reads_tables_of_postgresql(postgres_url: str) -> None:
    codes = [(postgres_url, *samples(name, "from", Dialect.POSTGRESQL)) for name in HOSTILE_NAMES]

    assert run(codes) == [[[[n]], [[n]]] for n in range(len(HOSTILE_NAMES))]


def test_code_reads_tables_of_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        for statement in create_tables(""):
            database.execute(statement)
    database.close()
    codes = [(f"sqlite:///{file}", *samples(name, "", Dialect.SQLITE)) for name in HOSTILE_NAMES]

    assert run(codes) == [[[[n]], [[n]]] for n in range(len(HOSTILE_NAMES))]


def test_connection_string_may_have_any_scheme(postgres_url: str) -> None:
    _, address = postgres_url.split("://")
    schemes = ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"]
    code = samples("100%", "from", Dialect.POSTGRESQL)

    rows = run([(f"{scheme}://{address}", *code) for scheme in schemes])

    assert rows == [[[[10]], [[10]]]] * len(schemes)
