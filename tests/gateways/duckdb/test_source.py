"""DuckDB as a data source: values both ways, caps, plans, processes that end, and the files of a folder."""
# ruff: noqa: ASYNC240

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from unicodedata import normalize

import duckdb
import pytest
import pytest_asyncio

from core.errors import (
    ArgumentsError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect, ParameterType
from gateways.check_report import Level
from gateways.duckdb.check import inspect_duckdb
from gateways.duckdb.schema import DuckdbSchemaReader
from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from gateways.duckdb.source import DuckdbSource
from tests.catalog.files.test_files import make_spreadsheet
from tests.waiting import LIMIT_S, eventually

T = ParameterType
pytestmark = pytest.mark.asyncio(loop_scope="session")

TABLES = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, name VARCHAR);
CREATE TABLE item (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (id), "이름 😀" VARCHAR);
COMMENT ON TABLE item IS 'Things';
COMMENT ON COLUMN item.id IS 'Number';
CREATE SCHEMA other;
CREATE VIEW other.cheap AS SELECT 1 AS one;
INSERT INTO shop VALUES (1, 'x');
INSERT INTO item VALUES (1, 1, 'a'), (2, 1, 'b');
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("duckdb") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def source(path: Path) -> AsyncIterator[DuckdbSource]:
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=2, cell_limit=100)) as source:
        yield source


def make_query(
    sql: str, *, row_limit: int = 100, timeout_ms: int = 30_000, **arguments: Any
) -> Query:
    lists = frozenset(name for name, (kind, _) in arguments.items() if kind.is_list)
    statement = compile_statement(sql, dialect=Dialect.DUCKDB, list_names=lists)
    return Query(
        statement=statement,
        types=tuple(arguments[name][0] for name in statement.parameter_names),
        values={name: value for name, (_, value) in arguments.items()},
        row_limit=row_limit,
        byte_limit=100_000,
        timeout_ms=timeout_ms,
    )


async def fetch(source: DuckdbSource, sql: str, **arguments: Any) -> list[list[Any]]:
    return list(map(list, (await source.run(make_query(sql, **arguments))).rows))


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        (
            "170141183460469231731687303715884105727::HUGEINT",
            "170141183460469231731687303715884105727",
        ),
        ("18446744073709551615::UBIGINT", 18446744073709551615),
        ("1.10::DECIMAL(38,10)", 1.1),
        ("1.1::FLOAT", 1.1),
        ("'nan'::DOUBLE", None),
        ("{'a': [{'b': 'x'}], 'c': NULL}", {"a": [{"b": "x"}], "c": None}),
        ("MAP {'k': INTERVAL '1 month 2 days'}", {"k": "1 month 2 days"}),
        ("[1.5, 'nan'::DOUBLE]", [1.5, None]),
        ("INTERVAL '1 month 2 days'", "1 month 2 days"),
        ("TIMESTAMP_NS '2026-01-01 00:00:00.123456789'", "2026-01-01T00:00:00.123456789"),
        ("TIMESTAMPTZ '2026-01-01 09:00:00+09'", "2026-01-01T00:00:00+00:00"),
        ("'infinity'::TIMESTAMP", "infinity"),
        ("DATE '290000-01-01'", "290000-01-01"),
        ("'a'::BLOB", "YQ=="),
        ("'{\"a\": 1}'::JSON", {"a": 1}),
        ("'101'::BIT", "101"),
        ("'x'::ENUM ('x', 'y')", "x"),
        ("union_value(k := 2)", {"k": 2}),
        ("repeat('가', 200)", "가" * 100),
        ("list_transform(range(100), lambda x: x)", str(list(range(100))).replace(" ", "")[:100]),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else "",
)
async def test_value_of_every_type_is_json(source: DuckdbSource, sql: str, value: Any) -> None:
    assert await fetch(source, f"SELECT {sql} AS value") == [[value]]


async def test_what_was_changed_is_noted(source: DuckdbSource) -> None:
    result = await source.run(make_query("SELECT repeat('x', 101) AS long, 'nan'::DOUBLE AS odd"))

    assert result.truncated
    assert result.notes == (
        'Long cells of "long" were cut to 100 characters.',
        'NaN or infinite cells of "odd" are given as null.',
    )


