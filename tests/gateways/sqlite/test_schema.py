"""What the catalogue reads of an SQLite file's tables, and of their first rows."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.catalogue.entries import (
    ColumnShape,
    ForeignKey,
    TableKind,
    TableName,
    TableShape,
)
from core.errors import DataSourceError, DataSourceUnavailableError, StatementError
from gateways.engines import open_schema_reader
from gateways.schema_reading import SAMPLE_CELL_LIMIT, SchemaReader
from gateways.sqlite.schema import SqliteSchemaReader
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.schema_names import HOSTILE_NAMES, hostile_table, quote
from tests.gateways.sqlite.queries import describe, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.db"


@pytest_asyncio.fixture
async def reader(path: Path) -> AsyncIterator[SchemaReader]:
    async with open_schema_reader(SqliteSettings(path=path)) as reader:
        yield reader


async def read(reader: SchemaReader, table: str) -> TableShape:
    [shape] = await reader.read_tables([TableName("", table)])
    return shape


async def test_tables_and_views_are_listed_without_inner_ones(
    reader: SchemaReader, path: Path
) -> None:
    write(
        path,
        "CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW a AS SELECT 1;"
        "CREATE VIRTUAL TABLE notes USING fts5(body); CREATE TABLE notes_archive (a);"
        "INSERT INTO b DEFAULT VALUES; ANALYZE",
    )

    assert [name.name for name in await reader.list_tables()] == [
        "a",
        "b",
        "notes",
        "notes_archive",
    ]


async def test_columns_come_in_order_with_all_that_is_known(
    reader: SchemaReader, path: Path
) -> None:
    write(
        path,
        "CREATE TABLE t (Id INTEGER PRIMARY KEY, price DECIMAL(10,2) NOT NULL, x,"
        " twice AS (price * 2) STORED)",
    )

    shape = await read(reader, "t")

    assert shape.kind is TableKind.TABLE
    assert shape.columns == (
        ColumnShape(name="Id", type_name="integer", is_nullable=False, is_primary_key=True),
        ColumnShape(name="price", type_name="decimal(10,2)", is_nullable=False),
        ColumnShape(name="x", type_name="any"),
        ColumnShape(name="twice", type_name="any"),
    )


async def test_hidden_columns_of_virtual_tables_are_left_out(
    reader: SchemaReader, path: Path
) -> None:
    write(path, "CREATE VIRTUAL TABLE notes USING fts5(title, body)")

    assert [column.name for column in (await read(reader, "notes")).columns] == ["title", "body"]


@pytest.mark.parametrize(
    ("reference", "target_columns"),
    [
        ("FOREIGN KEY (b, a) REFERENCES P (X, y)", ("x", "y")),
        ("FOREIGN KEY (b, a) REFERENCES p", ("y", "x")),
    ],
    ids=["named", "primary key"],
)
async def test_foreign_keys_name_columns_of_both_sides(
    reader: SchemaReader, path: Path, reference: str, target_columns: tuple[str, ...]
) -> None:
    write(path, f"CREATE TABLE p (x, y, PRIMARY KEY (y, x)); CREATE TABLE t (a, b, {reference})")

    assert (await read(reader, "t")).foreign_keys == (
        ForeignKey(
            constraint_name="t_b_a_fkey",
            columns=("b", "a"),
            target=TableName("", "p"),
            target_columns=target_columns,
        ),
    )


async def test_foreign_key_to_a_missing_table_is_kept_where_its_column_is_written(
    reader: SchemaReader, path: Path
) -> None:
    write(path, "CREATE TABLE t (a REFERENCES gone (id), b REFERENCES gone)")

    [key] = (await read(reader, "t")).foreign_keys

    assert (key.target, key.target_columns) == (TableName("", "gone"), ("id",))


async def test_rows_are_counted_unless_analyze_did(reader: SchemaReader, path: Path) -> None:
    write(
        path,
        "CREATE TABLE known (a); CREATE INDEX i ON known (a); INSERT INTO known VALUES (1), (2);"
        "ANALYZE; INSERT INTO known VALUES (3); CREATE TABLE counted (a);"
        "INSERT INTO counted VALUES (1), (2), (3); CREATE TABLE empty (a); CREATE VIEW v AS SELECT 1",
    )

    shapes = await reader.read_tables(await reader.list_tables())

    assert {shape.name.name: shape.row_estimate for shape in shapes} == {
        "counted": 3,
        "empty": 0,
        "known": 2,
        "v": None,
    }


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
async def test_any_name_is_read_exactly(reader: SchemaReader, path: Path, name: str) -> None:
    write(path, f"{hostile_table(name)} CREATE TABLE other (id REFERENCES {quote(name)})")

    shape = await read(reader, name)
    [key] = (await read(reader, "other")).foreign_keys
    sample = await reader.read_sample(shape, [], 5)

    assert [column.name for column in shape.columns] == ["id", name]
    assert (key.target.name, key.target_columns, shape.row_estimate) == (name, ("id",), 2)
    assert (sample.columns, sample.rows) == (("id", name), ((1, name), (2, None)))


async def test_sample_is_ordered_masked_and_short(reader: SchemaReader, path: Path) -> None:
    write(
        path,
        "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, email TEXT, note TEXT);"
        "INSERT INTO t VALUES (2, NULL, 'b'), (1, 'a@b.example', printf('%.500c', '한')), (3, 'c', 'd')",
    )

    sample = await reader.read_sample(await read(reader, "t"), {"email"}, 2)

    assert sample.columns == ("id", "email", "note")
    assert sample.rows == ((1, "***", "한" * SAMPLE_CELL_LIMIT), (2, None, "b"))


async def test_view_that_fails_has_no_columns_and_says_why(
    reader: SchemaReader, path: Path
) -> None:
    write(path, "CREATE VIEW broken AS SELECT * FROM gone; CREATE TABLE t (a)")

    shapes = await reader.read_tables(await reader.list_tables())

    assert [(shape.name.name, len(shape.columns)) for shape in shapes] == [("broken", 0), ("t", 1)]
    with pytest.raises(DataSourceError, match=r"no such table: main\.gone"):
        await reader.read_sample(shapes[0], [], 5)


async def test_view_that_takes_too_long_is_stopped(path: Path) -> None:
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS a FROM n"
    )
    write(path, f"CREATE VIEW t AS {endless}")
    settings = SqliteSettings(path=path, statement_timeout_ms=100)

    async with SqliteSchemaReader(settings) as reader:
        with pytest.raises(DataSourceError, match=r"longer than 0\.1 s"):
            await reader.read_sample(await read(reader, "t"), [], 5)


async def test_column_that_is_gone_is_not_taken_for_a_text(
    reader: SchemaReader, path: Path
) -> None:
    write(path, "CREATE TABLE t (a)")
    shape = TableShape(
        name=TableName("", "t"), columns=(ColumnShape(name="gone", type_name="any"),)
    )

    with pytest.raises(DataSourceError, match="no such column"):
        await reader.read_sample(shape, [], 5)


async def test_shapes_of_tables_that_are_gone_are_left_out(
    reader: SchemaReader, path: Path
) -> None:
    write(path, "CREATE TABLE t (a)")

    assert [
        s.name.name for s in await reader.read_tables([TableName("", "x"), TableName("", "T")])
    ] == ["t"]


async def test_missing_file_is_told(reader: SchemaReader) -> None:
    with pytest.raises(DataSourceUnavailableError, match="does not exist"):
        await reader.list_tables()


async def test_structure_is_told_to_readers_only(path: Path) -> None:
    write(path, "CREATE TABLE t (a)")
    pragma = 'PRAGMA table_xinfo("t")'

    async with SqliteSource(SqliteSettings(path=path)) as source:
        rows = await source.read_structure(lambda connection: connection.execute(pragma).fetchall())
        with pytest.raises(StatementError):
            await describe(source, "SELECT * FROM pragma_table_xinfo('t')")
        with pytest.raises(StatementError):
            await describe(source, pragma)

    assert len(rows) == 1


async def test_reader_changes_nothing_even_where_it_reads_structure(path: Path) -> None:
    write(path, "CREATE TABLE t (a)")

    async with SqliteSource(SqliteSettings(path=path)) as source:
        with pytest.raises(DataSourceError, match="not authorized"):
            await source.read_structure(lambda connection: connection.execute("DELETE FROM t"))


async def test_thousand_tables_are_read(path: Path) -> None:
    tables = "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a, b);" for n in range(1_000))
    write(path, f"BEGIN; {tables} COMMIT")

    async with SqliteSchemaReader(SqliteSettings(path=path)) as reader:
        shapes = await reader.read_tables(await reader.list_tables())

    assert len(shapes) == 1_000
    assert {len(shape.columns) for shape in shapes} == {3}
