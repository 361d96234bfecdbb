"""The same for SQLite: what must be refused with its reason, and what must be served."""

from datetime import date

from core.toolspec import ParameterType as T
from tests.hostile.running import Honest

TABLES = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, tags TEXT);
INSERT INTO item VALUES (1, 'apple', 1.5, '["red","fruit"]'), (2, 'bread', 2.0, '["food"]'),
    (3, 'cheese', 7.25, '[]'), (4, 'date', NULL, NULL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, item_id INTEGER, region TEXT, day TEXT, quantity INTEGER);
INSERT INTO sale VALUES (1, 1, 'KR', '2026-01-05', 2), (2, 1, 'JP', '2026-01-06', 4),
    (3, 2, 'KR', '2026-01-06', 1), (4, 3, 'US', '2026-02-01', 2), (5, 3, 'KR', '2026-02-03', 1);
CREATE TABLE "매출 집계" ("지역" TEXT, [delete] INTEGER, `up;date` INTEGER);
INSERT INTO "매출 집계" VALUES ('서울', 1, 2);
CREATE VIEW cheap AS SELECT * FROM item WHERE price < 5;
CREATE VIEW endless AS
    WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r;
CREATE TRIGGER stop_sale BEFORE INSERT ON sale BEGIN DELETE FROM item; END;
CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
"""

_COMMAND = "only queries .* can be served; this is "
_ONE = "only one statement is allowed; remove what follows this ;"
_QUERIES = "only queries|syntax error"
_DENIED = "function {} is not allowed on this source"
_NO_TABLE = "table {} is not allowed on this source|no such table"
_STOPPED = r"took longer than 0\.3 s and was stopped"
_TOO_DEEP = "the brackets lie more than 200 deep in each other"
_TOO_LONG = "a value that the query reads or makes has more than 1,000,000 bytes"

HOSTILE: dict[str, tuple[str, str]] = {
    "insert": ("INSERT INTO item VALUES (9, 'x', 1, '')", _COMMAND),
    "insert returning": ("INSERT INTO counted DEFAULT VALUES RETURNING id", _COMMAND),
    "replace": ("REPLACE INTO item VALUES (1, 'x', 1, '')", _COMMAND),
    "update": ("UPDATE item SET price = 0 RETURNING id", _COMMAND),
    "delete": ("DELETE FROM item RETURNING id", _COMMAND),
    "delete behind WITH": ("WITH a AS (SELECT 1) DELETE FROM item RETURNING id", _QUERIES),
    "insert behind WITH": ("WITH a AS (SELECT 9) INSERT INTO counted SELECT * FROM a", _QUERIES),
    "delete as a table": ("SELECT * FROM (DELETE FROM item RETURNING id)", "syntax error"),
    "create": ("CREATE TABLE loot (id)", _COMMAND),
    "create temporary": ("CREATE TEMP TABLE item AS SELECT 1", _COMMAND),
    "create trigger": ("CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; END", "only"),
    "create virtual": ("CREATE VIRTUAL TABLE t USING fts5(a)", _COMMAND),
    "drop": ("DROP TABLE item", _COMMAND),
    "alter": ("ALTER TABLE item RENAME TO loot", _COMMAND),
    "attach": ("ATTACH DATABASE 'loot.sqlite' AS loot", _COMMAND),
    "detach": ("DETACH DATABASE main", _COMMAND),
    "pragma": ("PRAGMA query_only = off", _COMMAND),
    "pragma with brackets": ("PRAGMA writable_schema(1)", _COMMAND),
    "vacuum into": ("VACUUM INTO 'loot.sqlite'", _COMMAND),
    "begin": ("BEGIN IMMEDIATE", _COMMAND),
    "commit": ("COMMIT", _COMMAND),
    "rollback": ("ROLLBACK", _COMMAND),
    "savepoint": ("SAVEPOINT s", _COMMAND),
    "release": ("RELEASE s", _COMMAND),
    "analyze": ("ANALYZE", _COMMAND),
    "reindex": ("REINDEX", _COMMAND),
    "explain": ("EXPLAIN SELECT 1", _COMMAND),
    "explain query plan": ("EXPLAIN QUERY PLAN DELETE FROM item", _COMMAND),
    "second statement": ("SELECT 1; DELETE FROM item", _ONE),
    "second statement after a comment": ("SELECT 1; /* ; */ DELETE FROM item", _ONE),
    "second statement after half a nested comment": ("SELECT 1 /* /* */; DELETE FROM item", _ONE),
    "second statement after a backslash": (r"SELECT 'a\'; DELETE FROM item --'", _ONE),
    "second statement after a bracket name": ("SELECT 1 AS [a;']; DELETE FROM item --']", _ONE),
    "second statement after a backtick": ("SELECT 1 AS `a;'`; DELETE FROM item --'", _ONE),
    "second statement after a blob": ("SELECT x'00'; DELETE FROM item", _ONE),
    "behind a NUL": ("SELECT 1\0; DELETE FROM item", "holds a NUL character; remove it"),
    "closing the subquery": ("SELECT 1) UNION SELECT * FROM (SELECT 2", "closes nothing"),
    "closing it behind a comment": ("SELECT 1 /* ( */) LIMIT 1; --", "closes nothing"),
    "hiding the rest": ("SELECT 1 /*", "comment is never closed"),
    "hiding the rest in a string": ("SELECT '", "string is never closed"),
    "hiding the rest in a name": ("SELECT 1 AS [a", "name is never closed"),
    "question mark": ("SELECT ?", "write :name|means nothing"),
    "own parameter": ("SELECT $row_limit", ":name"),
    "at parameter": ("SELECT @x", ":name"),
    "load_extension": ("SELECT load_extension('/tmp/x.so')", _DENIED.format("load_extension")),
    "quoted function": ("SELECT \"load_extension\"('x')", _DENIED.format("load_extension")),
    "function in brackets": ("SELECT [load_extension] ('x')", _DENIED.format("load_extension")),
    "function behind a comment": (
        "SELECT load_extension/* */('x')",
        _DENIED.format("load_extension"),
    ),
    "fts3_tokenizer": ("SELECT fts3_tokenizer('simple')", _DENIED.format("fts3_tokenizer")),
    "readfile": ("SELECT readfile('/etc/passwd')", "readfile"),
    "writefile": ("SELECT writefile('/tmp/x', 'x')", "writefile"),
    "edit": ("SELECT edit('x', 'vi')", "edit"),
    "last_insert_rowid": ("SELECT last_insert_rowid()", "last_insert_rowid"),
    "sqlite_compileoption_get": ("SELECT sqlite_compileoption_get(0)", "is not allowed"),
    "pragma as a table": (
        "SELECT * FROM pragma_table_info('item')",
        _NO_TABLE.format("pragma_table_info"),
    ),
    "pragma as a quoted table": (
        'SELECT * FROM "pragma_database_list"',
        _NO_TABLE.format("pragma_database_list"),
    ),
    "file list": (
        "SELECT file FROM pragma_database_list",
        _NO_TABLE.format("pragma_database_list"),
    ),
    "pages": ("SELECT data FROM sqlite_dbpage", _NO_TABLE.format("sqlite_dbpage")),
    "statements": ("SELECT sql FROM sqlite_stmt", _NO_TABLE.format("sqlite_stmt")),
    "byte code": ("SELECT * FROM bytecode('SELECT 1')", _NO_TABLE.format("bytecode")),
    "endless recursion": ("SELECT count(*) FROM endless", _STOPPED),
    "doubling recursion": (
        "WITH RECURSIVE r(x) AS (SELECT 'xx' UNION ALL SELECT x || x FROM r) SELECT max(x) FROM r",
        f"{_STOPPED}|{_TOO_LONG}",
    ),
    "cross joins": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        " SELECT count(*) FROM n a, n b, n c",
        _STOPPED,
    ),
    "huge blob": ("SELECT length(randomblob(900000000))", _TOO_LONG),
    "huge zeros": ("SELECT length(zeroblob(900000000) || 'x')", _TOO_LONG),
    "huge replace": (
        "SELECT replace(hex(zeroblob(400000)), '0', hex(zeroblob(400000)))",
        _TOO_LONG,
    ),
    "huge group": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        " SELECT group_concat(hex(zeroblob(1000))) FROM n",
        f"{_STOPPED}|{_TOO_LONG}",
    ),
    "sorting all": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT i FROM n ORDER BY abs(random()) LIMIT 1",
        _STOPPED,
    ),
    "deep brackets": (f"SELECT {'(' * 5_000}1{')' * 5_000}", _TOO_DEEP),
    "deep tables": ("SELECT * FROM " + "(SELECT * FROM " * 5_000 + "item" + ")" * 5_000, _TOO_DEEP),
    "deep sums": ("SELECT " + "1+" * 5_000 + "1", "too large|maximum depth"),
    "many unions": (" UNION ALL ".join(["SELECT 1"] * 2_000), "too many terms"),
    "many columns": ("SELECT " + ",".join("1" * 5_000), "too many columns"),
    "no such table": ("SELECT * FROM loot", "no such table: loot"),
}

HONEST: dict[str, Honest] = {
    "semicolon and comments": Honest("/* a; */ SELECT 1 ; -- b; c", [[1]]),
    "comments do not nest": Honest("SELECT 1 /* /* */ + 1", [[2]]),
    "commands in strings": Honest(
        "SELECT 'DROP TABLE item; --', 'it''s', \"delete\" FROM (SELECT 'x' AS \"delete\")",
        [["DROP TABLE item; --", "it's", "x"]],
    ),
    "backslash in a string": Honest("SELECT '\\', 'C:\\x'", [["\\", "C:\\x"]]),
    "names in every quote": Honest(
        'SELECT "지역", [delete], `up;date`, 매출."delete" FROM "매출 집계" AS 매출',
        [["서울", 1, 2, 1]],
    ),
    "blobs and numbers": Honest(
        "SELECT x'00ff', 0x1F, 1e3, .5, -5 % 3", [["AP8=", 31, 1000, 0.5, -2]]
    ),
    "functions as names": Honest(
        "WITH load_extension AS (SELECT 5 AS readfile) SELECT readfile AS edit FROM load_extension",
        [[5]],
    ),
    "report": Honest(
        "SELECT i.name, sum(s.quantity) AS n, round(avg(s.quantity), 1) FROM sale AS s"
        " JOIN item AS i ON i.id = s.item_id WHERE s.day >= :day GROUP BY i.id HAVING n > 1"
        " ORDER BY n DESC, i.name",
        [["apple", 6, 3.0], ["cheese", 3, 1.5]],
        {"day": (T.DATE, date(2026, 1, 1))},
    ),
    "outer join": Honest(
        "SELECT name FROM item LEFT JOIN sale ON item_id = item.id WHERE sale.id IS NULL",
        [["date"]],
    ),
    "recursion": Honest(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < :last)"
        " SELECT sum(i), group_concat(i, ':') FROM n",
        [[10, "1:2:3:4"]],
        {"last": (T.INTEGER, 4)},
    ),
    "windows": Honest(
        "SELECT id, sum(quantity) OVER w, rank() OVER (PARTITION BY region ORDER BY quantity DESC)"
        " FROM sale WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY id",
        [[1, 2, 1], [2, 6, 1], [3, 5, 2], [4, 3, 1], [5, 3, 2]],
    ),
    "filter and exists": Honest(
        "SELECT count(*) FILTER (WHERE region = 'KR'), EXISTS (SELECT 1 FROM sale WHERE quantity > 3)"
        " FROM sale",
        [[3, 1]],
    ),
    "set operations": Honest(
        "SELECT 1 AS n UNION SELECT 2 EXCEPT SELECT 1 INTERSECT SELECT 2 ORDER BY n", [[2]]
    ),
    "json": Honest(
        "SELECT t.value, json_extract(tags, '$[0]'), tags ->> '$[1]', json_object('a', :x)"
        " FROM item, json_each(item.tags) AS t WHERE item.id = 1",
        [["red", "red", "fruit", '{"a":"y"}'], ["fruit", "red", "fruit", '{"a":"y"}']],
        {"x": (T.STRING, "y")},
    ),
    "dates": Honest(
        "SELECT date(:day, '+1 month', 'start of month'), strftime('%Y-%W', day), julianday(day) > 0"
        " FROM sale WHERE id = 4",
        [["2026-03-01", "2026-04", 1]],
        {"day": (T.DATE, date(2026, 1, 31))},
    ),
    "lists": Honest(
        "SELECT id FROM sale WHERE region IN (:regions) AND id NOT IN (:ids) ORDER BY id",
        [[2], [3], [5]],
        {"regions": (T.STRING_LIST, ["KR", "JP"]), "ids": (T.INTEGER_LIST, [1])},
    ),
    "optional clauses": Honest(
        "SELECT id FROM sale WHERE 1 [[ AND region = :region ]] [[ AND quantity > :least ]] ORDER BY id",
        [[1], [3], [5]],
        {"region": (T.STRING, "KR"), "least": (T.INTEGER, None)},
    ),
    "every type of parameter": Honest(
        "SELECT :text, :number, :whole, :flag, :day, :nothing IS NULL",
        [["'; DROP TABLE item; --", 1.25, 7, 1, "2026-01-02", 1]],
        {
            "text": (T.STRING, "'; DROP TABLE item; --"),
            "number": (T.NUMBER, 1.25),
            "whole": (T.INTEGER, 7),
            "flag": (T.BOOLEAN, True),
            "day": (T.DATE, date(2026, 1, 2)),
            "nothing": (T.STRING, None),
        },
    ),
    "patterns": Honest(
        "SELECT name LIKE 'a%', name GLOB 'a*', 'a_b' LIKE 'a!_b' ESCAPE '!', name || ':x' FROM item"
        " WHERE id = 1",
        [[1, 1, 1, "apple:x"]],
    ),
    "collations and nulls": Honest(
        "SELECT name FROM item ORDER BY price DESC NULLS FIRST, name COLLATE NOCASE LIMIT 2 OFFSET 1",
        [["cheese"], ["bread"]],
    ),
    "view": Honest("SELECT count(*), typeof(count(*)) FROM cheap", [[2, "integer"]]),
    "capped view": Honest("SELECT n FROM endless LIMIT 2", [[1], [2]]),
    "values": Honest("VALUES (1, 'a'), (2, NULL)", [[1, "a"], [2, None]]),
    "equal column names": Honest("SELECT 1 AS n, 2 AS n, n FROM (SELECT 3 AS n)", [[1, 2, 3]]),
    "case and casts": Honest(
        "SELECT CASE WHEN id > 1 THEN 'x' ELSE CAST(price AS TEXT) END, iif(id = 1, 'one', '')"
        " FROM item LIMIT 1",
        [["1.5", "one"]],
    ),
    "structure": Honest(
        "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name", [["cheap"], ["endless"]]
    ),
}
