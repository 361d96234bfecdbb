"""Tables, columns and relations, as a database describes them and as the catalogue shows them."""

from dataclasses import dataclass
from enum import StrEnum

from core.toolspec import Dialect, JsonValue

# What the catalogue calls the database of the POSTGRESQL_DB_* variables.
DEFAULT_SOURCE_NAME = "main_db"


class TableKind(StrEnum):
    """Kinds of relation that can be read."""

    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized view"
    FOREIGN_TABLE = "foreign table"


class RelationType(StrEnum):
    """How two tables belong together."""

    FOREIGN_KEY = "foreign_key"
    DERIVED = "derived"
    OWN = "own"


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table within its database; `schema` is '' if the engine has none."""

    schema: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnShape:
    """A column as the database describes it; `type_name` as people write it, such as numeric(10,2)."""

    name: str
    type_name: str
    is_nullable: bool = True
    is_primary_key: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """Columns that refer to another table's, paired by position."""

    constraint_name: str
    columns: tuple[str, ...]
    target: TableName
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """A table as the database describes it, columns in order; `row_estimate` None where unknown."""

    name: TableName
    kind: TableKind = TableKind.TABLE
    comment: str = ""
    row_estimate: int | None = None
    columns: tuple[ColumnShape, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A few rows of a table, as JSON values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReference:
    """The table, by the name agents know, and the column that a foreign key leads to."""

    table: str
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnEntry:
    """A column as the catalogue shows it; the values of a masked one must not leave the database."""

    name: str
    type_name: str
    description: str = ""
    is_primary_key: bool = False
    is_nullable: bool = True
    is_masked: bool = False
    foreign_key: ColumnReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationEntry:
    """A table related to another one; `name` is the related table's, as agents know it."""

    name: str
    display_name: str
    relation_type: RelationType
    join_condition: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSummary:
    """What the overview shows of a table.

    `name` is what agents ask for: the bare name if it is the only one of that name in the
    catalogue, else with its schema, else with data source and schema, between dots.
    """

    name: str
    display_name: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    row_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """All that the catalogue shows of a table; `table` is its name in the database.

    `is_reachable` says whether programs can connect to the database themselves, as agents may tell them.
    """

    summary: TableSummary
    source_name: str
    dialect: Dialect
    table: TableName
    columns: tuple[ColumnEntry, ...] = ()
    sample: Sample | None = None
    sample_note: str = ""
    relations: tuple[RelationEntry, ...] = ()
    notes: str = ""
    is_reachable: bool = True
