"""The registry of data sources: every kind by its name, and every engine by what is known of a source."""

from gateways.check_report import ConnectionReport
from gateways.duckdb.engine import DUCKDB, FILES
from gateways.engine import DatabaseSettings, Engine, OpenedSource, SourceKind
from gateways.http.kind import HTTP
from gateways.mysql.engine import MYSQL
from gateways.postgres.engine import POSTGRESQL
from gateways.schema_reading import SchemaReader
from gateways.sqlite.engine import SQLITE

ENGINES: dict[str, Engine] = {
    engine.name: engine for engine in (POSTGRESQL, MYSQL, SQLITE, DUCKDB, FILES)
}
KINDS: dict[str, SourceKind] = {**ENGINES, HTTP.name: HTTP}
# Of a row that says nothing, and the one whose tables people upload.
DEFAULT: Engine = POSTGRESQL
UPLOADED: Engine = next(engine for engine in ENGINES.values() if engine.uploads)
_BY_SETTINGS = {engine.settings: engine for engine in ENGINES.values()}


def find_kind(name: str) -> SourceKind:
    """The kind of that name; the default one for a name that another program wrote and nobody knows."""
    return KINDS.get(name, DEFAULT)


def find_engine(name: str | None) -> Engine:
    """The engine of that name; that of the default database for None and for an unknown name."""
    return ENGINES.get(name or "", DEFAULT)


def engine_of(settings: DatabaseSettings) -> Engine:
    """The engine that these settings are for."""
    return _BY_SETTINGS[type(settings)]


def open_source(settings: DatabaseSettings) -> OpenedSource:
    """The source, which connects when it is first needed; close it when it is no longer needed."""
    return engine_of(settings).open(settings)


def open_schema_reader(settings: DatabaseSettings) -> SchemaReader:
    """The reader of its tables, which connects when first asked; close it, or use `async with`."""
    return engine_of(settings).open_schema_reader(settings)


async def inspect_source(settings: DatabaseSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this database."""
    return await engine_of(settings).inspect(settings)
