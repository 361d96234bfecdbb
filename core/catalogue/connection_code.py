"""Python that reads a table with SQLAlchemy or pandas: runs as given, holds no credential."""

import re
from dataclasses import dataclass

from core.catalogue.entries import TableEntry
from core.catalogue.sql_names import quote_table
from core.toolspec import Dialect, JsonValue

ROW_LIMIT = 1_000

_TOOLS_ALONE = (
    "The table is a file that this server reads: there is no database to connect to, so no code is"
    " given. Use a tool that reads the table; ask the administrator for one, or for the file itself."
)


@dataclass(frozen=True, slots=True)
class _Code:
    """How SQLAlchemy reaches a database: `engine` is a format with {address}."""

    url_form: str
    packages: str
    imports: tuple[str, ...]
    names: str
    engine: str


_CODES = {
    Dialect.POSTGRESQL: _Code(
        url_form="postgresql://USER:PASSWORD@HOST:5432/DATABASE",
        packages="sqlalchemy 2 and psycopg or psycopg2",
        imports=("import os", "from importlib.util import find_spec"),
        names="create_engine, make_url",
        # Left to itself, SQLAlchemy 2.0 wants psycopg2 and 2.1 psycopg, and neither knows postgres://.
        engine="driver = 'postgresql+psycopg' if find_spec('psycopg') else 'postgresql+psycopg2'\n"
        "engine = create_engine(make_url({address}).set(drivername=driver))",
    ),
    Dialect.SQLITE: _Code(
        url_form="sqlite:////absolute/path.db",
        packages="sqlalchemy 2",
        imports=("import os",),
        names="create_engine",
        engine="engine = create_engine({address})",
    ),
    Dialect.MYSQL: _Code(
        url_form="mysql://USER:PASSWORD@HOST:3306/DATABASE",
        packages="sqlalchemy 2 and PyMySQL",
        imports=("import os",),
        names="create_engine, make_url",
        # Left to itself, SQLAlchemy wants mysqlclient, which has to be compiled.
        engine="engine = create_engine(make_url({address}).set(drivername='mysql+pymysql'))",
    ),
    Dialect.DUCKDB: _Code(
        url_form="duckdb:////absolute/path.duckdb",
        packages="sqlalchemy 2 and duckdb-engine",
        imports=("import os",),
        names="create_engine",
        engine="engine = create_engine({address}, connect_args={{'read_only': True}})",
    ),
}


def connection_info(entry: TableEntry) -> dict[str, JsonValue]:
    """The answer of get_connection_info; each of its two samples runs on its own.

    pandas reads at most ROW_LIMIT rows, because the table may be of any size. Both samples are '' where
    programs cannot reach the database.
    """
    place: dict[str, JsonValue] = {
        "table_name": entry.summary.name,
        "datasource": entry.source_name,
        "type": entry.dialect.value if entry.is_reachable else "files",
        "schema": entry.table.schema,
    }
    if not entry.is_reachable:
        return {
            **place,
            "connection_code": {"sqlalchemy": "", "pandas": ""},
            "environment_variable": "",
            "notes": _TOOLS_ALONE,
        }
    variable = environment_variable(entry.source_name)
    code = _CODES[entry.dialect]
    engine = code.engine.format(address=f"os.environ[{variable!r}]")
    # text() would take what follows a colon for a parameter.
    table = quote_table(entry.table, entry.dialect).replace(":", r"\:")
    query = f"SELECT * FROM {table} LIMIT {ROW_LIMIT}"  # noqa: S608 - quoted
    opening = ("import pandas as pd", f"from sqlalchemy import {code.names}, text", engine)
    reading = f"df = pd.read_sql(text({query!r}), engine)"
    return {
        **place,
        "connection_code": {
            "sqlalchemy": "\n".join(
                (*code.imports, f"from sqlalchemy import {code.names}", engine)
            ),
            "pandas": "\n".join((*code.imports, *opening, reading)),
        },
        "environment_variable": variable,
        "notes": (
            f"The connection string comes from the environment variable {variable},"
            f" as in {code.url_form}. Needs {code.packages}; pandas for the second sample."
            " Each sample runs on its own, and one after the other too."
            f" LIMIT {ROW_LIMIT} keeps a large table out of memory: filter and add up in SQL."
        ),
    }


def environment_variable(source_name: str) -> str:
    """The variable that holds a data source's connection string: analytics-pg is ANALYTICS_PG_URL."""
    words = re.sub(r"[^A-Z0-9]+", "_", source_name.upper()).strip("_")
    if not words:
        return "DATA_SOURCE_URL"
    return f"DB_{words}_URL" if words[0].isdigit() else f"{words}_URL"
