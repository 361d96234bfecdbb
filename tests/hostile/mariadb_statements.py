"""The same for MariaDB: what must be refused with its reason, and what must be served."""

from datetime import UTC, date, datetime

from core.toolspec import ParameterType as T
from tests.hostile.running import Honest

TABLES = (
    """CREATE TABLE item (
        id int AUTO_INCREMENT PRIMARY KEY, name varchar(20), price decimal(10, 2), tags json
    )""",
    """INSERT INTO item VALUES (1, 'apple', 1.50, '["red","fruit"]'), (2, 'bread', 2.00, '["food"]'),
        (3, 'cheese', 7.25, '[]'), (4, 'date', NULL, NULL)""",
    "CREATE TABLE sale (id int PRIMARY KEY, item_id int, region char(2), day date, quantity int)",
    """INSERT INTO sale VALUES (1, 1, 'KR', '2026-01-05', 2), (2, 1, 'JP', '2026-01-06', 4),
        (3, 2, 'KR', '2026-01-06', 1), (4, 3, 'US', '2026-02-01', 2), (5, 3, 'KR', '2026-02-03', 1)""",
    "CREATE TABLE `매출 집계` (`지역` varchar(9), `delete` int, `up;date` int, `a``b` int)",
    "INSERT INTO `매출 집계` VALUES ('서울', 1, 2, 3)",
    "CREATE TABLE kept (a int) WITH SYSTEM VERSIONING",
    "CREATE TABLE plain (a int) ENGINE = MyISAM",
    "CREATE SEQUENCE counter",
    "CREATE VIEW cheap AS SELECT id, name FROM item WHERE price < 5",
    "CREATE FUNCTION writing() RETURNS int BEGIN INSERT INTO plain VALUES (1); RETURN 1; END",
    "CREATE VIEW writer AS SELECT writing() AS a",
    "CREATE VIEW locker AS SELECT GET_LOCK('hostile', 0) AS a",
)

_COMMAND = "only queries .* can be served; this is "
_ONE = "only one statement is allowed; remove what follows this ;"
_SYNTAX = "syntax error|not whole"
_WORD = "{} is not allowed in a query of a tool"
_DENIED = "function {} is not allowed on this source"
_SCHEMA = "{} is the server's own"
_VARIABLE = "variables such as @name and @@name are not allowed"
_COMMENT = "the server would run what is in a comment"
_LENGTH = "needs its length as a number of at most 8,192"
_STOPPED = r"took longer than 0\.3 s and was stopped"
_ENDLESS = "SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq * b.seq = -1"