async def test_arguments_keep_their_types(source: DuckdbSource) -> None:
    rows = await fetch(
        source,
        "SELECT typeof(:whole), typeof(:money), :huge, :json ->> '$.a', :uuid = uuid FROM"
        " (SELECT '00000000-0000-0000-0000-00000000000a'::UUID AS uuid)",
        whole=(T.INTEGER, 5),
        money=(T.DECIMAL, Decimal("1.50")),
        huge=(T.INTEGER, 2**100),
        json=(T.JSON, {"a": "가"}),
        uuid=(T.UUID, "00000000-0000-0000-0000-00000000000a"),
    )

    assert rows == [["INTEGER", "DECIMAL(3,2)", str(2**100), "가", True]]


@pytest.mark.parametrize("value", [2**127, "a\0b"], ids=["number", "NUL"])
async def test_argument_that_duckdb_cannot_hold_is_named(source: DuckdbSource, value: Any) -> None:
    kind = T.INTEGER if isinstance(value, int) else T.STRING

    with pytest.raises(ArgumentsError, match="mine: must"):
        await fetch(source, "SELECT :mine", mine=(kind, value))


async def test_rows_beyond_the_cap_are_never_made(source: DuckdbSource) -> None:
    result = await source.run(make_query("SELECT range FROM range(3000000000)", row_limit=2))

    assert (result.rows, result.truncated) == ([(0,), (1,)], True)
    assert result.rows_json == b"[[0],[1]]"


async def test_order_is_kept_within_the_cap(source: DuckdbSource) -> None:
    sql = "SELECT range FROM range(100000) ORDER BY hash(range)"

    result = await source.run(make_query(sql, row_limit=50))

    assert result.rows == sorted(result.rows, key=lambda row: _hash(row[0]))


def _hash(number: int) -> int:
    row = duckdb.execute("SELECT hash($1::BIGINT)", [number]).fetchone()
    assert row
    return int(row[0])


@pytest.mark.parametrize(
    ("sql", "text", "place", "code"),
    [
        ("SELECT 'é', nam FROM shop WHERE id IN (:ids)", 'column "nam" not found', "nam", "42703"),
        ("SELECT * FROM shops WHERE id IN (:ids)", "shops does not exist", "shops", "42P01"),
        ("SELECT nosuch(id) FROM shop", "function nosuch is not allowed", "nosuch", ""),
        ("SELECT upper(1, 2)", "No function matches", "upper", ""),
        ("SELECT id FROM shop WHERE id IN (:ids) LIMT 2 3", "syntax error", "LIMT", ""),
    ],
    ids=["column", "table", "function", "arguments", "syntax"],
)
async def test_fault_is_told_at_its_place(
    source: DuckdbSource, sql: str, text: str, *, place: str, code: str
) -> None:
    query = make_query(sql, ids=(T.INTEGER_LIST, [1]))

    with pytest.raises(StatementError, match=text) as caught:
        await source.check(query.statement, query.types)

    assert caught.value.position == sql.index(place)
    assert caught.value.code == code


async def test_columns_are_told_without_a_run(source: DuckdbSource) -> None:
    query = make_query("SELECT range AS n, {'a': 1} AS s FROM range(3000000000)")

    inspection = await source.inspect(query.statement, ())

    assert inspection.columns == (("n", "bigint"), ("s", "struct(a integer)"))


async def test_plan_is_told_without_a_run(source: DuckdbSource) -> None:
    plan = await source.explain(
        make_query("SELECT name, count(*) FROM shop GROUP BY name ORDER BY 2")
    )

    assert "reads every row" in {str(step.text).split(" of ")[0] for step in plan.nodes[0].walk()}
    assert plan.cost is None
    assert "\n  " in plan.text


async def test_queries_of_others_go_on_while_one_is_stopped(path: Path) -> None:
    endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0"
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=2)) as source:
        stopped = asyncio.create_task(source.run(make_query(endless, timeout_ms=300)))

        assert await fetch(source, "SELECT 1") == [[1]]
        with pytest.raises(DeadlineExceededError, match=r"took longer than 0\.3 s"):
            await stopped
        assert await fetch(source, "SELECT 2") == [[2]]


