"""What MariaDB or MySQL says about a statement before it runs: its columns, and refusals."""

from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from core.errors import StatementError
from core.messages import message
from core.statement import CompiledStatement
from gateways.cells import ColumnReader
from gateways.mysql.columns import (
    TIMESTAMP,
    MomentReader,
    cell_expression,
    find_type,
    lenient_reader,
    may_be_long,
    name_type,
)
from gateways.mysql.errors import EQUAL_NAMES, statement_error
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.sql import SplitStatement, capped_sql, limited_sql, split_statement
from gateways.mysql.wire import MysqlConnection, MysqlServerError, Prepared, WireColumn

# `SELECT *` may have got another column meanwhile, which no error would tell.
LIFETIME_S = 60.0
COUNT_LIMIT = 1_000
_MOST_TEXTS = 16


@dataclass(slots=True)
class MysqlDescription:
    """Columns of a statement, and how its rows are asked for.

    `cells` are the expressions in the place of its columns, None where they come as they are. A lenient
    way reads texts in no character set.
    """

    split: SplitStatement
    columns: tuple[WireColumn, ...]
    cells: tuple[str, ...] | None
    is_named: bool
    is_lenient: bool
    until: float
    # What is sent, by the lengths of its lists.
    _texts: dict[tuple[int, ...], str] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, which may be equal."""
        return tuple(column.name for column in self.columns)

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Names of the columns with their types."""
        return tuple((column.name, name_type(column)) for column in self.columns)

    def text(self, lengths: tuple[int, ...]) -> str:
        """What is sent for lists of these lengths."""
        if (known := self._texts.get(lengths)) is None:
            sql = self.split.render(lengths)
            if self.cells is None:
                known = limited_sql(sql)
            else:
                known = capped_sql(sql, self.cells, is_named=self.is_named)
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[lengths] = known
        return known

    def make_specs(self, columns: "tuple[WireColumn, ...] | Any") -> tuple[Any, ...]:
        """What reads an answer of these columns."""
        return tuple(find_type(column, is_lenient=self.is_lenient).spec for column in columns)

    def make_readers(
        self, prepared: Prepared, settings: MysqlSettings
    ) -> list[tuple[int, ColumnReader]]:
        """Readers of the columns of the answer that has begun."""
        readers: list[tuple[int, ColumnReader]] = []
        cell_limit, zone = settings.cell_limit, settings.zone
        for index, (column, told) in enumerate(
            zip(self.columns, prepared.answer_columns, strict=True)
        ):
            own = lenient_reader(column) if self.cells is not None else None
            reader = own or find_type(told, is_lenient=self.is_lenient).reader
            if reader is not None:
                readers.append((index, reader(column.name, cell_limit)))
            elif told.type_code == TIMESTAMP and zone is not None:
                readers.append((index, MomentReader(column.name, cell_limit, zone)))
        return readers


class MysqlDescriptionCache:
    """Descriptions by SQL; those used last are remembered, for a minute."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, MysqlDescription] = OrderedDict()

    def find(self, statement: CompiledStatement) -> MysqlDescription | None:
        """The description, unless it is unknown or too old."""
        known = self._kept.get(statement.sql)
        if known is None or known.until < monotonic():
            return None
        self._kept.move_to_end(statement.sql)
        return known

    def keep(self, statement: CompiledStatement, description: MysqlDescription) -> None:
        """Remember a description, and forget the one that was not used for longest."""
        self._kept[statement.sql] = description
        if len(self._kept) > COUNT_LIMIT:
            self._kept.popitem(last=False)

    def forget(self, statement: CompiledStatement) -> None:
        """Forget what is known of a statement."""
        self._kept.pop(statement.sql, None)


async def describe(
    connection: MysqlConnection,
    statement: CompiledStatement,
    cell_limit: int,
    *,
    is_lenient: bool = False,
) -> MysqlDescription:
    """The description, by the server, which does not run the statement.

    Raises StatementError with the server's words, MysqlServerError and MysqlConnectionLostError where the fault is
    not the statement's.
    """
    split = split_statement(statement)
    columns, is_named = await _read_columns(connection, statement, split)
    if not columns:
        raise StatementError(
            message(
                "statement.no_rows",
                "the statement gives no rows; only queries can be served (SELECT ... INTO"
                " writes a table: leave INTO out)",
            ),
            0,
        )
    is_plain = not is_named and not any(may_be_long(column, cell_limit) for column in columns)
    cells = tuple(
        cell_expression(column, f"c{index}", cell_limit) for index, column in enumerate(columns)
    )
    if not is_plain:
        is_named = await _check_capped(connection, statement, split, cells, is_named=is_named)
    return MysqlDescription(
        split=split,
        columns=columns,
        cells=None if is_plain else cells,
        is_named=is_named,
        is_lenient=is_lenient,
        until=monotonic() + LIFETIME_S,
    )


async def _read_columns(
    connection: MysqlConnection, statement: CompiledStatement, split: SplitStatement
) -> tuple[tuple[WireColumn, ...], bool]:
    """The statement's columns, and whether it has to be named whole for its equal names."""
    sql = split.render_once()
    # What the connection knows of it may be from before a table was changed.
    connection.forget(limited_sql(sql))
    try:
        return (await connection.prepare(limited_sql(sql))).columns, False
    except MysqlServerError as error:
        if error.number != EQUAL_NAMES:
            raise statement_error(error, statement, split) from error
    return (await _prepare(connection, statement, split, sql)).columns, True


async def _check_capped(
    connection: MysqlConnection,
    statement: CompiledStatement,
    split: SplitStatement,
    cells: tuple[str, ...],
    *,
    is_named: bool,
) -> bool:
    """Whether the statement has to be named whole to have its cells capped."""
    sql = split.render_once()
    try:
        await connection.prepare(capped_sql(sql, cells, is_named=is_named))
    except MysqlServerError as error:
        if error.number != EQUAL_NAMES or is_named:
            raise statement_error(error, statement, split) from error
        await _prepare(connection, statement, split, capped_sql(sql, cells, is_named=True))
        return True
    return is_named


async def _prepare(
    connection: MysqlConnection, statement: CompiledStatement, split: SplitStatement, sql: str
) -> Prepared:
    try:
        return await connection.prepare(sql)
    except MysqlServerError as error:
        raise statement_error(error, statement, split) from error
