"""Python that reads a table with SQLAlchemy or pandas: runs as given, holds no credential."""

import re

from core.catalogue.entries import TableEntry
from core.catalogue.sql_names import quote_table
from core.toolspec import Dialect, JsonValue

ROW_LIMIT = 1_000

_URL_FORMS = {
    Dialect.POSTGRESQL: "postgresql://USER:PASSWORD@HOST:5432/DATABASE",
    Dialect.SQLITE: "sqlite:////absolute/path.db",
}
_PACKAGES = {
    Dialect.POSTGRESQL: "sqlalchemy 2 and psycopg or psycopg2",
    Dialect.SQLITE: "sqlalchemy 2",
}


def connection_info(entry: TableEntry) -> dict[str, JsonValue]:
    """The answer of get_connection_info; each of its two samples runs on its own.

    pandas reads at most ROW_LIMIT rows, because the table may be of any size.
    """
    variable = environment_variable(entry.source_name)
    return {
        "table_name": entry.summary.name,
        "datasource": entry.source_name,
        "type": entry.dialect.value,
        "schema": entry.table.schema,
        "connection_code": {
            "sqlalchemy": _sqlalchemy_code(entry.dialect, variable),
            "pandas": _pandas_code(entry, variable),
        },
        "environment_variable": variable,
        "notes": _notes(entry.dialect, variable),
    }


def environment_variable(source_name: str) -> str:
    """The variable that holds a data source's connection string: analytics-pg is ANALYTICS_PG_URL."""
    words = re.sub(r"[^A-Z0-9]+", "_", source_name.upper()).strip("_")
    if not words:
        return "DATA_SOURCE_URL"
    return f"DB_{words}_URL" if words[0].isdigit() else f"{words}_URL"


def _sqlalchemy_code(dialect: Dialect, variable: str) -> str:
    return "\n".join(
        [*_imports(dialect), f"from sqlalchemy import {_used(dialect)}", _engine(dialect, variable)]
    )


def _pandas_code(entry: TableEntry, variable: str) -> str:
    return "\n".join(
        [
            *_imports(entry.dialect),
            "import pandas as pd",
            f"from sqlalchemy import {_used(entry.dialect)}, text",
            _engine(entry.dialect, variable),
            f"df = pd.read_sql(text({_query(entry)!r}), engine)",
        ]
    )


def _query(entry: TableEntry) -> str:
    query = f"SELECT * FROM {quote_table(entry.table)} LIMIT {ROW_LIMIT}"  # noqa: S608 - quoted
    # text() would take what follows a colon for a parameter.
    return query.replace(":", r"\:")


def _imports(dialect: Dialect) -> list[str]:
    if dialect is Dialect.SQLITE:
        return ["import os"]
    return ["import os", "from importlib.util import find_spec"]


def _used(dialect: Dialect) -> str:
    return "create_engine" if dialect is Dialect.SQLITE else "create_engine, make_url"


def _engine(dialect: Dialect, variable: str) -> str:
    address = f"os.environ[{variable!r}]"
    if dialect is Dialect.SQLITE:
        return f"engine = create_engine({address})"
    # Left to itself, SQLAlchemy 2.0 wants psycopg2 and 2.1 psycopg, and neither knows postgres://.
    return (
        "driver = 'postgresql+psycopg' if find_spec('psycopg') else 'postgresql+psycopg2'\n"
        f"engine = create_engine(make_url({address}).set(drivername=driver))"
    )


def _notes(dialect: Dialect, variable: str) -> str:
    return (
        f"The connection string comes from the environment variable {variable},"
        f" as in {_URL_FORMS[dialect]}. Needs {_PACKAGES[dialect]}; pandas for the second sample."
        " Each sample runs on its own, and one after the other too."
        f" LIMIT {ROW_LIMIT} keeps a large table out of memory: filter and add up in SQL."
    )