async def test_process_that_is_killed_costs_its_own_query_alone(path: Path) -> None:
    endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0"
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=1)) as source:
        await fetch(source, "SELECT 1")
        process = await source._pool.acquire("", asyncio.get_running_loop().time() + LIMIT_S)
        source._pool.give_back(process)
        query = asyncio.create_task(source.run(make_query(endless)))
        while process.is_settled:  # noqa: ASYNC110 - nothing tells that the query has begun
            await asyncio.sleep(0.01)

        os.kill(process.pid, signal.SIGKILL)

        with pytest.raises(DataSourceError, match="too much memory or crashed"):
            await query
        assert await fetch(source, "SELECT 2") == [[2]]


async def test_no_process_is_left_behind(path: Path) -> None:
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=1)) as source:
        await fetch(source, "SELECT 1")
        process = await source._pool.acquire("", asyncio.get_running_loop().time() + LIMIT_S)
        source._pool.give_back(process)

    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_process_sees_no_other_file_nor_the_environment(source: DuckdbSource) -> None:
    process = await source._pool.acquire("", asyncio.get_running_loop().time() + LIMIT_S)
    source._pool.give_back(process)
    [status] = [
        line
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
        if line.startswith("Seccomp:")
    ]

    assert status.split()[1] == "2"
    assert Path(f"/proc/{process.pid}/cwd").readlink() == Path("/")


def write(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)


async def test_replaced_file_is_opened_anew(tmp_path: Path) -> None:
    write(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS n")
    write(tmp_path / "b.duckdb", "CREATE TABLE t AS SELECT 2 AS n")
    async with DuckdbSource(DuckdbSettings(path=tmp_path / "a.duckdb", pool_size=1)) as source:
        assert await fetch(source, "SELECT n FROM t") == [[1]]

        (tmp_path / "b.duckdb").replace(tmp_path / "a.duckdb")

        assert await fetch(source, "SELECT n FROM t") == [[2]]


async def test_database_that_nobody_asks_can_be_written_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "written.duckdb"
    write(path, "CREATE TABLE t AS SELECT 1 AS n")
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=1)) as source:
        assert await fetch(source, "SELECT n FROM t") == [[1]]
        process = await source._pool.acquire("", asyncio.get_running_loop().time() + LIMIT_S)
        source._pool.give_back(process)
        await eventually(lambda: not holds(process.pid, path))

        # Nothing was written meanwhile: the same process opens the file again.
        assert await fetch(source, "SELECT n + 1 FROM t") == [[2]]
        assert process.calls == 2
        await eventually(lambda: not holds(process.pid, path))
        write(path, "UPDATE t SET n = 5")

        assert await fetch(source, "SELECT n FROM t") == [[5]]


def holds(pid: int, path: Path) -> bool:
    """Whether the process has the file open, and with it the lock."""
    return path in {link.readlink() for link in Path(f"/proc/{pid}/fd").iterdir()}


async def test_file_that_a_writer_holds_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    with duckdb.connect(str(path)) as writer:
        writer.execute("CREATE TABLE t (n INTEGER)")
        async with DuckdbSource(DuckdbSettings(path=path, pool_size=1)) as source:
            with pytest.raises(DataSourceUnavailableError, match="lock"):
                await fetch(source, "SELECT 1")
        report = await inspect_duckdb(DuckdbSettings(path=path))

    assert [finding.code for finding in report.findings] == ["duckdb-locked"]


async def test_tables_are_read_with_keys_and_comments(path: Path) -> None:
    async with DuckdbSchemaReader(DuckdbSettings(path=path)) as reader:
        names = await reader.list_tables()
        shapes = {shape.name.name: shape for shape in await reader.read_tables(names)}
        sample = await reader.read_sample(shapes["item"], ["shop_id"], 1)

    item = shapes["item"]
    assert [(name.schema, name.name) for name in names] == [
        *(("", "item"), ("", "shop"), ("other", "cheap")),
    ]
    assert (item.comment, item.row_estimate, item.columns[0].comment) == ("Things", 2, "Number")
    assert [column.is_primary_key for column in item.columns] == [True, False, False]
    assert [key.target.name for key in item.foreign_keys] == ["shop"]
    assert sample.columns == ("id", "shop_id", "이름 😀")
    assert sample.rows[0][0] == 1
    assert sample.rows[0][1] != 1


