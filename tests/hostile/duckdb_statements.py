"""The same for DuckDB: what must be refused with its reason, and what must be served."""

from datetime import UTC, date, datetime
from decimal import Decimal

from core.toolspec import ParameterType as T
from tests.hostile.running import Honest

TABLES = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR, price DECIMAL(9,2), tags VARCHAR[]);
INSERT INTO item VALUES (1, 'apple', 1.5, ['red', 'fruit']), (2, 'bread', 2.0, ['food']),
    (3, 'cheese', 7.25, []), (4, 'date', NULL, NULL);
CREATE TABLE sale (id INTEGER, item_id INTEGER, region VARCHAR, day DATE, quantity INTEGER);
INSERT INTO sale VALUES (1, 1, 'KR', '2026-01-05', 2), (2, 1, 'JP', '2026-01-06', 4),
    (3, 2, 'KR', '2026-01-06', 1), (4, 3, 'US', '2026-02-01', 2), (5, 3, 'KR', '2026-02-03', 1);
CREATE TABLE "매출 집계" ("지역" VARCHAR, "delete" INTEGER, "up;date" INTEGER);
INSERT INTO "매출 집계" VALUES ('서울', 1, 2);
CREATE VIEW cheap AS SELECT * FROM item WHERE price < 5;
CREATE VIEW endless AS
    WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r;
