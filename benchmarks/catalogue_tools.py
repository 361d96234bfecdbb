"""`python -m benchmarks.catalogue_tools`: the catalogue tools beside the REST API that they tell of.

The limit is the document server's own time plus 50 ms. Each answer is asked for at the REST
API, over MCP from a runtime on its own rows, and over MCP from a runtime that asks that REST API.
"""

import random
import time
from argparse import ArgumentParser
from asyncio import Runner
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from urllib.parse import quote

import httpx
import psycopg
import uvloop

from benchmarks.clients import Client
from benchmarks.servers import Server
from benchmarks.stage import Stage

LIMIT_MS = 50.0
TIMEOUT_S = 120.0
WARM_UP = 3
COLUMNS, TAGS, KEYS_OF_EACH = 20, 40, 2
ROWS = f"""
TRUNCATE h_catalog_tag, h_catalog_table RESTART IDENTITY CASCADE;
INSERT INTO h_catalog_tag (name) SELECT 'tag ' || n FROM generate_series(1, {TAGS}) n;
INSERT INTO h_catalog_table (schema, name, display_name, description, notes, row_estimate, sample)
SELECT 'public', 'department_table_' || n, '부서 테이블 ' || n,
  '일별 거래 데이터. 지점별, 상품별 금액과 수량을 기록합니다. Updated every night at two. ' || n,
  'Filter by created_at; the table is large.', n * 1000,
  jsonb_build_object('columns', jsonb_build_array('column_1', 'column_2'),
                     'rows', jsonb_build_array(jsonb_build_array(1, 'one'), jsonb_build_array(2, 'two')))
FROM generate_series(1, %(tables)s) n;
INSERT INTO h_catalog_column (table_id, name, position, type_name, source_comment)
SELECT t.id, 'column_' || c, c, 'numeric(10,2)', '금액 column of the department, number ' || c
FROM h_catalog_table t, generate_series(1, {COLUMNS}) c;
INSERT INTO h_catalog_table_tags (catalogtable_id, tag_id)
SELECT t.id, g.id FROM h_catalog_table t JOIN h_catalog_tag g ON (t.id %% {TAGS}) IN (g.id, g.id - 3);
INSERT INTO h_catalog_relation (table_id, target_id, relation_type, constraint_name, columns, target_columns)
SELECT t.id, u.id, 'foreign_key', 'key_' || u.id, '["column_2"]', '["column_1"]'
FROM h_catalog_table t JOIN h_catalog_table u ON u.id - t.id BETWEEN 1 AND {KEYS_OF_EACH};
ANALYZE;
"""  # noqa: S608 - our own numbers


@dataclass
class Asked:
    """One answer from one server: how it is asked for, and what it took."""

    tool: str
    server: Server
    ask: Callable[[], int]
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    size: int = 0

    def measure(self, calls: int) -> None:
        """Add one figure of each call, and one of processor time per call."""
        before = self.server.cpu_ms()
        for _ in range(calls):
            began = time.perf_counter()
            self.size = self.ask()
            self.ms.append((time.perf_counter() - began) * 1_000)
        self.cpu_ms.append((self.server.cpu_ms() - before) / calls)


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=6)
    options = parser.parse_args()
    with Stage() as stage, Runner(loop_factory=uvloop.new_event_loop) as runner:
        asked = _prepare(stage, runner, options.tables)
        for one in asked:
            one.measure(WARM_UP)
            one.ms.clear()
            one.cpu_ms.clear()
        for _ in range(options.rounds):
            for one in random.sample(asked, len(asked)):
                one.measure(options.calls)
        _print(asked, options.tables)


def _prepare(stage: Stage, runner: Runner, tables: int) -> list[Asked]:
    database = stage.make_database(0)
    with psycopg.connect(database, autocommit=True) as connection:
        statements = (ROWS % {"tables": tables}).split(";\n")
        for statement in filter(str.strip, statements):
            connection.execute(statement.encode())
    web = stage.start_web("REST", database)
    builtin = {"MCP_BUILTIN_TOOLS": "all"}
    remote_settings = {"DOCUMENT_SERVER_URL": web.url, "DOCUMENT_SERVER_TOKEN": stage.token}
    own = stage.start_ours("own", database, **builtin)
    remote = stage.start_ours("remote", database, **builtin, **remote_settings)
    asked: list[Asked] = []
    for tool, address, arguments in _cases(tables):
        asked.append(Asked(tool, web, _over_rest(web, stage.token, address)))
        asked += [
            Asked(
                tool, server, _over_mcp(runner, server, stage.token, tool=tool, arguments=arguments)
            )
            for server in (own, remote)
        ]
    return asked


def _cases(tables: int) -> list[tuple[str, str, dict[str, object]]]:
    names = [f"department_table_{number}" for number in range(1, tables, tables // 5)][:5]
    return [
        ("list_table_summaries", "tables", {}),
        ("get_tags", "tags", {}),
        ("get_table_details", f"tables?names={quote(','.join(names))}", {"table_names": names}),
        ("get_connection_info", f"tables/{names[0]}/connection", {"table_name": names[0]}),
    ]


def _over_rest(server: Server, token: str, address: str) -> Callable[[], int]:
    headers = {"Authorization": f"Bearer {token}"}
    client = httpx.Client(base_url=f"{server.url}/api/", headers=headers, timeout=TIMEOUT_S)
    return lambda: len(client.get(address).raise_for_status().content)


def _over_mcp(
    runner: Runner, server: Server, token: str, *, tool: str, arguments: dict[str, object]
) -> Callable[[], int]:
    client = Client(server.port, token)
    request = client.prepare_call(tool, arguments)

    async def ask() -> int:
        return len((await client.send(request)).content())

    return lambda: runner.run(ask())


def _print(asked: Sequence[Asked], tables: int) -> None:
    print(f"{tables:,} tables of {COLUMNS} columns; ms: median (95th of 100), processor per call")
    print(f"{'tool':22}{'server':8}{'time':>20}{'over REST':>11}{'CPU':>9}{'answer, kB':>12}")
    rest = {one.tool: one for one in asked if one.server.name == "REST"}
    for one in asked:
        over = median(one.ms) - median(rest[one.tool].ms)
        spread = f"{median(one.ms):.1f} ({quantiles(one.ms, n=20)[-1]:.1f})"
        size = rest[one.tool].size / 1_000
        verdict = "" if over <= LIMIT_MS else f"  above {LIMIT_MS:.0f} ms"
        print(
            f"{one.tool:22}{one.server.name:8}{spread:>20}{over:>11.1f}{median(one.cpu_ms):>9.1f}"
            f"{size:>12.1f}{verdict}"
        )


if __name__ == "__main__":
    main()
