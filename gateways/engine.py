"""What the product knows of a kind of data source; each kind registers itself in its own package."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from core.execution import Query, QuerySource
from core.messages import Message
from core.plans.tree import QueryPlan
from core.statement import CompiledStatement
from core.toolspec import Dialect, JsonValue, ParameterType
from gateways.check_report import ConnectionReport
from gateways.extras import Extra
from gateways.fair_queue import PoolState
from gateways.schema_reading import SchemaReader

# Columns of a row that only HTTP services use.
SERVICE_COLUMNS = (
    *("server_url", "authentication", "authentication_name", "token_url", "token_scope"),
)


class Ability(StrEnum):
    """What some engines can do and others cannot; all else they all do, tests/gateways/engine_contract shows it."""

    COLUMN_TYPES = "tells the types of columns before a run"
    PARAMETER_TYPES = "tells the types of parameters"
    READS = "tells exactly which columns a statement reads"
    KEYS = "keeps keys, and which columns may be empty"
    COMMENTS = "keeps comments of tables and columns"
    PLAN_FIGURES = "estimates rows for steps of a plan"
    PLAN_TABLES = "names the tables in a plan"
    PLAN_COST = "estimates the cost of a plan"
    CALLER_IDENTITY = "takes who calls into row-level security: settings and a role for each call"
    READER_ROLE = "has roles: the check judges their rights and shows SQL for a right one"


# Pairs of a table and a column, '' where no column of it is named.
Reads = frozenset[tuple[str, str]]


class Inspection(NamedTuple):
    """What a database says of a statement that is being written.

    `columns` are names and types, '' where a column has none; `parameter_types` are in the order of
    $1..$n, or () where the engine has no types for parameters.
    """

    columns: tuple[tuple[str, str], ...]
    parameter_types: tuple[ParameterType, ...] = ()


class DatabaseSettings(Protocol):
    """A dataclass of how a database is reached, and its limits; `target` is which one is reached as whom."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def target(self) -> list[object]: ...

    @property
    def pool_size(self) -> int: ...

    @property
    def max_wait_ms(self) -> int: ...

    @property
    def statement_timeout_ms(self) -> int: ...

    @property
    def lock_timeout_ms(self) -> int: ...


@dataclass(frozen=True, slots=True)
class GuessedFile:
    """What a file seems to hold: names and types of its columns, and its first rows as JSON values."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[JsonValue, ...], ...]


@dataclass(frozen=True, slots=True)
class Uploads:
    """How an engine makes tables of files that people upload.

    `kinds` are kinds of file by ending, `types` what a person may choose for a column. `guess` takes a
    path and its kind; `convert` these, the chosen types by column and the path of the table, and says
    how many rows it has. Both raise DataSourceError.
    """

    kinds: Mapping[str, str]
    types: tuple[str, ...]
    guess: Callable[[Path, str], Awaitable[GuessedFile]]
    convert: Callable[[Path, str, Mapping[str, str], Path], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class ToolboxNames:
    """What MCP Toolbox calls a tool of the engine, its sources, the first one for ours, and their fields.

    `fields` are columns of a row by Toolbox's name.
    """

    tool: str
    sources: tuple[str, ...]
    fields: dict[str, str]


TOOLBOX_SERVER = {"host": "host", "port": "port", "database": "database", "user": "username"}


class OpenedSource(QuerySource, Protocol):
    """A database that connects when it is first needed; close it when it is no longer needed."""

    @property
    def pool_state(self) -> PoolState: ...

    async def close(self) -> None: ...

    async def server_version(self) -> str:
        """The version of the database; raises DataSourceUnavailableError where it cannot be reached."""

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None], caller: str = ""
    ) -> Inspection:
        """What the database says now, without running the statement; None is an unknown type.

        Raises StatementError with the database's words, DataSourceError, DeadlineExceededError.
        """

    async def explain(self, query: Query) -> QueryPlan:
        """The plan of the query, which is not run. Raises as `run`."""


@dataclass(frozen=True, slots=True)
class CheckStage:
    """A stage of the check of a connection; `codes` are those of its findings.

    The stage without codes has the findings that belong to no other.
    """

    label: Message
    codes: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class SourceKind:
    """A kind of data source, a database or a service.

    `name` is what rows say, `label` what people read, and `address` a format of where a {row} leads.
    `needed` and `unused` are columns of a row that must be filled in and that must be empty; those that
    are `ignored` have a value and mean nothing. The `stages` of a check are in order; it takes at most
    `longest_check_s`.
    """

    name: str
    label: str
    address: str
    needed: tuple[str, ...]
    unused: tuple[str, ...]
    stages: tuple[CheckStage, ...]
    longest_check_s: int
    ignored: tuple[str, ...] = ()

    @property
    def left_out(self) -> frozenset[str]:
        """Columns of a row that mean nothing."""
        return frozenset((*self.unused, *self.ignored))


@dataclass(frozen=True, kw_only=True)
class Engine(SourceKind):
    """A kind of database. The first parameter of each function is an object of the class `settings`.

    `read_row` makes the settings of a row of data sources and its password. `read_url` gives the
    columns of a row, and its "password", of a URL with one of the `schemes`; None for a URL that is
    not as in `url_form`, which `url_fault` says of the {variable} that holds it. `find_reads` gives
    the pairs of table and column that a statement reads, where the engine can tell.

    `default_port` is where a server listens, None for an engine without servers; `options` are those
    of the connection that mean something, None for all of libpq's.

    `like` compares text in any case, with `part_pattern` for a part of it that a parameter names. `folds_names` says that names of tables mean the same in any
    case; `types_parameters`, that the database finds the types of parameters; `takes_clients`, that
    other programs can connect to it. `extra` is what has to be installed for it. `uploads` is there
    where people upload its tables, `toolbox` where MCP Toolbox has the engine.
    """

    dialect: Dialect
    settings: type
    open: Callable[[Any], OpenedSource]
    open_schema_reader: Callable[[Any], SchemaReader]
    inspect: Callable[[Any], Awaitable[ConnectionReport]]
    read_row: Callable[[Any, str], Any]
    schemes: tuple[str, ...]
    url_form: str
    read_url: Callable[[str], dict[str, Any] | None]
    url_fault: Message
    like: str
    has_schemas: bool
    folds_names: bool
    types_parameters: bool
    find_reads: Callable[[Any, CompiledStatement], Awaitable[Reads]] | None = None
    abilities: frozenset[Ability] = frozenset()
    default_port: int | None = None
    options: frozenset[str] | None = None
    takes_clients: bool = True
    extra: Extra | None = None
    uploads: Uploads | None = None
    toolbox: ToolboxNames | None = None
    part_pattern: str = "'%' || :{name} || '%'"


def limits_of(row: Any) -> dict[str, Any]:
    """The ceilings of a row of data sources, as settings of every engine name them."""
    return {
        "pool_size": row.pool_size,
        "max_wait_ms": row.max_wait_ms,
        "statement_timeout_ms": row.timeout_ms,
        "lock_timeout_ms": row.lock_timeout_ms,
        "row_limit": row.row_limit,
        "byte_limit": row.byte_limit,
        "cell_limit": row.cell_limit,
    }
