"""What the catalogue reads of PostgreSQL's tables."""

import pytest

from core.catalogue.entries import (
    ColumnShape,
    ForeignKey,
    TableKind,
    TableName,
    TableShape,
)
from core.errors import DataSourceError
from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings
from gateways.schema_reading import COMMENT_LIMIT
from tests.gateways.postgres.schema.conftest import Execute
from tests.gateways.schema_names import HOSTILE_NAMES, hostile_table, quote


async def read(reader: PostgresSchemaReader, table: str) -> TableShape:
    [name] = [name for name in await reader.list_tables() if name.name == table]
    [shape] = await reader.read_tables([name])
    return shape


async def test_tables_of_the_search_path_are_listed(
    reader: PostgresSchemaReader, schema: str, execute: Execute
) -> None:
    execute("CREATE TABLE b (); CREATE VIEW a AS SELECT 1 AS one; CREATE SEQUENCE c")

    assert await reader.list_tables() == [TableName(schema, "a"), TableName(schema, "b")]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("CREATE TABLE t (a int)", TableKind.TABLE),
        ("CREATE TABLE t (a int) PARTITION BY LIST (a)", TableKind.TABLE),
        ("CREATE VIEW t AS SELECT 1 AS a", TableKind.VIEW),
        ("CREATE MATERIALIZED VIEW t AS SELECT 1 AS a", TableKind.MATERIALIZED_VIEW),
    ],
    ids=["table", "partitioned", "view", "materialized view"],
)
async def test_kinds_are_told_apart(
    reader: PostgresSchemaReader, execute: Execute, sql: str, kind: TableKind
) -> None:
    execute(sql)

    assert (await read(reader, "t")).kind is kind


async def test_columns_come_in_order_with_all_that_is_known(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute(
        "CREATE TABLE t (z bigint, gone text, a integer NOT NULL, b text, PRIMARY KEY (b, z));"
        "ALTER TABLE t DROP gone; COMMENT ON COLUMN t.a IS '販売数量 / <b>units</b> / 수량';"
        "COMMENT ON TABLE t IS '<script>alert(1)</script>'"
    )

    shape = await read(reader, "t")

    assert shape.comment == "<script>alert(1)</script>"
    assert shape.columns == (
        ColumnShape(name="z", type_name="bigint", is_nullable=False, is_primary_key=True),
        ColumnShape(
            name="a",
            type_name="integer",
            is_nullable=False,
            comment="販売数量 / <b>units</b> / 수량",
        ),
        ColumnShape(name="b", type_name="text", is_nullable=False, is_primary_key=True),
    )


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("numeric(10, 2)", "decimal(10,2)"),
        ("numeric", "decimal"),
        ("varchar(255)", "varchar(255)"),
        ("varchar(9)[]", "varchar(9)[]"),
        ("char(2)", "char(2)"),
        ("timestamptz", "timestamptz"),
        ("timestamp(3) with time zone", "timestamptz(3)"),
        ("timestamp", "timestamp"),
        ("time", "time"),
        ("timetz[]", "timetz[]"),
        ("varbit(5)", "varbit(5)"),
        ("double precision", "double precision"),
        ("date", "date"),
        ("uuid", "uuid"),
        ("jsonb", "jsonb"),
        ("text[][]", "text[]"),
        ('"character varying"', '"character varying"'),
        ("mood", "enum('up','so ''so''')"),
        ("mood[]", "mood[]"),
        ("nothing", "nothing"),
        ("won", "decimal(18,2)"),
        ("won[]", "won[]"),
    ],
)
async def test_types_have_their_short_names(
    reader: PostgresSchemaReader, execute: Execute, declared: str, expected: str
) -> None:
    execute(
        "CREATE TYPE mood AS ENUM ('up', 'so ''so'''); CREATE TYPE nothing AS ENUM ();"
        'CREATE DOMAIN won AS numeric(18, 2); CREATE TYPE "character varying" AS (x int)'
    )
    execute(f"CREATE TABLE t (a {declared})")

    assert (await read(reader, "t")).columns[0].type_name == expected


async def test_long_list_of_values_is_cut(reader: PostgresSchemaReader, execute: Execute) -> None:
    values = [f"value {number}" for number in range(200)]
    execute(f"CREATE TYPE many AS ENUM ({', '.join(map(repr, values))}); CREATE TABLE t (a many)")

    type_name = (await read(reader, "t")).columns[0].type_name

    assert type_name.startswith("enum('value 0','value 1',")
    assert len(type_name) == 500
    assert type_name.endswith("…")