HOSTILE: dict[str, tuple[str, str]] = {
    "insert": ("INSERT INTO item (name) VALUES ('x')", _COMMAND),
    "insert returning": ("INSERT INTO item (name) VALUES ('x') RETURNING id", _COMMAND),
    "insert in brackets": ("(INSERT INTO item (name) VALUES ('x'))", _COMMAND),
    "replace": ("REPLACE INTO item VALUES (1, 'x', 1, '')", _COMMAND),
    "update": ("UPDATE item SET price = 0", _COMMAND),
    "delete": ("DELETE FROM item", _COMMAND),
    "delete behind WITH": ("WITH a AS (SELECT 1) DELETE FROM item", _SYNTAX),
    "delete as a table": ("SELECT * FROM (DELETE FROM item RETURNING id) t", _SYNTAX),
    "truncate": ("TRUNCATE item", _COMMAND),
    "load data": ("LOAD DATA INFILE '/etc/passwd' INTO TABLE item", _COMMAND),
    "load local": ("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE item", _COMMAND),
    "create": ("CREATE TABLE loot (a int)", _COMMAND),
    "create as select": ("CREATE TABLE loot AS SELECT 1", _COMMAND),
    "create temporary": ("CREATE TEMPORARY TABLE item AS SELECT 1", _COMMAND),
    "drop": ("DROP TABLE item", _COMMAND),
    "alter": ("ALTER TABLE item ADD b int", _COMMAND),
    "rename": ("RENAME TABLE item TO loot", _COMMAND),
    "grant": ("GRANT ALL ON *.* TO reader", _COMMAND),
    "flush": ("FLUSH TABLES WITH READ LOCK", _COMMAND),
    "lock tables": ("LOCK TABLES item WRITE", _COMMAND),
    "set global": ("SET GLOBAL max_connections = 1", _COMMAND),
    "set session": ("SET SESSION TRANSACTION READ WRITE", _COMMAND),
    "set statement": ("SET STATEMENT max_statement_time = 0 FOR SELECT 1", _COMMAND),
    "begin": ("BEGIN", _COMMAND),
    "commit": ("COMMIT", _COMMAND),
    "handler": ("HANDLER item OPEN", _COMMAND),
    "prepare": ("PREPARE s FROM 'DELETE FROM item'", _COMMAND),
    "execute immediate": ("EXECUTE IMMEDIATE 'DELETE FROM item'", _COMMAND),
    "do": ("DO SLEEP(9)", _COMMAND),
    "call": ("CALL writing()", _COMMAND),
    "kill": ("KILL 1", _COMMAND),
    "show": ("SHOW VARIABLES", _COMMAND),
    "explain": ("EXPLAIN SELECT 1", _COMMAND),
    "analyze": ("ANALYZE SELECT SLEEP(9)", _COMMAND),
    "block": ("BEGIN NOT ATOMIC DELETE FROM item; END", _ONE),
    "two statements": ("SELECT 1; DELETE FROM item", _ONE),
    "two behind a comment": ("SELECT 1 -- ;\n; DELETE FROM item", _ONE),
    "closes its brackets": ("SELECT 1) LIMIT 1; DELETE FROM item -- ", "closes nothing"),
    "outfile": ("SELECT * FROM item INTO OUTFILE '/tmp/loot'", _WORD.format("INTO")),
    "dumpfile": ("SELECT name FROM item LIMIT 1 INTO DUMPFILE '/tmp/loot'", _WORD.format("INTO")),
    "into variable": ("SELECT 1 INTO @a", _VARIABLE),
    "load_file": ("SELECT LOAD_FILE('/etc/passwd')", _DENIED.format("load_file")),
    "for update": ("SELECT * FROM item FOR UPDATE", _WORD.format("UPDATE")),
    "for update behind a number": (
        "SELECT * FROM item WHERE 1=1.for update",
        _WORD.format("UPDATE"),
    ),
    "for share": ("SELECT * FROM item FOR SHARE", _WORD.format("FOR SHARE")),
    "in share mode": ("SELECT * FROM item LOCK IN SHARE MODE", _WORD.format("LOCK")),
    "in share mode behind a number": (
        "SELECT * FROM item WHERE id<.5lock in share mode",
        _WORD.format("LOCK"),
    ),
    "procedure": ("SELECT * FROM item PROCEDURE ANALYSE()", _WORD.format("PROCEDURE")),
    "next value": ("SELECT NEXT VALUE FOR counter", _WORD.format("NEXT VALUE")),
    "nextval": ("SELECT NEXTVAL(counter)", _DENIED.format("nextval")),
    "setval": ("SELECT SETVAL(counter, 9)", _DENIED.format("setval")),
    "sleep": ("SELECT SLEEP(9)", _DENIED.format("sleep")),
    "sleep in ticks": ("SELECT `sleep`(9)", _DENIED.format("sleep")),
    "sleep behind a comment": ("SELECT sleep/* */ (9)", _DENIED.format("sleep")),
    "sleep behind a line": ("SELECT sleep -- x\n(9)", _DENIED.format("sleep")),
    "sleep of the server's schema": (
        "SELECT mariadb_schema.sleep(9)",
        _SCHEMA.format("mariadb_schema"),
    ),
    "sleep with accents": ("SELECT sléep(9)", _DENIED.format("sleep")),
    "sleep in an optional clause": (
        "SELECT 1 [[ WHERE SLEEP(9) = :a ]]",
        _DENIED.format("sleep"),
    ),
    "benchmark": ("SELECT BENCHMARK(1000000000, MD5('a'))", _DENIED.format("benchmark")),
    "get_lock": ("SELECT GET_LOCK('hostile', 9)", _DENIED.format("get_lock")),
    "release_all_locks": ("SELECT RELEASE_ALL_LOCKS()", _DENIED.format("release_all_locks")),
    "master_gtid_wait": ("SELECT MASTER_GTID_WAIT('0-1-9', 9)", _DENIED.format("master_gtid_wait")),
    "last_insert_id": ("SELECT LAST_INSERT_ID(9)", _DENIED.format("last_insert_id")),
    "variable": ("SELECT @a := 5", _VARIABLE),
    "setting": ("SELECT @@datadir", _VARIABLE),
    "executed comment": ("SELECT 1 /*! , SLEEP(9) */", _COMMENT),
    "executed by a version": ("SELECT 1 /*!50000 INTO OUTFILE '/tmp/loot' */", _COMMENT),
    "executed by MariaDB": ("SELECT 1 /*M! , SLEEP(9) */", _COMMENT),
    "hint": ("SELECT /*+ SET_VAR(max_execution_time=0) */ 1", _COMMENT),
    "information_schema": (
        "SELECT * FROM information_schema.processlist",
        _SCHEMA.format("information_schema"),
    ),
    "accounts": ("SELECT * FROM `mysql` . `global_priv`", _SCHEMA.format("mysql")),
    "performance_schema": (
        "SELECT * FROM PERFORMANCE_SCHEMA.threads",
        _SCHEMA.format("performance_schema"),
    ),
    "backslash outside": ("SELECT \\N", "a backslash means nothing"),
    "odd quotes": ("SELECT 'a\\' OR 1=1 -- ", "never closed"),
    "question mark": ("SELECT ?", "write :name"),
    "behind a NUL": ("SELECT 1\0; DELETE FROM item", "NUL"),
    "long text by a value": ("SELECT REPEAT('a', id) FROM item", _LENGTH),
    "very long text": ("SELECT REPLACE(REPEAT('a', 8000000), 'a', 'bb')", _LENGTH),
    "long text of long texts": (
        "SELECT LENGTH(REPEAT(x, 8192)) FROM (SELECT REPEAT('a', 8192) x) t",
        "together would make texts",
    ),
    "unpacked text": ("SELECT UNCOMPRESS(x'00')", _DENIED.format("uncompress")),
    "spaces": ("SELECT SPACE(100000000)", _LENGTH),
    "writing function": ("SELECT writing()", "READ ONLY|read-only|denied"),
    "view that writes": ("SELECT * FROM writer", "READ ONLY|read-only|denied"),
    "another database": ("SELECT * FROM other.secret", "denied|doesn't exist"),
    "endless join": (_ENDLESS, _STOPPED),
    "endless in a subquery": (f"SELECT id FROM item WHERE id = ({_ENDLESS})", _STOPPED),  # noqa: S608
    "endless by recursion": (
        "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
        " SELECT count(*) FROM r a, r b, r c",
        _STOPPED,
    ),
    "endless sort": (
        "SELECT a.seq FROM seq_1_to_1000000 a, seq_1_to_1000000 b ORDER BY MD5(a.seq + b.seq)",
        f"{_STOPPED}|full|memory",
    ),
}
# What our lexer alone stops: it stays in the session of a reader, or the server works on it for minutes.
BY_OUR_LEXER_ALONE = frozenset({"last_insert_id", "variable", "into variable", "very long text"})

