"""Names of a statement that the catalogue does not have: what its database may refuse beside its first fault."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.catalogue.sql_names import quote_exactly
from core.statements.names import ColumnMention, QueryBlock
from core.toolspec import Dialect

MOST_SUSPECTS = 6
# Words of clauses that are no keywords elsewhere, so that they read like columns.
_CLAUSE_WORDS = """
at by cube current day exclude fetch filter first following groups hour last materialized minute
month next nulls ordinality others over partition preceding range respect rollup row rows second
sets ties time unbounded week within year zone
"""
# Sent as a question, which nothing runs; the names are those that the statement writes itself.
_OF_TABLE = "SELECT 1 FROM {tables}"
_OF_COLUMN = "SELECT {column} FROM {tables}"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A name that may mean nothing, at its place, and a query of the same text that the database refuses then.

    `question` is '' where no database has to be asked: no table of the statement is called so.
    """

    name: str
    start: int
    end: int
    question: str


def find_suspects(
    text: str,
    blocks: Sequence[QueryBlock],
    columns: Mapping[str, Collection[str]],
    dialect: Dialect = Dialect.POSTGRESQL,
) -> list[Suspect]:
    """The names in their order, each text once, at most six.

    `columns` has those of each known table by its alias. What a subquery, a function or a renamed table
    gives is not known, so nothing is said of names that may come from one.
    """
    found: dict[str, Suspect] = {}
    for index, block in enumerate(blocks):
        around = list(_blocks_around(blocks, index))
        for table in block.tables:
            start, end = table.place
            if table.alias not in columns and end:
                name = text[start:end]
                found.setdefault(name, Suspect(name, start, end, _OF_TABLE.format(tables=name)))
        for column in block.columns:
            suspect = _suspect_column(text, column, around, columns, dialect=dialect)
            if suspect and column.place[1]:
                found.setdefault(suspect.name, suspect)
    return sorted(found.values(), key=lambda suspect: suspect.start)[:MOST_SUSPECTS]


def _blocks_around(blocks: Sequence[QueryBlock], index: int | None) -> Iterator[QueryBlock]:
    while index is not None:
        yield blocks[index]
        index = blocks[index].parent


def _suspect_column(
    text: str,
    column: ColumnMention,
    around: Sequence[QueryBlock],
    columns: Mapping[str, Collection[str]],
    *,
    dialect: Dialect,
) -> Suspect | None:
    """The suspect that the column is, None where its tables have it or are not known."""
    tables = [table for block in around for table in block.tables]
    name, (start, end) = column.name, column.place
    if name is None or len(column.qualifiers) > 1:
        return None
    if column.qualifiers:
        alias = column.qualifiers[0]
        if any({"", alias} & block.derived for block in around):
            return None
        owners = [table for table in tables if table.alias == alias]
        if not owners:
            return Suspect(text[start:end], start, end, "") if tables else None
        tables = owners[:1]
    elif (
        any(name in block.labels or block.derived for block in around)
        or name in _CLAUSE_WORDS.split()
    ):
        return None
    known = [columns.get(table.alias) for table in tables if not table.is_renamed]
    if len(known) < max(1, len(tables)) or any(
        names is None or name.lower() in map(str.lower, names) for names in known
    ):
        return None
    aliases = (quote_exactly(table.alias, dialect) for table in tables)
    sources = ", ".join(
        f"{text[slice(*table.place)]} AS {alias}"
        for table, alias in zip(tables, aliases, strict=True)
    )
    question = _OF_COLUMN.format(column=text[start:end], tables=sources)
    return Suspect(text[start:end], start, end, question)
