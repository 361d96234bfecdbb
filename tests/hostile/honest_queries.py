"""Real reports: what people write for analysis has to be served as it is."""

from datetime import date

from core.toolspec import ParameterType as T
from tests.hostile.running import Honest

REPORTS: dict[str, Honest] = {
    "common table expressions": Honest(
        "WITH paid AS (SELECT region, sum(amount) AS total FROM sale GROUP BY region),"
        " best AS (SELECT max(total) AS total FROM paid)"
        " SELECT region FROM paid JOIN best USING (total)",
        [["US"]],
    ),
    "materialized and not": Honest(
        "WITH a AS MATERIALIZED (SELECT 1 AS n), b AS NOT MATERIALIZED (SELECT n + 1 AS m FROM a)"
        " SELECT n, m FROM a, b",
        [[1, 2]],
    ),
    "recursive tree": Honest(
        "WITH RECURSIVE tree AS (SELECT id, name, 0 AS depth, ARRAY[id] AS path FROM staff"
        " WHERE boss_id IS NULL UNION ALL SELECT s.id, s.name, depth + 1, path || s.id FROM staff s"
        " JOIN tree ON s.boss_id = tree.id) SELECT repeat('-', depth) || name, path FROM tree"
        " ORDER BY path",
        [["Ann", [1]], ["-Bo", [1, 2]], ["--Di", [1, 2, 4]], ["-Cy", [1, 3]]],
    ),
    "recursive with search and cycle": Honest(
        "WITH RECURSIVE tree AS (SELECT id FROM staff WHERE boss_id IS NULL UNION ALL"
        " SELECT s.id FROM staff s JOIN tree t ON s.boss_id = t.id)"
        " SEARCH DEPTH FIRST BY id SET way CYCLE id SET again USING path"
        " SELECT id, again FROM tree ORDER BY way",
        [[1, False], [2, False], [4, False], [3, False]],
    ),
    "window with a frame": Honest(
        "SELECT id, sum(quantity) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
        " FROM sale ORDER BY id LIMIT 3",
        [[1, 2], [2, 6], [3, 5]],
    ),
    "window with groups and exclusion": Honest(
        "SELECT id, count(*) OVER (ORDER BY day GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING"
        " EXCLUDE TIES) FROM sale ORDER BY id",
        [[1, 3], [2, 3], [3, 3], [4, 6], [5, 5], [6, 5]],
    ),
    "window over a range of days": Honest(
        "SELECT id, sum(amount) OVER (ORDER BY day RANGE BETWEEN interval '2 days' PRECEDING AND"
        " CURRENT ROW) FROM sale WHERE region = 'KR' ORDER BY id",
        [[1, 3.00], [3, 5.00], [5, 7.25]],
    ),
    "named window": Honest(
        "SELECT id, rank() OVER w, lag(id) OVER w, first_value(id) OVER w FROM sale"
        " WINDOW w AS (PARTITION BY region ORDER BY amount DESC) ORDER BY region, 2 LIMIT 3",
        [[2, 1, None, 2], [5, 1, None, 5], [1, 2, 5, 5]],
    ),
    "percentiles": Honest(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount),"
        " percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY amount),"
        " mode() WITHIN GROUP (ORDER BY region) FROM sale",
        [[6.625, [3.00, 14.50], "KR"]],
    ),
    "hypothetical rank": Honest(
        "SELECT rank(5) WITHIN GROUP (ORDER BY amount), cume_dist(5) WITHIN GROUP (ORDER BY amount)"
        " > 0.4 FROM sale",
        [[3, True]],
    ),
    "grouping sets": Honest(
        "SELECT region, item_id, sum(quantity), grouping(region, item_id) FROM sale"
        " GROUP BY GROUPING SETS ((region), (item_id), ()) ORDER BY 4, 1, 2",
        [
            ["JP", None, 4, 1],
            ["KR", None, 4, 1],
            ["US", None, 12, 1],
            [None, 1, 16, 2],
            [None, 2, 1, 2],
            [None, 3, 3, 2],
            [None, None, 20, 3],
        ],
    ),
    "cube": Honest(
        "SELECT count(*) FROM (SELECT 1 FROM sale GROUP BY CUBE (region, item_id)) AS t", [[13]]
    ),
    "rollup": Honest(
        "SELECT region, item_id, sum(amount) FROM sale WHERE region = 'KR'"
        " GROUP BY ROLLUP (region, item_id) ORDER BY 1 NULLS LAST, 2 NULLS LAST",
        [
            ["KR", 1, 3.00],
            ["KR", 2, 2.00],
            ["KR", 3, 7.25],
            ["KR", None, 12.25],
            [None, None, 12.25],
        ],
    ),
    "filter": Honest(
        "SELECT count(*) FILTER (WHERE region = 'KR'), sum(quantity) FILTER (WHERE amount > 5),"
        " string_agg(DISTINCT region, ',' ORDER BY region) FROM sale",
        [[3, 17, "JP,KR,US"]],
    ),
    "distinct on": Honest(
        "SELECT DISTINCT ON (region) region, id FROM sale ORDER BY region, amount DESC",
        [["JP", 2], ["KR", 5], ["US", 6]],
    ),
    "lateral join": Honest(
        "SELECT i.name, best.id FROM item AS i LEFT JOIN LATERAL (SELECT s.id FROM sale AS s"
        " WHERE s.item_id = i.id ORDER BY s.amount DESC FETCH FIRST ROW ONLY) AS best ON true"
        " ORDER BY i.id",
        [["apple", 6], ["bread", 3], ["cheese", 4], ["date", None]],
    ),
    "joins of all kinds": Honest(
        "SELECT count(*) FROM item NATURAL FULL JOIN (SELECT id, 1 AS one FROM staff) AS s"
        " CROSS JOIN (VALUES (1), (2)) AS v(n) RIGHT OUTER JOIN (SELECT 2 AS n) AS r USING (n)",
        [[4]],
    ),
    "values": Honest("VALUES (1, 'a'), (2, NULL) ORDER BY 1 DESC", [[2, None], [1, "a"]]),
    "values as a table": Honest(
        "SELECT v.* FROM (VALUES ('a', 1.5), ('b', 2)) AS v(letter, number) WHERE number > 1.7",
        [["b", 2]],
    ),
    "table": Honest("TABLE staff ORDER BY id OFFSET 3", [[4, 2, "Di"]]),
    "only": Honest("SELECT count(*) FROM ONLY item", [[4]]),
    "set operations": Honest(
        "(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 2) EXCEPT ALL SELECT 2"
        " INTERSECT SELECT 2 ORDER BY n",
        [[1], [2]],
    ),
    "subqueries everywhere": Honest(
        "SELECT (SELECT max(id) FROM item), ARRAY(SELECT id FROM item ORDER BY id DESC),"
        " EXISTS (TABLE item), 3 = ANY (SELECT id FROM item), (1, 'apple') IN (SELECT id, name FROM"
        " item), 5 > ALL (SELECT id FROM item)",
        [[4, [4, 3, 2, 1], True, True, True, True]],
    ),
    "order is kept": Honest(
        'SELECT name FROM item ORDER BY price DESC NULLS FIRST, name COLLATE "C"',
        [["date"], ["cheese"], ["bread"], ["apple"]],
    ),
    "order using an operator": Honest(
        "SELECT id FROM item ORDER BY id USING > LIMIT 2", [[4], [3]]
    ),
    "limit and offset": Honest(
        "SELECT id FROM sale ORDER BY id LIMIT :n OFFSET :skip",
        [[3], [4]],
        {"n": (T.INTEGER, 2), "skip": (T.INTEGER, 2)},
    ),
    "fetch first with ties": Honest(
        "SELECT region FROM sale ORDER BY region FETCH FIRST 2 ROWS WITH TIES",
        [["JP"], ["KR"], ["KR"], ["KR"]],
    ),
    "table sample": Honest(
        "SELECT count(*) FROM sale TABLESAMPLE SYSTEM (100) REPEATABLE (1)", [[6]]
    ),
    "case": Honest(
        "SELECT CASE region WHEN 'KR' THEN 'home' ELSE 'away' END AS place, CASE WHEN sum(amount) >"
        " 20 THEN 'much' WHEN NULL THEN '' END FROM sale GROUP BY 1 ORDER BY 1",
        [["away", "much"], ["home", None]],
    ),
    "null arithmetic": Honest(
        "SELECT coalesce(price, 0), nullif(stock, 0), price IS DISTINCT FROM NULL,"
        " greatest(1, NULL, 3) FROM item WHERE id IN (2, 4) ORDER BY id",
        [[2.00, None, True, 3], [0, None, False, 3]],
    ),
    "days between": Honest(
        "SELECT id FROM sale WHERE day BETWEEN :first AND :first + 1 ORDER BY 1",
        [[1], [2], [3]],
        {"first": (T.DATE, date(2026, 1, 5))},
    ),
    "months of a year": Honest(
        "SELECT to_char(month, 'YYYY-MM'), coalesce(sum(amount), 0) FROM generate_series("
        "'2026-01-01'::timestamp, '2026-03-01', '1 month') AS month"
        " LEFT JOIN sale ON date_trunc('month', sale.day) = month GROUP BY month ORDER BY month",
        [["2026-01", 11.00], ["2026-02", 36.75], ["2026-03", 0]],
    ),
    "time zones": Honest(
        "SELECT at AT TIME ZONE 'Asia/Seoul', at, (at AT TIME ZONE 'America/New_York')::date,"
        " extract(hour FROM at AT TIME ZONE 'Asia/Tokyo') FROM sale WHERE id = 3",
        [["2026-01-06T23:30:00", "2026-01-06T14:30:00+00:00", "2026-01-06", 23]],
    ),
    "intervals": Honest(
        "SELECT age(date '2026-03-01', date '2026-01-31'), interval '1 year 2 months -3 days',"
        " make_interval(days => :days, hours => 1), date '2026-01-31' + interval '1 month',"
        " justify_days(interval '45 days')",
        [["P1M1D", "P1Y2M-3D", "P2DT1H", "2026-02-28T00:00:00", "P1M15D"]],
        {"days": (T.INTEGER, 2)},
    ),
    "date parts": Honest(
        "SELECT date_part('isodow', day), day - date '2026-01-01',"
        " date_bin('15 minutes', at, '2026-01-01') FROM sale WHERE id = 3",
        [[2, 5, "2026-01-06T14:30:00+00:00"]],
    ),
    "overlaps": Honest(
        "SELECT (date '2026-01-01', interval '10 days') OVERLAPS (date '2026-01-05', date '2026-02-01')",
        [[True]],
    ),
    "running share": Honest(
        "SELECT region, round(100 * sum(amount) / sum(sum(amount)) OVER (), 1) FROM sale"
        " GROUP BY region ORDER BY region",
        [["JP", 12.6], ["KR", 25.7], ["US", 61.8]],
    ),
    "statistics": Honest(
        "SELECT round(corr(quantity, amount)::numeric, 2), regr_count(quantity, amount),"
        " round(stddev_pop(amount), 2), every(amount > 0), bit_or(id) FROM sale",
        [[0.61, 6, 5.11, True, 7]],
    ),
    "histogram": Honest(
        "SELECT width_bucket(amount, 0, 20, 4) AS bucket, count(*) FROM sale GROUP BY 1 ORDER BY 1",
        [[1, 2], [2, 2], [3, 1], [4, 1]],
    ),
    "pivot": Honest(
        "SELECT item_id, sum(quantity) FILTER (WHERE region = 'KR') AS \"KR\","
        " sum(quantity) FILTER (WHERE region = 'US') AS \"US\" FROM sale GROUP BY 1 ORDER BY 1",
        [[1, 2, 10], [2, 1, None], [3, 1, 2]],
    ),
    "gaps and islands": Honest(
        "SELECT min(day), max(day), count(*) FROM (SELECT day, day - (dense_rank() OVER (ORDER BY"
        " day))::int AS island FROM sale) AS t GROUP BY island ORDER BY 1",
        [
            ["2026-01-05", "2026-01-06", 3],
            ["2026-02-01", "2026-02-01", 1],
            ["2026-02-03", "2026-02-03", 2],
        ],
    ),
    "ranges": Honest(
        "SELECT a.id, b.id, a.during * b.during, a.hours -|- '[12,13)'::int4range, upper(a.during)"
        " FROM booking a JOIN booking b ON a.during && b.during AND a.id < b.id"
        " WHERE a.during @> date '2026-01-09'",
        [[1, 2, "[2026-01-08,2026-01-10)", True, "2026-01-10"]],
    ),
    "multiranges": Honest(
        "SELECT range_agg(during), unnest('{[1,3),[5,7)}'::int4multirange) FROM booking",
        [["{[2026-01-01,2026-01-20)}", "[1,3)"], ["{[2026-01-01,2026-01-20)}", "[5,7)"]],
    ),
    "full text search": Honest(
        "SELECT id, ts_headline('english', body, query, 'StartSel=<, StopSel=>') FROM document,"
        " websearch_to_tsquery('english', :words) AS query"
        " WHERE to_tsvector('english', body) @@ query ORDER BY ts_rank_cd("
        "to_tsvector('english', body), query) DESC, id",
        [[1, "the <quick> brown <fox>"], [3, "<quick> dogs and <foxes>"]],
        {"words": (T.STRING, "quick fox")},
    ),
    "text search by hand": Honest(
        "SELECT id FROM document WHERE body::tsvector @@ ('quick:*' || ' & ' || '!lazy')::tsquery"
        " ORDER BY id",
        [[1], [3]],
    ),
    "trigrams": Honest(
        "SELECT id, body %> :near, round(word_similarity(:near, body)::numeric, 1) FROM document"
        " ORDER BY body <->> :near, id LIMIT 1",
        [[1, True, 1.0]],
        {"near": (T.STRING, "brown")},
    ),
    "vector distance": Honest(
        "SELECT id, round((place <-> '[1,0,0]')::numeric, 2), place <=> '[1,0,0]' < 0.5,"
        " place <#> '[1,1,1]', place <+> '[0,0,0]' FROM document"
        " ORDER BY place <-> '[1,0,0]', id",
        [[1, 0.0, True, -1.0, 1.0], [3, 1.0, True, -2.0, 2.0], [2, 1.41, False, -1.0, 1.0]],
    ),
    "nearest to a parameter": Honest(
        "SELECT id, place FROM document ORDER BY place <=> :place::vector LIMIT 1",
        [[2, [0, 1, 0]]],
        {"place": (T.STRING, "[0.1,0.9,0]")},
    ),
    "unaccent": Honest("SELECT unaccent('Hôtel') ILIKE 'hotel'", [[True]]),
    "hstore": Honest("SELECT ('a=>1, b=>2'::hstore -> 'b'), 'a=>1'::hstore ? 'a'", [["2", True]]),
    "row level security": Honest(
        "SELECT body FROM secret WHERE true OR owner = 'somebody'", [["own"]]
    ),
    "rows as values": Honest(
        "SELECT to_jsonb(i) - 'tags', (i).name, i.code, ROW(1, 'a')::text FROM item AS i WHERE id = 1",
        [
            [
                {"id": 1, "name": "apple", "price": 1.50, "stock": 10, "code": "i-apple"},
                "apple",
                "i-apple",
                "(1,a)",
            ]
        ],
    ),
    "randomness": Honest(
        "SELECT random() BETWEEN 0 AND 1, gen_random_uuid() IS NOT NULL, random(1, 1),"
        " (random_normal()).abs IS NULL",
        [[True, True, 1, False]],
    ),
    "sizes": Honest(
        "SELECT pg_relation_size('sale') > 0, pg_size_pretty(1024::bigint), pg_typeof(1)::text",
        [[True, "1024 bytes", "integer"]],
    ),
    "catalog": Honest(
        "SELECT c.relname, obj_description(c.oid) FROM pg_class c JOIN information_schema.tables t"
        " ON t.table_name = c.relname WHERE t.table_schema = :schema AND relname LIKE 'sta%'",
        [["staff", None]],
        {"schema": (T.STRING, "public")},
    ),
    "encodings": Honest(
        "SELECT encode(sha256('a'), 'hex') LIKE 'ca978112%', md5('a') = :hash,"
        " convert_from('\\xed959c', 'UTF8'), 'x'::bytea",
        [[True, True, "한", "eA=="]],
        {"hash": (T.STRING, "0cc175b9c0f1b6a831c399e269772661")},
    ),
}
