"""Python that reads a table with SQLAlchemy or pandas: runs as given, holds no credential."""

import re

from core.catalogue.entries import TableEntry
from core.catalogue.sql_names import quote_table
from core.dialects import find_rules
from core.toolspec import JsonValue

ROW_LIMIT = 1_000

_TOOLS_ALONE = (
    "The table is a file that this server reads: there is no database to connect to, so no code is"
    " given. Use a tool that reads the table; ask the administrator for one, or for the file itself."
)


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
    code = find_rules(entry.dialect).code
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
