"""The servers that ours is measured beside: fetched in pinned versions, and started on the demo database."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
import yaml

from benchmarks.fetched import NotFetchedError, fetch_environment, fetch_npm_package
from benchmarks.servers import Server
from benchmarks.stage import Stage
from config.services.ports import choose_free_port

OURS = "Toolbuilder"
TOOLBOX, TOOLBOX_PACKAGE, TOOLBOX_VERSION = "Toolbox", "@toolbox-sdk/server", "1.12.0"
MCPZ_PINS = (
    "django-mcpz==1.2.0",
    "Django==5.2.19",
    "gunicorn==27.0.1",
    "psycopg[binary]==3.3.9",
)
# Each of them keeps at most so many connections to the data, as ours does by default.
CONNECTIONS = 4
_TOOLBOX_TYPES = {"INTEGER": "integer", "NUMBER": "float", "DATE": "string"}
_READ_TOOLS = """
SELECT t.name, t.description_agent, t.tool_type, t.definition,
    array_agg(ARRAY[p.param_name, p.param_type, p.description] ORDER BY p.position)
FROM h_custom_tool t JOIN h_custom_tool_param p ON p.tool_id = t.id GROUP BY t.id ORDER BY t.id"""


@dataclass(frozen=True)
class Peer:
    """Another server; `start` takes the database that our tools are rows of.

    `start` raises NotFetchedError, RuntimeError or ConfigurationError with the reason.
    """

    word: str
    name: str
    versions: str
    start: Callable[[Stage, str], Server]


def start_toolbox(stage: Stage, database: str) -> Server:
    """MCP Toolbox for Databases with the same tools as the database's."""
    modules = fetch_npm_package(TOOLBOX_PACKAGE, TOOLBOX_VERSION)
    program = next(modules.glob("@toolbox-sdk/server-*/bin/toolbox"), None)
    if program is None:
        raise NotFetchedError("the npm package holds no program for this platform")
    port = choose_free_port()
    configuration = stage.directory / f"toolbox-{port}.yaml"
    _write_toolbox(configuration, stage.reader_dsn, database)
    options = ("--port", str(port), "--log-level", "WARN", "--disable-version-check")
    argv = (str(program), "--config", str(configuration), *options)
    return stage.start_program(TOOLBOX, port, argv)


def start_mcpz(stage: Stage, _database: str) -> Server:
    """django-mcpz on gunicorn, with a database of its own for its tokens."""
    python = str(fetch_environment("django-mcpz", MCPZ_PINS))
    variables = {
        "API_KEY": stage.token,
        "DATABASE_URL": stage.make_empty_database("mcpz"),
        "DEMO_DATABASE_URL": stage.reader_dsn,
    }
    stage.run_program(python, "-m", "benchmarks.mcpz_server", **variables)
    port = choose_free_port()
    threads = ("--threads", str(CONNECTIONS), "--keep-alive", "75")
    serve = (python, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", *threads)
    return stage.start_program(
        "django-mcpz", port, (*serve, "benchmarks.mcpz_server:application"), **variables
    )


def start_fastmcp(stage: Stage, _database: str) -> Server:
    """A hand-coded FastMCP server."""
    port = choose_free_port()
    variables = {"API_KEY": stage.token, "DEMO_DATABASE_URL": stage.reader_dsn, "PORT": str(port)}
    argv = (sys.executable, "-m", "benchmarks.static_server")
    return stage.start_program("hand-coded FastMCP", port, argv, **variables)


PEERS = (
    Peer("toolbox", TOOLBOX, f"{TOOLBOX_PACKAGE} {TOOLBOX_VERSION} (npm)", start_toolbox),
    Peer("mcpz", "django-mcpz", ", ".join(MCPZ_PINS).replace("==", " "), start_mcpz),
    Peer("fastmcp", "hand-coded FastMCP", f"fastmcp {version('fastmcp')}", start_fastmcp),
)


def _write_toolbox(path: Path, dsn: str, database: str) -> None:
    """Toolbox's configuration of the tools that a database holds."""
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    source: Mapping[str, Any] = {
        "kind": "source",
        "name": "demo",
        "type": "postgres",
        "host": parts["host"],
        "port": str(parts["port"]),
        "database": parts["dbname"],
        "user": parts["user"],
        "password": parts["password"],
        "queryParams": {"pool_max_conns": str(CONNECTIONS)},
    }
    with psycopg.connect(database) as connection:
        tools = [_toolbox_tool(row) for row in connection.execute(_READ_TOOLS)]
    with path.open("w") as file:
        yaml.dump_all([source, *tools], file, sort_keys=False, allow_unicode=True)


def _toolbox_tool(row: tuple[Any, ...]) -> dict[str, Any]:
    """A tool as Toolbox has it: parameters by number, and an expression as a query."""
    name, description, tool_type, definition, parameters = row
    cast = "" if tool_type == "SQL" else "::float8"
    for number, (parameter, _, _) in enumerate(parameters, start=1):
        written = f":{parameter}" if tool_type == "SQL" else parameter
        definition = definition.replace(written, f"${number}{cast}")
    return {
        "kind": "tool",
        "name": name,
        "type": "postgres-sql",
        "source": "demo",
        "description": description,
        "statement": definition if tool_type == "SQL" else f"SELECT {definition} AS result",
        "parameters": [
            {"name": each, "type": _TOOLBOX_TYPES[kind], "description": text or each}
            for each, kind, text in parameters
        ],
    }
