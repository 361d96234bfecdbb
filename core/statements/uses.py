"""Which tables and columns of a catalogue a statement uses."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.catalogue.entries import TableName
from core.dialects import find_rules
from core.statements.lexer import fold
from core.statements.names import ColumnMention, QueryBlock
from core.toolspec import Dialect

_SYSTEM_COLUMNS = frozenset(
    {"cmax", "cmin", "ctid", "oid", "rowid", "tableoid", "xmax", "xmin", "_rowid_"}
)

# DuckDB's tables of this schema are kept without one, as it names them.
DEFAULT_SCHEMA = "main"


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table of the catalogue with its columns; what is gone is told apart."""

    columns: Collection[str]
    gone_columns: Collection[str] = ()
    is_gone: bool = False


@dataclass(slots=True)
class Uses:
    """Columns by table, none where only its rows matter, and columns that the table never had."""

    columns: dict[TableName, set[str]] = field(default_factory=dict)
    unknown: dict[TableName, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Table:
    """A known table with its columns by their folded names."""

    name: TableName
    is_gone: bool
    columns: Mapping[str, str]
    gone_columns: Mapping[str, str]

    def find(self, name: str) -> str | None:
        return self.columns.get(name) or self.gone_columns.get(name)


# Of one query: the tables by alias, None for what is no table of the catalogue.
_Scope = dict[str, _Table | None]


class TableNames:
    """Known tables, found by the names that statements on one data source use; made once for many.

    Names without a schema are looked up along `search_path`, gone tables last.
    """

    def __init__(
        self,
        known: Mapping[TableName, KnownTable],
        dialect: Dialect = Dialect.POSTGRESQL,
        search_path: Sequence[str] = ("public",),
    ) -> None:
        # Names mean the same in any case.
        self._folds = find_rules(dialect).folds_names
        self._has_schemas = find_rules(dialect).has_schemas
        self._search_path = [""] if self._folds else list(search_path)
        self._tables = {
            (self._fold(name.schema), self._fold(name.name)): _Table(
                name, table.is_gone, self._index(table.columns), self._index(table.gone_columns)
            )
            for name, table in known.items()
        }

    def find(self, path: tuple[str, ...]) -> _Table | None:
        """The table that the path names."""
        has_schema = len(path) > 1 and self._has_schemas
        schemas = [path[-2]] if has_schema else self._search_path
        if self._folds and schemas == [DEFAULT_SCHEMA]:
            schemas = [""]
        found = [self._tables.get((schema, path[-1])) for schema in schemas]
        tables = [table for table in found if table]
        return min(tables, key=lambda table: table.is_gone, default=None)

    def _fold(self, name: str) -> str:
        return fold(name) if self._folds else name

    def _index(self, columns: Collection[str]) -> dict[str, str]:
        return {self._fold(column): column for column in columns}


def find_uses(blocks: Sequence[QueryBlock], tables: TableNames) -> Uses:
    """What the queries of a statement use of the tables.

    A column without its table belongs to every table of the innermost query that has such a column.
    """
    finder = _UseFinder(blocks, tables)
    for index, block in enumerate(blocks):
        for mention in block.columns:
            finder.note(index, mention)
    return finder.uses


def find_read_tables(reads: Iterable[tuple[str, str]], tables: TableNames) -> Uses:
    """The same of pairs of a table and a column, '' for none, as an SQLite file tells them."""
    uses = Uses()
    for table_name, column_name in reads:
        if table := tables.find((fold(table_name),)):
            columns = uses.columns.setdefault(table.name, set())
            if column := table.find(fold(column_name)):
                columns.add(column)
    return uses


class _UseFinder:
    """Goes through the queries; an inner one sees the tables of those around it."""

    def __init__(self, blocks: Sequence[QueryBlock], tables: TableNames) -> None:
        self.uses = Uses()
        self._blocks = blocks
        self._tables = tables
        self._scopes = [self._read_scope(block) for block in blocks]

    def _read_scope(self, block: QueryBlock) -> _Scope:
        scope: _Scope = dict.fromkeys(block.derived)
        for mention in block.tables:
            table = self._tables.find(mention.path)
            scope[mention.alias] = None if mention.is_renamed else table
            if table:
                columns = self.uses.columns.setdefault(table.name, set())
                if mention.is_renamed:
                    columns.update(table.columns.values())
        return scope

    def _scopes_around(self, index: int | None) -> Iterator[_Scope]:
        while index is not None:
            yield self._scopes[index]
            index = self._blocks[index].parent

    def note(self, index: int, mention: ColumnMention) -> None:
        """Note what the column is, as seen from the query of this index."""
        if mention.qualifiers:
            self._note_qualified(index, mention)
        elif mention.name is None:
            for table in self._scopes[index].values():
                self._use_all(table)
        else:
            self._note_bare(index, mention.name)

    def _note_bare(self, index: int, name: str) -> None:
        for scope in self._scopes_around(index):
            tables = [table for table in scope.values() if table]
            having = [table for table in tables if name in table.columns]
            having = having or [table for table in tables if name in table.gone_columns]
            for table in having:
                self._use(table, name)
            if not having and name in scope:
                # The alias of a table instead of a column is its whole row.
                self._use_all(scope[name])
            if having or name in scope:
                return

    def _note_qualified(self, index: int, mention: ColumnMention) -> None:
        for scope in self._scopes_around(index):
            # schema.table.column, or a field of a column that is a record.
            for place, alias in reversed(list(enumerate(mention.qualifiers))):
                if alias in scope:
                    following = (*mention.qualifiers[place + 1 :], mention.name)
                    self._use(scope[alias], following[0])
                    return

    def _use(self, table: _Table | None, name: str | None) -> None:
        if table is None:
            return
        if name is None:
            self._use_all(table)
        elif column := table.find(name):
            self.uses.columns.setdefault(table.name, set()).add(column)
        elif table.columns and name not in _SYSTEM_COLUMNS:
            self.uses.unknown.setdefault(table.name, set()).add(name)

    def _use_all(self, table: _Table | None) -> None:
        if table:
            self.uses.columns.setdefault(table.name, set()).update(table.columns.values())