async def test_domain_without_null_makes_its_column_not_null(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute("CREATE DOMAIN id AS int NOT NULL; CREATE TABLE t (a id)")

    assert not (await read(reader, "t")).columns[0].is_nullable


async def test_foreign_keys_keep_the_order_of_their_columns(
    reader: PostgresSchemaReader, schema: str, execute: Execute
) -> None:
    execute(
        "CREATE TABLE p (x int, y int, PRIMARY KEY (y, x));"
        "CREATE TABLE t (a int, b int, CONSTRAINT two FOREIGN KEY (b, a) REFERENCES p (x, y))"
    )

    assert (await read(reader, "t")).foreign_keys == (
        ForeignKey(
            constraint_name="two",
            columns=("b", "a"),
            target=TableName(schema, "p"),
            target_columns=("x", "y"),
        ),
    )


async def test_foreign_keys_stand_in_the_order_of_the_columns(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute(
        "CREATE TABLE p (a int PRIMARY KEY); CREATE TABLE t (z int REFERENCES p, a int REFERENCES p)"
    )

    assert [key.columns for key in (await read(reader, "t")).foreign_keys] == [("z",), ("a",)]


async def test_foreign_key_may_leave_the_search_path(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute("CREATE TABLE t (item_id int REFERENCES public.item)")

    [key] = (await read(reader, "t")).foreign_keys

    assert (key.target, key.target_columns) == (TableName("public", "item"), ("id",))


async def test_key_to_a_partitioned_table_is_one_key(
    reader: PostgresSchemaReader, schema: str, execute: Execute
) -> None:
    execute(
        "CREATE TABLE p (a int PRIMARY KEY) PARTITION BY LIST (a);"
        "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);"
        "CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);"
        "CREATE TABLE t (a int REFERENCES p)"
    )

    assert [key.target.name for key in (await read(reader, "t")).foreign_keys] == ["p"]
    assert [name.name for name in await reader.list_tables()] == ["p", "t"]


async def test_row_estimates_are_those_of_analyze(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute(
        "CREATE TABLE p (a int) PARTITION BY LIST (a);"
        "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);"
        "CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);"
        "INSERT INTO p SELECT 1 + n % 2 FROM generate_series(1, 30) n;"
        "CREATE TABLE counted AS SELECT generate_series(1, 7) AS a; CREATE TABLE empty (a int);"
        "CREATE TABLE unknown (a int); CREATE VIEW v AS SELECT 1 AS a;"
        "ANALYZE p1, p2, counted, empty"
    )

    shapes = await reader.read_tables(await reader.list_tables())

    assert {shape.name.name: shape.row_estimate for shape in shapes} == {
        "counted": 7,
        "empty": 0,
        "p": 30,
        "unknown": None,
        "v": None,
    }


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
async def test_any_name_is_read_exactly(
    reader: PostgresSchemaReader, schema: str, execute: Execute, name: str
) -> None:
    execute(hostile_table(name))
    execute(f"CREATE TABLE other (id int REFERENCES {quote(name)})")

    shape = await read(reader, name)
    [key] = (await read(reader, "other")).foreign_keys
    sample = await reader.read_sample(shape, [], 5)

    assert [column.name for column in shape.columns] == ["id", name]
    assert key.target == TableName(schema, name)
    assert (sample.columns, sample.rows) == (("id", name), ((1, name), (2, None)))


async def test_long_comment_ends_in_an_ellipsis(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute("CREATE TABLE t (a int)")
    execute(f"COMMENT ON TABLE t IS '{'한' * 100_000}'; COMMENT ON COLUMN t.a IS '{'x' * 100_000}'")

    shape = await read(reader, "t")

    assert shape.comment == "한" * (COMMENT_LIMIT - 1) + "…"
    assert shape.columns[0].comment == "x" * (COMMENT_LIMIT - 1) + "…"


async def test_shapes_come_in_the_order_asked_for_without_those_gone(
    reader: PostgresSchemaReader, schema: str, execute: Execute
) -> None:
    execute("CREATE TABLE a (); CREATE TABLE b ()")

    shapes = await reader.read_tables([TableName(schema, name) for name in ("b", "gone", "a")])

    assert [shape.name.name for shape in shapes] == ["b", "a"]


async def test_thousand_tables_are_read_in_a_few_batches(
    reader: PostgresSchemaReader, schema: str, execute: Execute
) -> None:
    execute(
        "DO $$ BEGIN FOR n IN 1..1000 LOOP EXECUTE format("
        "'CREATE TABLE table_%s (id int, b int, c date)', n); END LOOP; END $$"
    )

    shapes = await reader.read_tables(await reader.list_tables())

    assert len(shapes) == 1_000
    assert {len(shape.columns) for shape in shapes} == {3}


async def test_batch_too_large_for_one_answer_is_read_in_halves(
    schema_settings: PostgresSettings, execute: Execute
) -> None:
    execute("".join(f"CREATE TABLE t{n} (a int, b int);" for n in range(4)))

    async with PostgresSchemaReader(schema_settings, answer_row_limit=4) as reader:
        shapes = await reader.read_tables(await reader.list_tables())

    assert [len(shape.columns) for shape in shapes] == [2, 2, 2, 2]


async def test_table_too_large_for_one_answer_is_named(
    schema_settings: PostgresSettings, execute: Execute
) -> None:
    execute("CREATE TABLE wide (a int, b int, c int)")

    async with PostgresSchemaReader(schema_settings, answer_row_limit=2) as reader:
        with pytest.raises(DataSourceError, match="columns and comments of wide"):
            await reader.read_tables(await reader.list_tables())