HONEST: dict[str, Honest] = {
    "one": Honest("SELECT 1", [[1]]),
    "in brackets": Honest("(SELECT 1)", [[1]]),
    "in brackets twice": Honest("((SELECT 1))", [[1]]),
    "semicolon": Honest("SELECT 1 ;  ", [[1]]),
    "values": Honest("VALUES (1, 'a'), (2, 'b')", [[1, "a"], [2, "b"]]),
    "union": Honest("SELECT 1 a UNION ALL SELECT 2 ORDER BY a DESC", [[2], [1]]),
    "intersect": Honest("(SELECT 1 UNION SELECT 2) INTERSECT SELECT 2", [[2]]),
    "except": Honest("SELECT id FROM item EXCEPT SELECT item_id FROM sale ORDER BY 1", [[4]]),
    "line comment": Honest("SELECT 1 -- , SLEEP(9)", [[1]]),
    "hash comment": Honest("SELECT 1 # INTO OUTFILE", [[1]]),
    "block comment": Honest("SELECT /* FOR UPDATE ; @a */ 1", [[1]]),
    "two hyphens": Honest("SELECT 5--1", [[6]]),
    "word in a string": Honest(
        "SELECT 'INTO OUTFILE @x; SLEEP(9) /*! */'", [["INTO OUTFILE @x; SLEEP(9) /*! */"]]
    ),
    "word in double quotes": Honest('SELECT "sleep(9)"', [["sleep(9)"]]),
    "escapes": Honest(
        r"SELECT 'it\'s', 'a''b', \"c\"\"d\", '\\'".replace('\\"', '"'),
        [["it's", "a'b", 'c"d', "\\"]],
    ),
    "colon in a string": Honest("SELECT 'a:b', JSON_VALUE('{\"x\": 1}', '$.x')", [["a:b", "1"]]),
    "word as a name": Honest(
        "SELECT id AS `into`, name AS `update` FROM item WHERE id = 1", [[1, "apple"]]
    ),
    "word behind a dot": Honest("SELECT t.delete FROM `매출 집계` t", [[1]]),
    "function's name as a column": Honest("SELECT sleep FROM (SELECT 1 AS sleep) t", [[1]]),
    "Korean names": Honest("SELECT `지역`, `up;date`, `a``b` FROM `매출 집계`", [["서울", 2, 3]]),
    "names without quotes": Honest("SELECT 지역 AS 이름 FROM `매출 집계`", [["서울"]]),
    "introducer": Honest(
        "SELECT _utf8mb4'가', N'나', x'41', b'1000001'", [["가", "나", "QQ==", "QQ=="]]
    ),
    "adjacent strings": Honest("SELECT 'a' 'b'", [["ab"]]),
    "order": Honest("SELECT id FROM item ORDER BY price IS NULL, price DESC", [[3], [2], [1], [4]]),
    "limit and offset": Honest("SELECT id FROM item ORDER BY id LIMIT 2 OFFSET 1", [[2], [3]]),
    "limit as a value": Honest(
        "SELECT id FROM item ORDER BY id LIMIT :count", [[1], [2]], {"count": (T.INTEGER, 2)}
    ),
    "join": Honest(
        "SELECT i.name, s.quantity FROM item i JOIN sale s ON s.item_id = i.id WHERE s.region = 'JP'",
        [["apple", 4]],
    ),
    "left join": Honest(
        "SELECT i.id FROM item i LEFT JOIN sale s ON s.item_id = i.id WHERE s.id IS NULL", [[4]]
    ),
    "using": Honest("SELECT count(*) FROM item a JOIN item b USING (id)", [[4]]),
    "straight join": Honest(
        "SELECT STRAIGHT_JOIN count(*) FROM item a JOIN item b USING (id)", [[4]]
    ),
    "group": Honest(
        "SELECT region, SUM(quantity) total FROM sale GROUP BY region HAVING total > 2 ORDER BY 1",
        [["JP", 4], ["KR", 4]],
    ),
    "rollup": Honest(
        "SELECT region, COUNT(*) FROM sale GROUP BY region WITH ROLLUP",
        [["JP", 1], ["KR", 3], ["US", 1], [None, 5]],
    ),
    "group_concat": Honest(
        "SELECT GROUP_CONCAT(DISTINCT region ORDER BY region SEPARATOR '/') FROM sale",
        [["JP/KR/US"]],
    ),
    "window": Honest(
        "SELECT id, SUM(quantity) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM sale ORDER BY id LIMIT 3",
        [[1, 2], [2, 6], [3, 7]],
    ),
    "named window": Honest(
        "SELECT id, RANK() OVER w FROM sale WINDOW w AS (ORDER BY quantity DESC) ORDER BY id LIMIT 2",
        [[1, 2], [2, 1]],
    ),
    "with": Honest(
        "WITH a AS (SELECT id FROM item), b (n) AS (SELECT MAX(id) FROM a) SELECT n FROM b", [[4]]
    ),
    "with, in brackets": Honest("WITH a AS (SELECT 1 x) (SELECT x FROM a)", [[1]]),
    "recursive": Honest(
        "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r ORDER BY n",
        [[1], [2], [3]],
    ),
    "with and values": Honest(
        "WITH a AS (SELECT :x AS x) SELECT x, :y FROM a WHERE x = :x",
        [[1, "b"]],
        {"x": (T.INTEGER, 1), "y": (T.STRING, "b")},
    ),
    "subquery": Honest(
        "SELECT name FROM item WHERE id = (SELECT MAX(item_id) FROM sale)", [["cheese"]]
    ),
    "derived table": Honest("SELECT x FROM (SELECT MAX(id) AS x FROM item) t", [[4]]),
    "exists": Honest(
        "SELECT COUNT(*) FROM item i WHERE EXISTS (SELECT 1 FROM sale s WHERE s.item_id = i.id)",
        [[3]],
    ),
    "any": Honest("SELECT id FROM item WHERE id > ALL (SELECT item_id FROM sale)", [[4]]),
    "case": Honest(
        "SELECT CASE WHEN price > 5 THEN 'dear' ELSE 'cheap' END FROM item WHERE id = 3", [["dear"]]
    ),
    "if": Honest("SELECT IF(1 > 2, 'a', 'b'), IFNULL(NULL, 'c'), NULLIF(1, 1)", [["b", "c", None]]),
    "between": Honest(
        "SELECT id FROM sale WHERE day BETWEEN '2026-01-06' AND '2026-01-31' ORDER BY id",
        [[2], [3]],
    ),
    "like": Honest("SELECT name FROM item WHERE name LIKE '%EA%'", [["bread"]]),
    "like a value": Honest(
        "SELECT name FROM item WHERE name LIKE CONCAT('%', :part, '%')",
        [["cheese"]],
        {"part": (T.STRING, "hee")},
    ),
    "regexp": Honest(
        "SELECT name FROM item WHERE name REGEXP '^[ab]' ORDER BY name", [["apple"], ["bread"]]
    ),
    "interval": Honest("SELECT DATE_ADD('2026-01-31', INTERVAL 1 MONTH)", [["2026-02-28"]]),
    "date functions": Honest(
        "SELECT DATE_FORMAT(day, '%Y-%m'), COUNT(*) FROM sale GROUP BY 1 ORDER BY 1",
        [["2026-01", 3], ["2026-02", 2]],
    ),
    "extract": Honest("SELECT EXTRACT(YEAR FROM day) FROM sale WHERE id = 1", [[2026]]),
    "cast": Honest("SELECT CAST('12.5' AS DECIMAL(10,2)), CAST(1 AS CHAR)", [[12.5, "1"]]),
    "convert": Honest("SELECT CONVERT('1', SIGNED), CONVERT('a' USING utf8mb4)", [[1, "a"]]),
    "json": Honest(
        "SELECT JSON_EXTRACT(tags, '$[0]'), JSON_LENGTH(tags) FROM item WHERE id = 1",
        [['"red"', 2]],
    ),
    "json table": Honest(
        "SELECT t.tag FROM item, JSON_TABLE(tags, '$[*]' COLUMNS (tag VARCHAR(9) PATH '$')) t ORDER BY 1",
        [["food"], ["fruit"], ["red"]],
    ),
    "lpad": Honest(
        "SELECT LPAD(id, 4, '0'), REPEAT('-', 3) FROM item WHERE id = 1", [["0001", "---"]]
    ),
    "replace": Honest(
        "SELECT REPLACE(name, 'p', 'b'), INSERT('abc', 1, 1, 'x') FROM item WHERE id = 1",
        [["abble", "xbc"]],
    ),
    "arithmetic": Honest(
        "SELECT 7 DIV 2, 7 % 2, 7 / 2, -7 MOD 4, 2 ^ 3, ~0 > 0", [[3, 1, 3.5, -3, 1, 1]]
    ),
    "operators": Honest(
        "SELECT 1 <=> NULL, NOT 1, 1 XOR 1, 1 || 0, 1 && 0, !0", [[0, 0, 0, 1, 0, 1]]
    ),
    "null": Honest("SELECT NULL, NULL IS NULL", [[None, 1]]),
    "view": Honest("SELECT name FROM cheap ORDER BY name", [["apple"], ["bread"]]),
    "history": Honest("SELECT COUNT(*) FROM kept FOR SYSTEM_TIME ALL", [[0]]),
    "index hint": Honest("SELECT COUNT(*) FROM item USE INDEX (PRIMARY)", [[4]]),
    "sequence table": Honest("SELECT seq FROM seq_1_to_3 ORDER BY seq", [[1], [2], [3]]),
    "equal names": Honest("SELECT 1 AS a, 2 AS a LIMIT 1", [[1, 2]]),
    "list": Honest(
        "SELECT name FROM item WHERE id IN (:ids) ORDER BY id",
        [["apple"], ["cheese"]],
        {"ids": (T.INTEGER_LIST, [1, 3])},
    ),
    "list of texts": Honest(
        "SELECT COUNT(*) FROM sale WHERE region NOT IN (:regions)",
        [[1]],
        {"regions": (T.STRING_LIST, ["KR", "JP"])},
    ),
    "a clause left out": Honest(
        "SELECT id FROM item WHERE TRUE [[ AND name = :name ]] ORDER BY id",
        [[1], [2], [3], [4]],
        {"name": (T.STRING, None)},
    ),
    "a clause kept": Honest(
        "SELECT id FROM item WHERE TRUE [[ AND name = :name ]]",
        [[2]],
        {"name": (T.STRING, "bread")},
    ),
    "hostile value": Honest(
        "SELECT COUNT(*) FROM item WHERE name = :name",
        [[0]],
        {"name": (T.STRING, "x' OR 1=1; DELETE FROM item -- ")},
    ),
    "date as a value": Honest(
        "SELECT id FROM sale WHERE day = :day", [[1]], {"day": (T.DATE, date(2026, 1, 5))}
    ),
    "moment as a value": Honest(
        "SELECT HOUR(:at)", [[9]], {"at": (T.DATETIME, datetime(2026, 1, 5, 9, tzinfo=UTC))}
    ),
    "boolean as a value": Honest("SELECT :yes = TRUE", [[1]], {"yes": (T.BOOLEAN, True)}),
    "template": Honest("SELECT {{ n }} + 1", [[3]], {"n": (T.INTEGER, 2)}),
}