async def test_check_tries_writes_and_leaves_nothing(path: Path) -> None:
    before = path.read_bytes()

    report = await inspect_duckdb(DuckdbSettings(path=path))

    assert report.server.startswith("DuckDB ")
    assert not report.is_refused
    assert "writes-refused" in {finding.code for finding in report.findings}
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "file-missing"),
        (Path.mkdir, "not-a-file"),
        (lambda path: path.write_text("no database" * 999), "not-duckdb"),
    ],
    ids=["missing", "folder", "text"],
)
async def test_file_that_cannot_be_used_is_refused(tmp_path: Path, make: Any, code: str) -> None:
    make(tmp_path / "x.duckdb")

    report = await inspect_duckdb(DuckdbSettings(path=tmp_path / "x.duckdb"))

    assert [finding.code for finding in report.findings] == [code]
    assert report.is_unreachable


async def test_each_file_of_a_folder_is_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "it's [1]"
    folder.mkdir()
    (folder / "sales.csv").write_text("id,name\n1,a\n")
    (folder / "odd*?[x].tsv").write_text("id\tname\n2\tb\n")
    (folder / "lines.ndjson").write_text('{"id": 3}\n')
    (folder / "sales.json").write_text('[{"id": 9}]')
    (folder / "bad.parquet").write_text("nothing")
    (folder / "away.csv").symlink_to("/etc/passwd")
    (folder / "circle.csv").symlink_to(folder / "circle.csv")
    # As macOS takes names apart.
    (folder / f"{normalize('NFD', '매출')}.csv").write_text("n\n7\n")
    # A name as EUC-KR has it.
    Path(os.fsdecode(os.fsencode(folder) + b"/\xb0\xa1.csv")).write_text("n\n1\n")
    (folder / "notes.txt").write_text("no table")
    # Beside a workbook that is open in Excel.
    (folder / "~$stock.xlsx").write_bytes(b"\x03Kim")
    async with DuckdbSource(FilesSettings(path=folder, pool_size=1)) as source:
        rows = await fetch(
            source,
            'SELECT id FROM sales UNION FROM lines UNION SELECT id FROM "odd*?[x]" ORDER BY id',
        )
        (folder / "later.csv").write_text("n\n5\n")
        later = await fetch(source, 'SELECT n FROM later UNION ALL SELECT n FROM "매출"')
        with pytest.raises(DataSourceError, match="not read by their path"):
            await fetch(source, f"FROM '{folder}/sales.csv'".replace("it's", "it''s"))
        greeting = await source.read_greeting()
    report = await inspect_duckdb(FilesSettings(path=folder))

    assert (rows, later) == ([[1], [2], [3]], [[5], [7]])
    names = {"bad.parquet", "away.csv", "circle.csv", "??.csv", "sales.json"}
    assert {name for name, _ in greeting["faults"]} == names
    codes = [finding.code for finding in report.findings if finding.level is Level.WARNING]
    assert codes.count("file-left-out") == 5
    assert str(tmp_path) not in " ".join(finding.text for finding in report.findings)


async def test_file_that_ends_the_reader_is_left_out_and_the_others_are_served(
    tmp_path: Path,
) -> None:
    (tmp_path / "good.csv").write_text("n\n7\n")
    # Its reader makes a place for each cell between the first and the last one, and aborts.
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    (tmp_path / "far.xlsx").write_bytes(make_spreadsheet(far))
    # The first caller waits for two processes to start.
    settings = FilesSettings(
        path=tmp_path, pool_size=1, max_wait_ms=60_000, statement_timeout_ms=60_000
    )
    async with DuckdbSource(settings) as source:
        assert await fetch(source, "SELECT n FROM good") == [[7]]
        greeting = await source.read_greeting()
        (tmp_path / "far.xlsx").unlink()
        (tmp_path / "far.csv").write_text("n\n8\n")

        assert await fetch(source, "SELECT n FROM far") == [[8]]

    assert greeting["faults"] == [
        ["far.xlsx", "reading it ended the process, so it may be damaged"]
    ]


async def test_folder_that_is_not_there_yet_has_no_tables(tmp_path: Path) -> None:
    settings = FilesSettings(path=tmp_path / "none", may_be_absent=True, pool_size=1)
    async with DuckdbSource(settings) as source:
        assert await source.read_structure() == []

        (tmp_path / "none").mkdir()
        (tmp_path / "none" / "t.csv").write_text("a\n1\n")

        assert await fetch(source, "SELECT a FROM t") == [[1]]