CREATE SEQUENCE counter;
CREATE MACRO doubled(x) AS x * 2;
CREATE MACRO sneaky() AS (SELECT content FROM read_text('/etc/hostname'));
"""

_COMMAND = "only queries .* can be served; this is "
_QUERY = "only queries that change nothing can be served|syntax error"
_ONE = "only one statement is allowed; remove what follows this ;"
_DENIED = "function {} is not allowed on this source"
_NO_TABLE = "table {} is not allowed on this source"
_NO_PATH = "files are not read by their path; name the table that the file is"
_STOPPED = r"took longer than 0\.3 s and was stopped"
_MEMORY = "memory|too much|Out of Memory"
_EITHER = f"{_STOPPED}|{_MEMORY}"

HOSTILE: dict[str, tuple[str, str]] = {
    # Writes
    "insert": ("INSERT INTO item VALUES (9, 'x', 1, NULL)", _COMMAND),
    "insert returning": ("INSERT INTO sale DEFAULT VALUES RETURNING id", _COMMAND),
    "update": ("UPDATE item SET price = 0 RETURNING id", _COMMAND),
    "delete": ("DELETE FROM item RETURNING id", _COMMAND),
    "merge": ("MERGE INTO item USING sale ON FALSE WHEN NOT MATCHED THEN INSERT", _COMMAND),
    "truncate": ("TRUNCATE item", _COMMAND),
    "delete in WITH": ("WITH a AS (DELETE FROM item RETURNING *) SELECT * FROM a", _QUERY),
    "insert in WITH": (
        "WITH a AS (INSERT INTO sale VALUES (9, 9, '', NULL, 9) RETURNING *) FROM a",
        _QUERY,
    ),
    "update in a deep WITH": (
        "SELECT * FROM (WITH a AS (UPDATE item SET price = 0 RETURNING id) SELECT * FROM a)",
        _QUERY,
    ),
    "delete behind WITH": ("WITH a AS (SELECT 1) DELETE FROM item RETURNING id", _QUERY),
    "delete as a table": ("SELECT * FROM (DELETE FROM item RETURNING id)", _QUERY),
    "create": ("CREATE TABLE loot (id INTEGER)", _COMMAND),
    "create temporary": ("CREATE TEMP TABLE item AS SELECT 1", _COMMAND),
    "create view": ("CREATE OR REPLACE TEMP VIEW item AS SELECT 1", _COMMAND),
    "create macro": ("CREATE TEMP MACRO lower(x) AS 'loot'", _COMMAND),
    "create secret": ("CREATE SECRET s (TYPE s3)", _COMMAND),
    "drop": ("DROP TABLE item", _COMMAND),
    "alter": ("ALTER TABLE item RENAME TO loot", _COMMAND),
    "comment": ("COMMENT ON TABLE item IS 'loot'", _COMMAND),
    "checkpoint": ("CHECKPOINT", _COMMAND),
    "force checkpoint": ("FORCE CHECKPOINT", _COMMAND),
    "vacuum": ("VACUUM", _COMMAND),
    "analyze": ("ANALYZE", _COMMAND),
    "sequence": ("SELECT nextval('counter')", _DENIED.format("nextval")),
    "sequence read": ("SELECT currval('counter')", _DENIED.format("currval")),
    "seed": ("SELECT setseed(0.5)", _DENIED.format("setseed")),
    # Files
    "copy to": ("COPY item TO 'loot.csv'", _COMMAND),
    "copy from": ("COPY item FROM '/etc/passwd'", _COMMAND),
    "export": ("EXPORT DATABASE 'loot'", _COMMAND),
    "import": ("IMPORT DATABASE 'loot'", _COMMAND),
    "attach": ("ATTACH 'loot.duckdb' AS loot", _COMMAND),
    "detach": ("DETACH shop", _COMMAND),
    "install": ("INSTALL httpfs", _COMMAND),
    "load": ("LOAD '/tmp/loot.duckdb_extension'", _COMMAND),
    "csv": ("SELECT * FROM read_csv('/etc/passwd')", _DENIED.format("read_csv")),
    "text": ("SELECT content FROM read_text('/etc/passwd')", _DENIED.format("read_text")),
    "blob": ("FROM read_blob('/etc/*')", _DENIED.format("read_blob")),
    "parquet": ("FROM parquet_scan('/tmp/x.parquet')", _DENIED.format("parquet_scan")),
    "parquet metadata": ("FROM parquet_metadata('x')", _DENIED.format("parquet_metadata")),
    "json": ("FROM read_ndjson_objects('/etc/passwd')", _DENIED.format("read_ndjson_objects")),
    "duckdb": ("FROM read_duckdb('/tmp/x.duckdb')", _DENIED.format("read_duckdb")),
    "glob": ("SELECT * FROM glob('/etc/*')", _DENIED.format("glob")),
    "sniffer": ("FROM sniff_csv('/etc/passwd')", _DENIED.format("sniff_csv")),
    "quoted function": ("FROM \"read_text\"('/etc/passwd')", _DENIED.format("read_text")),
    "function in backticks": ("FROM `read_text`('/etc/passwd')", _DENIED.format("read_text")),
    "function behind a comment": (
        "FROM read_text/* */('/etc/passwd')",
        _DENIED.format("read_text"),
    ),
    "path as a table": ("SELECT * FROM '/etc/passwd'", _NO_PATH),
    "path as a quoted table": ('FROM "loot.csv"', _NO_PATH),
    "path in a join": ("SELECT * FROM item JOIN 's3://loot/x.parquet' USING (id)", _NO_PATH),
    "address as a table": ("FROM 'https://example.com/x.csv'", _NO_PATH),
    "pattern as a table": ("FROM item, '*.csv'", _NO_PATH),
    "python variable": ("SELECT * FROM options", "options does not exist"),
    "macro over a file": ("SELECT sneaky()", "disabled by configuration"),
    # Leaks
    "settings": ("FROM duckdb_settings()", _DENIED.format("duckdb_settings")),
    "setting": ("SELECT current_setting('temp_directory')", _DENIED.format("current_setting")),
    "databases": ("FROM duckdb_databases()", _DENIED.format("duckdb_databases")),
    "secrets": ("FROM duckdb_secrets()", _DENIED.format("duckdb_secrets")),
    "logs": ("FROM duckdb_logs", _NO_TABLE.format("duckdb_logs")),
    "pragma as a function": ("FROM pragma_version()", _DENIED.format("pragma_version")),
    "schema of the server": ("FROM information_schema.tables", _NO_TABLE.format("tables")),
    "server's catalogue": ("FROM pg_catalog.pg_class", _NO_TABLE.format("pg_class")),
    "catalogue of the system": (
        "FROM system.main.duckdb_tables",
        _NO_TABLE.format("duckdb_tables"),
    ),
    "catalogue beside a WITH of its name": (
        "SELECT sql FROM duckdb_views, (WITH duckdb_views AS (SELECT 1) SELECT 1)",
        _NO_TABLE.format("duckdb_views"),
    ),
    "catalogue in a WITH of its name": (
        "WITH duckdb_views AS (SELECT sql FROM duckdb_views) SELECT * FROM duckdb_views",
        _NO_TABLE.format("duckdb_views"),
    ),
    "catalogue before a WITH of its name": (
        "WITH a AS (SELECT sql FROM duckdb_views), duckdb_views AS (SELECT 1) SELECT * FROM a",
        _NO_TABLE.format("duckdb_views"),
    ),
    "catalogue where a recursion of its name begins": (
        "WITH RECURSIVE sqlite_master(a) AS (SELECT sql FROM sqlite_master UNION ALL"
        " SELECT a FROM sqlite_master WHERE FALSE) SELECT * FROM sqlite_master",
        _NO_TABLE.format("sqlite_master"),
    ),
    "sqlite's catalogue": ("FROM sqlite_master", _NO_TABLE.format("sqlite_master")),
    "variable": ("SELECT getvariable('x')", _DENIED.format("getvariable")),
    "environment": ("SELECT getenv('HOME')", _DENIED.format("getenv")),
    # Sessions
    "set": ("SET memory_limit = '100GB'", _COMMAND),
    "reset": ("RESET enable_external_access", _COMMAND),
    "variable set": ("SET VARIABLE x = 1", _COMMAND),
    "pragma": ("PRAGMA enable_logging", _COMMAND),
    "use": ("USE memory", _COMMAND),
    "begin": ("BEGIN", _COMMAND),
    "commit": ("COMMIT", _COMMAND),
    "rollback": ("ROLLBACK", _COMMAND),
    "prepare": ("PREPARE p AS SELECT 1", _COMMAND),
    "execute": ("EXECUTE p", _COMMAND),
    "call": ("CALL pragma_version()", _COMMAND),
    "explain": ("EXPLAIN ANALYZE DELETE FROM item", _COMMAND),
    "describe": ("DESCRIBE item", _COMMAND),
    "summarize inside": ("SELECT * FROM (SUMMARIZE item)", _QUERY),
    "show inside": ("SELECT * FROM (SHOW ALL TABLES)", _QUERY),
    "logging": ("FROM enable_logging()", _DENIED.format("enable_logging")),
    "write to the log": ("SELECT write_log('x')", _DENIED.format("write_log")),
    # Smuggled
    "second statement": ("SELECT 1; DELETE FROM item", _ONE),
    "second behind a comment": ("SELECT 1; /* ; */ DELETE FROM item", _ONE),
    "second behind a dollar text": ("SELECT $a$;$a$; DELETE FROM item", _ONE),
    "second behind a backslash": (r"SELECT 'a\'; DELETE FROM item --'", _ONE),
    "second behind a backtick": ("SELECT 1 AS `a;'`; DELETE FROM item --'", _ONE),
    "closing the subquery": ("SELECT 1) UNION SELECT * FROM (SELECT 2", "closes nothing"),
    "hiding the rest": ("SELECT 1 /* /* */", "comment is never closed"),
    "hiding the rest in a string": ("SELECT '", "string is never closed"),
    "hiding the rest in braces": ("SELECT {'a': 1", "is never closed"),
    "behind a NUL": ("SELECT 1\0; DELETE FROM item", "holds a NUL character; remove it"),
    "question mark": ("SELECT ?", "write :name"),
    "own parameter": ("SELECT $1", ":name"),
    "named parameter": ("SELECT $loot", ":name"),
    "text as a query": ("FROM query('DELETE FROM item')", _DENIED.format("query")),
    "text as a table": ("FROM query_table('item')", _DENIED.format("query_table")),
    "serialized query": (
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "is not allowed on this source",
    ),
    "sleep": ("SELECT sleep_ms(9000)", _DENIED.format("sleep_ms")),
    "sleep as a method": ("SELECT (9000).sleep_ms()", _DENIED.format("sleep_ms")),
    "sleep in a lambda": (
        "SELECT list_transform([9000], lambda x: sleep_ms(x))",
        _DENIED.format("sleep_ms"),
    ),
    "sleep in an order": ("FROM item ORDER BY sleep_ms(9000)", _DENIED.format("sleep_ms")),
    "sleep in a limit": ("FROM item LIMIT sleep_ms(9000)", _DENIED.format("sleep_ms")),
    "sleep in a filter": (
        "SELECT count(*) FILTER (WHERE sleep_ms(9000)) FROM item",
        _DENIED.format("sleep_ms"),
    ),
    "sleep in a window": (
        "SELECT rank() OVER (ORDER BY pg_sleep(9)) FROM item",
        _DENIED.format("pg_sleep"),
    ),
    "sleep in a pivot": (
        "FROM sale PIVOT (sum(sleep_ms(quantity)) FOR region IN ('KR'))",
        _DENIED.format("sleep_ms"),
    ),
    # Bombs
    "endless recursion": ("SELECT count(*) FROM endless", _EITHER),
    "cross joins": (
        "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c"
        " WHERE a.range + b.range > c.range",
        _STOPPED,
    ),
    "edit distance": (
        "SELECT levenshtein(repeat(name, 100000), repeat('b', 200000 + id)) FROM item",
        _EITHER,
    ),
    "huge text": (
        "SELECT length(repeat('a', 100000000) || repeat('b', x)) FROM"
        " (SELECT 4000000000 + id AS x FROM item)",
        _EITHER,
    ),
    "huge list": ("SELECT len(list_sort(range(2000000000 + id))) FROM item", _EITHER),
    "huge group": (
        "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(100000)",
        _EITHER,
    ),
    "sorting all": (
        "SELECT range FROM range(1000000000) ORDER BY hash(range) DESC, range LIMIT 1",
        _EITHER,
    ),
    "deep brackets": (f"SELECT {'(' * 5_000}1{')' * 5_000}", "depth|too deep|syntax|memory|lost"),
    "deep sums": ("SELECT " + "1+" * 5_000 + "1", "depth|deep"),
    "many unions": (" UNION ALL ".join(["SELECT 1"] * 5_000), f"depth|deep|{_EITHER}|crashed"),
    "no such table": ("SELECT * FROM loot", "loot does not exist"),
}

HONEST: dict[str, Honest] = {
    "semicolon and comments": Honest("/* a; /* b */ */ SELECT 1 ; -- b; c", [[1]]),
    "commands in strings": Honest(
        "SELECT 'DROP TABLE item; --', 'it''s', \"delete\" FROM (SELECT 'x' AS \"delete\")",
        [["DROP TABLE item; --", "it's", "x"]],
    ),
    "every string": Honest(
        r"SELECT '\', E'a\nb', $$it's$$, $q$x;y$q$", [["\\", "a\nb", "it's", "x;y"]]
    ),
    "names in every quote": Honest(
        'SELECT "지역", `delete`, "up;date", 매출."delete" FROM "매출 집계" AS 매출',
        [["서울", 1, 2, 1]],
    ),
    "functions as names": Honest(
        "WITH read_csv AS (SELECT 5 AS sleep_ms) SELECT sleep_ms AS query FROM read_csv", [[5]]
    ),
    "names of the catalogue in WITH": Honest(
        "WITH RECURSIVE pg_n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM pg_n WHERE n < 3),"
        " pg_sum AS (SELECT sum(n) AS n FROM pg_n) SELECT (SELECT n FROM pg_sum) FROM pg_sum",
        [[6]],
    ),
    "from first": Honest("FROM item SELECT id WHERE id < 3 ORDER BY id", [[1], [2]]),
    "from alone": Honest("FROM cheap SELECT count(*)", [[2]]),
    "table": Honest('TABLE "매출 집계"', [["서울", 1, 2]]),
    "values": Honest("VALUES (1, 'a'), (2, NULL)", [[1, "a"], [2, None]]),
    "equal column names": Honest("SELECT 1 AS n, 2 AS n, n FROM (SELECT 3 AS n)", [[1, 2, 3]]),
    "schema before the table": Honest("SELECT count(*) FROM main.item", [[4]]),
    "catalogue before the table": Honest("SELECT count(*) FROM shop.main.item", [[4]]),
    "numbers": Honest(
        "SELECT 1e3, .5, 1_000, -5 % 3, 7 // 2, 2 ** 3", [[1000.0, 0.5, 1000, -2, 3, 8.0]]
    ),
    "own macro": Honest("SELECT doubled(21)", [[42]]),
    "view": Honest("SELECT name FROM cheap ORDER BY price DESC", [["bread"], ["apple"]]),
    "capped view": Honest(
        "SELECT n FROM (SELECT range AS n FROM range(1000000000)) LIMIT 2", [[0], [1]]
    ),
    "report": Honest(
        "SELECT i.name, sum(s.quantity) AS n, round(avg(s.quantity), 1) FROM sale AS s"
        " JOIN item AS i ON i.id = s.item_id WHERE s.day >= :day GROUP BY ALL HAVING n > 1"
        " ORDER BY n DESC, i.name",
        [["apple", 6, 3.0], ["cheese", 3, 1.5]],
        {"day": (T.DATE, date(2026, 1, 1))},
    ),
    "outer join": Honest(
        "SELECT name FROM item LEFT JOIN sale ON item_id = item.id WHERE sale.id IS NULL",
        [["date"]],
    ),
    "anti join": Honest("SELECT name FROM item ANTI JOIN sale ON item_id = item.id", [["date"]]),
    "semi join": Honest(
        "SELECT name FROM item SEMI JOIN sale ON item_id = item.id AND quantity > 3", [["apple"]]
    ),
    "asof join": Honest(
        "SELECT s.id FROM (SELECT DATE '2026-01-31' AS d, 'JP' AS region) AS x"
        " ASOF JOIN sale AS s ON x.region = s.region AND x.d >= s.day",
        [[2]],
    ),
    "lateral": Honest(
        "SELECT i.id, x.n FROM item AS i, LATERAL (SELECT i.id * 2 AS n) AS x WHERE i.id = 2",
        [[2, 4]],
    ),
    "recursion": Honest(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :last)"
        " SELECT sum(i), string_agg(i, ':' ORDER BY i) FROM n",
        [[10, "1:2:3:4"]],
        {"last": (T.INTEGER, 4)},
    ),
    "materialized": Honest(
        "WITH a AS MATERIALIZED (SELECT 1 AS x) SELECT * FROM a, a AS b", [[1, 1]]
    ),
    "windows": Honest(
        "SELECT id, sum(quantity) OVER w, rank() OVER (PARTITION BY region ORDER BY quantity DESC)"
        " FROM sale WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY id",
        [[1, 2, 1], [2, 6, 1], [3, 5, 2], [4, 3, 1], [5, 3, 2]],
    ),
    "qualify": Honest(
        "SELECT id FROM sale QUALIFY row_number() OVER (PARTITION BY region ORDER BY day) = 1 ORDER BY id",
        [[1], [2], [4]],
    ),
    "filter and exists": Honest(
        "SELECT count(*) FILTER (WHERE region = 'KR'), EXISTS (SELECT 1 FROM sale WHERE quantity > 3)"
        " FROM sale",
        [[3, True]],
    ),
    "set operations": Honest(
        "SELECT 1 AS n UNION SELECT 2 EXCEPT SELECT 1 INTERSECT SELECT 2 ORDER BY n", [[1], [2]]
    ),
    "union by name": Honest(
        "SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b ORDER BY b", [[1, 2], [None, 3]]
    ),
    "grouping sets": Honest(
        "SELECT region, sum(quantity), grouping(region) FROM sale GROUP BY ROLLUP (region)"
        " ORDER BY region NULLS LAST",
        [["JP", 4, 0], ["KR", 4, 0], ["US", 2, 0], [None, 10, 1]],
    ),
    "distinct on": Honest(
        "SELECT DISTINCT ON (region) region, id FROM sale ORDER BY region, id",
        [["JP", 2], ["KR", 1], ["US", 4]],
    ),
    "pivot of known values": Honest(
        "SELECT * FROM (SELECT region, quantity FROM sale) PIVOT (sum(quantity) FOR region IN ('KR', 'JP'))",
        [[4, 4]],
    ),
    "unpivot": Honest(
        "SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR n IN (a, b)) ORDER BY n",
        [["a", 1], ["b", 2]],
    ),
    "exclude and replace": Honest(
        "SELECT * EXCLUDE (price, tags) REPLACE (upper(name) AS name) FROM item WHERE id = 1",
        [[1, "APPLE"]],
    ),
    "columns": Honest("SELECT min(COLUMNS('id|quantity')) FROM sale", [[1, 1, 1]]),
    "lists": Honest(
        "SELECT id FROM sale WHERE region IN (:regions) AND id NOT IN (:ids) ORDER BY id",
        [[2], [3], [5]],
        {"regions": (T.STRING_LIST, ["KR", "JP"]), "ids": (T.INTEGER_LIST, [1])},
    ),
    "empty list": Honest(
        "SELECT count(*) FROM sale WHERE id NOT IN (:ids)", [[5]], {"ids": (T.INTEGER_LIST, [])}
    ),
    "absent list": Honest(
        "SELECT count(*) FROM sale WHERE id NOT IN (:ids)", [[0]], {"ids": (T.INTEGER_LIST, None)}
    ),
    "list as a value": Honest(
        "SELECT len(:names), list_contains(:names, 'b')",
        [[2, True]],
        {"names": (T.STRING_LIST, ["a", "b"])},
    ),
    "optional clauses": Honest(
        "SELECT id FROM sale WHERE true [[ AND region = :region ]] [[ AND quantity > :least ]] ORDER BY id",
        [[1], [3], [5]],
        {"region": (T.STRING, "KR"), "least": (T.INTEGER, None)},
    ),
    "every type of parameter": Honest(
        "SELECT :text, :number, :whole, :flag, :day, :moment, :money, :nothing IS NULL",
        [
            [
                *("'; DROP TABLE item; --", 1.25, 7, True, "2026-01-02"),
                *("2026-01-02T03:04:05+00:00", 12.34, True),
            ]
        ],
        {
            "text": (T.STRING, "'; DROP TABLE item; --"),
            "number": (T.NUMBER, 1.25),
            "whole": (T.INTEGER, 7),
            "flag": (T.BOOLEAN, True),
            "day": (T.DATE, date(2026, 1, 2)),
            "moment": (T.DATETIME, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
            "money": (T.DECIMAL, Decimal("12.34")),
            "nothing": (T.STRING, None),
        },
    ),
    "NULL of every place": Honest(
        "SELECT count(*) FROM (FROM sale WHERE (:region IS NULL OR region = :region)"
        " AND (:day IS NULL OR day >= :day) LIMIT :count)",
        [[5]],
        {"region": (T.STRING, None), "day": (T.DATE, None), "count": (T.INTEGER, None)},
    ),
    "parameters of functions": Honest(
        "SELECT round(1.256, :digits), DATE '2026-01-31' + :days, substr('abc', :days), to_days(:days)",
        [[1.26, "2026-02-02", "bc", "2 days"]],
        {"digits": (T.INTEGER, 2), "days": (T.INTEGER, 2)},
    ),
    "limit of a parameter": Honest(
        "SELECT id FROM sale ORDER BY id LIMIT :count OFFSET :skipped",
        [[2], [3]],
        {"count": (T.INTEGER, 2), "skipped": (T.INTEGER, 1)},
    ),
    "patterns": Honest(
        "SELECT name LIKE 'a%', name ILIKE 'A%', name SIMILAR TO 'a.*', name GLOB 'a*', name || ':x',"
        " 'a_b' LIKE 'a!_b' ESCAPE '!', regexp_matches(name, '^a') FROM item WHERE id = 1",
        [[True, True, True, True, "apple:x", True, True]],
    ),
    "nulls and order": Honest(
        "SELECT name FROM item ORDER BY price DESC NULLS FIRST, name COLLATE NOCASE LIMIT 2 OFFSET 1",
        [["cheese"], ["bread"]],
    ),
    "case and casts": Honest(
        "SELECT CASE WHEN id > 1 THEN 'x' ELSE price::VARCHAR END, if(id = 1, 'one', ''),"
        " TRY_CAST('x' AS INTEGER), CAST('5' AS INT) FROM item ORDER BY id LIMIT 1",
        [["1.50", "one", None, 5]],
    ),
    "dates": Honest(
        "SELECT date_trunc('month', day), strftime(day, '%Y-%W'), extract(dow FROM day), day - DATE"
        " '2026-01-01', date_diff('day', DATE '2026-01-01', day), CAST(:day AS DATE) + INTERVAL 1 MONTH"
        " FROM sale WHERE id = 4",
        [["2026-02-01T00:00:00", "2026-04", 0, 31, 31, "2026-02-28T00:00:00"]],
        {"day": (T.DATE, date(2026, 1, 31))},
    ),
    "time zones": Honest(
        "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+09' AT TIME ZONE 'Asia/Seoul'",
        [["2026-01-01T00:00:00"]],
    ),
    "json": Honest(
        """SELECT '{"a": [1, 2]}'::JSON -> 'a', '{"a": "b"}'::JSON ->> '$.a', json_extract('[5]', '$[0]'),
        json_object('a', :x)""",
        [[[1, 2], "b", 5, {"a": "y"}]],
        {"x": (T.STRING, "y")},
    ),
    "json_each": Honest("SELECT key, value FROM json_each('{\"a\": 1}')", [["a", 1]]),
    "braces": Honest(
        "SELECT {'a': :x, 'b': [1, 2]}, MAP {'k': 1}['k'], [1, 2, 3][2:3], {'a': 5}.a",
        [[{"a": 1, "b": [1, 2]}, 1, [2, 3], 5]],
        {"x": (T.INTEGER, 1)},
    ),
    "list functions": Honest(
        "SELECT list_transform(tags, lambda t: upper(t)), [t FOR t IN tags IF t <> 'red'], tags[1], len(tags)"
        " FROM item WHERE id = 1",
        [[["RED", "FRUIT"], ["fruit"], "red", 2]],
    ),
    "unnest": Honest(
        "SELECT id, unnest(tags) AS tag FROM item WHERE id < 3 ORDER BY id, tag",
        [[1, "fruit"], [1, "red"], [2, "food"]],
    ),
    "table functions": Honest(
        "SELECT * FROM range(2), generate_series(1, 2), unnest(['a'])",
        [[0, 1, "a"], [0, 2, "a"], [1, 1, "a"], [1, 2, "a"]],
    ),
    "methods": Honest("SELECT name.upper().left(2) FROM item WHERE id = 1", [["AP"]]),
    "aggregates": Honest(
        "SELECT median(quantity), mode(region), arg_max(id, quantity), list(id ORDER BY id)[1:2],"
        " approx_count_distinct(region), quantile_cont(quantity, 0.5) FROM sale",
        [[2.0, "KR", 2, [1, 2], 3, 2.0]],
    ),
    "sample": Honest("SELECT count(*) FROM (SELECT * FROM item USING SAMPLE 4 ROWS)", [[4]]),
    "texts that end a wrap": Honest("SELECT ') LIMIT 0; --' AS \") --\" -- )", [[") LIMIT 0; --"]]),
    "current moments": Honest("SELECT current_date = today(), now() IS NOT NULL", [[True, True]]),
}
