"""Odd but right: quotes, comments, colons, brackets and words that look like something else."""

from datetime import UTC, date, datetime

from core.toolspec import ParameterType as T
from tests.hostile.running import Honest

SYNTAX: dict[str, Honest] = {
    "last semicolon": Honest("SELECT 1;", [[1]]),
    "semicolon before comments": Honest("SELECT 1 ; -- a; b\n /* c; /* d */ */ ", [[1]]),
    "comment at the end": Honest("SELECT 1 -- DELETE FROM sale; :x", [[1]]),
    "comments all over": Honest("/* :a /* ; */ ' */SELECT--'\n1/**/+/* \" */1 AS n -- )", [[2]]),
    "commands in strings": Honest(
        "SELECT 'DROP TABLE sale; --', $$DELETE FROM sale; $1$$, \"text\" FROM (SELECT ';' AS text) t",
        [["DROP TABLE sale; --", "DELETE FROM sale; $1", ";"]],
    ),
    "functions in strings": Honest(
        "SELECT 'x.pg_sleep(1)', 1 AS pg_sleep -- (1).pg_sleep\n /* TREAT(1 AS pg_sleep) */",
        [["x.pg_sleep(1)", 1]],
    ),
    "functions as names": Honest(
        "WITH nextval AS (SELECT 5 AS setval) SELECT setval AS pg_notify FROM nextval WHERE setval > 1",
        [[5]],
    ),
    "quotes in strings": Honest("SELECT 'it''s', '\"', '\\', ''", [["it's", '"', "\\", ""]]),
    "string over lines": Honest("SELECT 'a'\n  'b' -- c\n 'd'", [["abd"]]),
    "E-string": Honest(
        r"SELECT E'a\'b\\', E'\u00e9\x41'",
        [["a'b\\", "éA"]],
    ),
    "E-string over lines": Honest("SELECT E'a\\''\n'\\'b'", [["a''b"]]),
    "unicode string": Honest(
        r"SELECT U&'\00e9 \+01F600', U&'d!0061' UESCAPE '!'", [["é 😀", "da"]]
    ),
    "dollar quotes": Honest("SELECT $a$it's $b$ :x $a$, $한$:y$한$", [["it's $b$ :x ", ":y"]]),
    "bits and bytes": Honest(
        r"SELECT B'101', X'1F', '\x00ff'::bytea, N'n'", [["101", "00011111", "AP8=", "n"]]
    ),
    "numbers": Honest(
        "SELECT 1_000, 0x1F, 0b11, 0o17, 1e3, .5, 5., 1.5e-3",
        [[1000, 31, 3, 15, 1000, 0.5, 5, 0.0015]],
    ),
    "names in all scripts": Honest(
        'SELECT "지역", t."売上", "매출 집계"."a""b" FROM "매출 집계" AS "매출 집계", LATERAL (SELECT "売上") AS t'
        " ORDER BY 2",
        [["부산", 5, 4], ["서울", 7, 2]],
    ),
    "names that look like commands": Honest(
        'SELECT "delete", "update", "%s ?" FROM "매출 집계" ORDER BY "delete"',
        [[1, "x", 3], [2, "y", 6]],
    ),
    "keywords as names": Honest(
        'SELECT t."select", "from" AS "where", t.count, t.left, t.random FROM word_table AS t',
        [[1, 2, 3, "four", 5]],
    ),
    "keywords as labels": Honest(
        'SELECT 1 AS select, 2 AS delete, 3 AS update, 4 "insert"', [[1, 2, 3, 4]]
    ),
    "names without quotes": Honest("SELECT 매출.값 FROM (SELECT 3 AS 값) AS 매출", [[3]]),
    "function named like a column": Honest(
        "SELECT count, count(count) OVER () FROM word_table", [[3, 1]]
    ),
    "equal column names": Honest("SELECT 1 AS n, 2 AS n, n FROM (SELECT 3 AS n) t", [[1, 2, 3]]),
    "no column names": Honest("SELECT 1, 'a', NULL, true", [[1, "a", None, True]]),
    "brackets first": Honest("((SELECT 1) UNION ALL (SELECT 2))", [[1], [2]]),
    "casts": Honest(
        "SELECT '1'::int::text || :a::text, CAST(:b AS date), int '5', date'2026-01-01', '{1}'::int[]",
        [["1x", "2026-05-01", 5, "2026-01-01", [1]]],
        {"a": (T.STRING, "x"), "b": (T.STRING, "2026-05-01")},
    ),
    "slices": Honest(
        "SELECT a[1], a[2:], a[:2], a[1:2], a[{{n}}], a[({{n}}):], a[array_upper(a, 1)]"
        " FROM (SELECT ARRAY[7, 8, 9] AS a) AS t",
        [[7, [8, 9], [7, 8], [7, 8], 9, [9], 9]],
        {"n": (T.INTEGER, 3)},
    ),
    "arrays": Honest(
        "SELECT ARRAY[[1,2],[3,4]], ARRAY[:x, 2] || 3, '{a,\"b,c\"}'::text[], ARRAY[]::int[],"
        " ARRAY[1,2] @> ARRAY[:x], tags && ARRAY['red'] FROM item WHERE id = 1",
        [[[[1, 2], [3, 4]], [1, 2, 3], ["a", "b,c"], [], True, True]],
        {"x": (T.INTEGER, 1)},
    ),
    "array functions": Honest(
        "SELECT unnest(tags), cardinality(tags), array_position(tags, 'fruit') FROM item WHERE id = 1",
        [["red", 2, 2], ["fruit", 2, 2]],
    ),
    "with ordinality": Honest(
        "SELECT t.n, t.tag FROM item, unnest(tags) WITH ORDINALITY AS t(tag, n) WHERE id = 1 ORDER BY n",
        [[1, "red"], [2, "fruit"]],
    ),
    "rows from": Honest(
        "SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY['a'])) AS t(n, letter)",
        [[1, "a"], [2, None]],
    ),
    "json operators": Honest(
        "SELECT body->'at'->>'x', body#>>'{at,y}', body @> '{\"kind\": \"click\"}', body ? 'at',"
        " body ?| ARRAY['a', 'at'], body ?& '{kind,n}', body - 'tags' - 'at' - 'n' FROM event WHERE id = 1",
        [["1", "2", True, True, True, True, {"kind": "click"}]],
    ),
    "json parameters": Honest(
        "SELECT id FROM event WHERE body @> :part AND body ? :key AND body->>:key = :value"
        " AND body->'tags'->>0 = 'a'",
        [[1]],
        {
            "part": (T.STRING, '{"tags": ["a"]}'),
            "key": (T.STRING, "kind"),
            "value": (T.STRING, "click"),
        },
    ),
    "json path": Honest(
        "SELECT jsonb_path_query_first(body, '$.tags[*] ? (@ == $t)', jsonb_build_object('t', :tag::text)),"
        " body @? '$.at ? (@.x > 0)', body @@ '$.n > 5', body['at']['x'] FROM event ORDER BY id LIMIT 1",
        [["b", True, True, 1]],
        {"tag": (T.STRING, "b")},
    ),
    "json constructors": Honest(
        "SELECT json_object('k':'v', 'n':1), json_array(1, :x), json_object('a': body->'n' ABSENT ON NULL"
        " RETURNING jsonb), (SELECT json_arrayagg(n ORDER BY n DESC) FROM (VALUES (1), (2)) AS v(n)), is_json FROM (SELECT *, '1' IS JSON"
        " AS is_json FROM event WHERE id = 1) AS t",
        [[{"k": "v", "n": 1}, [1, "x"], {"a": 10}, [2, 1], True]],
        {"x": (T.STRING, "x")},
    ),
    "json object with a parameter": Honest(
        "SELECT json_object('k':{{v}}, 'c': id, 't' : name::text) FROM item WHERE id = 1",
        [[{"k": "w", "c": 1, "t": "apple"}]],
        {"v": (T.STRING, "w")},
    ),
    "json table": Honest(
        "SELECT j.* FROM event, json_table(body, '$.tags[*]' COLUMNS (n FOR ORDINALITY, tag text PATH '$'))"
        " AS j WHERE id = 1",
        [[1, "a"], [2, "b"]],
    ),
    "json query functions": Honest(
        "SELECT json_value(body, '$.n' RETURNING numeric DEFAULT 0 ON ERROR), json_exists(body, '$.at'),"
        " json_query(body, '$.tags' WITH WRAPPER) FROM event ORDER BY id LIMIT 1",
        [[10, True, [["a", "b"]]]],
    ),
    "json rows": Honest(
        'SELECT a, b FROM jsonb_to_recordset(\'[{"a": 1, "b": "x"}]\') AS t(a int, b text)'
        " UNION ALL SELECT key::int, value FROM jsonb_each_text(:pairs)",
        [[1, "x"], [2, "y"]],
        {"pairs": (T.STRING, '{"2": "y"}')},
    ),
    "regexes": Honest(
        r"SELECT 'a:b' ~ ':[a-z]', 'it''s' ~* 'IT''S', regexp_replace('a1b2', '\d+', '<\&>', 'g'),"
        r" 'x;y' !~ '^(\w+);$', substring('id=42' FROM 'id=(\d+)'), regexp_match('a:b', '(?:a):(b)')",
        [[True, True, "a<1>b<2>", True, "42", ["b"]]],
    ),
    "patterns": Honest(
        "SELECT '100%' LIKE '100\\%', 'a_b' LIKE 'a!_b' ESCAPE '!', 'abc' SIMILAR TO '(a|b)%', 'x' ~~* 'X'"
        ", :p || '%' LIKE 'a%', '?' = '?'",
        [[True, True, True, True, True, True]],
        {"p": (T.STRING, "abc")},
    ),
    "named arguments": Honest(
        "SELECT make_date(year => 2026, month := :m, day => 1), format('%1$s:%2$L', 'a', :m)",
        [["2026-02-01", "a:'2'"]],
        {"m": (T.INTEGER, 2)},
    ),
    "variadic": Honest(
        "SELECT concat_ws(':', VARIADIC ARRAY['a', 'b']), num_nulls(VARIADIC '{1,NULL}'::int[])",
        [["a:b", 1]],
    ),
    "operators by their schema": Honest(
        "SELECT 1 OPERATOR(pg_catalog.+) {{n}}, @ -5, |/ 16, 5 # 1, ~1, 2 ^ 3, -(-1), 7 % 4, 1 <> 2, 1 != 2",
        [[3, 5, 4.0, 4, -2, 8.0, 1, 3, True, True]],
        {"n": (T.INTEGER, 2)},
    ),
    "minus and comment": Honest("SELECT 5 - -3, 5 -/* - */3, 2--1\n+1", [[8, 2, 3]]),
    "special forms": Honest(
        "SELECT position('b' IN 'abc'), overlay('abc' PLACING 'X' FROM 2 FOR 1), trim(BOTH 'x' FROM 'xax'),"
        " extract(year FROM date '2026-01-01'), current_date IS NOT NULL, collation for ('a' COLLATE \"C\"),"
        " 'e' IS NORMALIZED, (1, 2) = (1, 2), current_user IS NULL",
        [[2, "aXc", "a", 2026, True, '"C"', True, True, False]],
    ),
    "types with modifiers": Honest(
        "SELECT 1.005::numeric(10, 2), 'abc'::varchar(2), 'a'::char(3) = 'a', timestamp(0) '2026-01-01"
        " 10:00:00.6', interval(0) '1.7 seconds', time with time zone '10:00+09'",
        [[1.01, "ab", True, "2026-01-01T10:00:01", "PT2S", "10:00:00+09"]],
    ),
    "between and not": Honest(
        "SELECT 5 BETWEEN SYMMETRIC 9 AND :low, NOT true IS FALSE, NULL IS UNKNOWN, 1 IN (1), NOT 1 IN (2, 3)",
        [[True, True, True, True, True]],
        {"low": (T.INTEGER, 1)},
    ),
    "every type of parameter": Honest(
        "SELECT :text, :number, :whole, :flag, :day, :moment, :choice",
        [["t", 1.25, 7, True, "2026-01-02", "2026-01-02T03:04:05+00:00", "KR"]],
        {
            "text": (T.STRING, "t"),
            "number": (T.NUMBER, 1.25),
            "whole": (T.INTEGER, 7),
            "flag": (T.BOOLEAN, True),
            "day": (T.DATE, date(2026, 1, 2)),
            "moment": (T.DATETIME, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
            "choice": (T.ENUM, "KR"),
        },
    ),
    "lists": Honest(
        "SELECT id FROM sale WHERE region IN (:regions) AND id = ANY(:ids) AND amount <> ALL (:amounts)"
        " AND region NOT IN (:others) ORDER BY id",
        [[1], [5]],
        {
            "regions": (T.STRING_LIST, ["KR", "JP"]),
            "ids": (T.INTEGER_LIST, [1, 2, 3, 5]),
            "amounts": (T.NUMBER_LIST, [2.0]),
            "others": (T.STRING_LIST, ["JP"]),
        },
    ),
    "missing parameters": Honest(
        "SELECT id FROM sale WHERE (:region IS NULL OR region = :region) AND (:day::date IS NULL OR day = :day)"
        " AND quantity = coalesce(:n, quantity) ORDER BY id LIMIT 2",
        [[1], [2]],
        {"region": (T.STRING, None), "day": (T.DATE, None), "n": (T.INTEGER, None)},
    ),
    "optional clauses": Honest(
        "SELECT id FROM sale WHERE true [[ AND region = :region ]] [[ AND day > :day ]] ORDER BY id",
        [[1], [3], [5]],
        {"region": (T.STRING, "KR"), "day": (T.DATE, None)},
    ),
    "parameters in odd places": Honest(
        "SELECT CASE WHEN :flag THEN :a ELSE :b END, substring('abcdef' FROM :n FOR 2), ARRAY[:a, :b],"
        " sum(:n) OVER (ORDER BY id ROWS :n PRECEDING), interval '1 day' * :n, ('[' || :n || ',)')::int4range"
        " FROM (SELECT * FROM item LIMIT :n - 1) AS t ORDER BY CASE WHEN :flag THEN id END",
        [["a", "bc", ["a", "b"], 2, "P2D", "[2,)"]],
        {
            "flag": (T.BOOLEAN, True),
            "a": (T.STRING, "a"),
            "b": (T.STRING, "b"),
            "n": (T.INTEGER, 2),
        },
    ),
    "hostile values": Honest(
        "SELECT :a, :b, count(*) FROM sale WHERE region = :a",
        [["'; DROP TABLE sale; --", "$1 :b {{b}} \\", 0]],
        {"a": (T.STRING, "'; DROP TABLE sale; --"), "b": (T.STRING, "$1 :b {{b}} \\")},
    ),
    "parameters side by side": Honest(
        "SELECT :a||:a, :a::text||'x', -:n, :n+:n, (:n), :n:: text",
        [["pp", "px", -3, 6, 3, "3"]],
        {"a": (T.STRING, "p"), "n": (T.INTEGER, 3)},
    ),
    "blanks of all kinds": Honest("\r\n\t SELECT\f1\v+\n1 \t", [[2]]),
    "words of sampling": Honest(
        "SELECT 1 AS treat, t.treat FROM (SELECT 2 AS treat) AS t", [[1, 2]]
    ),
    "long text": Honest(f"SELECT length('{'x' * 50_000}') -- {'y' * 20_000}", [[50_000]]),
    "many branches": Honest(
        " UNION ALL ".join(["SELECT 1 AS n"] * 50),
        [[1]] * 50,
    ),
}
