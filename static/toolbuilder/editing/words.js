// What the dialects call by fixed names: keywords, functions and types that queries use, and how names are quoted.

const KEYWORDS =
  "SELECT DISTINCT FROM WHERE AND OR NOT NULL IS IN EXISTS BETWEEN LIKE CASE WHEN THEN ELSE END AS ON USING JOIN INNER LEFT RIGHT FULL" +
  " CROSS OUTER NATURAL GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET UNION ALL INTERSECT EXCEPT WITH RECURSIVE VALUES" +
  " OVER PARTITION WINDOW ROWS RANGE PRECEDING FOLLOWING UNBOUNDED FILTER CAST COLLATE TRUE FALSE CURRENT_DATE CURRENT_TIME" +
  " CURRENT_TIMESTAMP ESCAPE";
const MORE_KEYWORDS = {
  postgresql: " ILIKE SIMILAR TO ANY SOME ARRAY LATERAL INTERVAL FETCH NEXT ONLY MATERIALIZED ROLLUP CUBE GROUPING SETS WITHIN TABLESAMPLE AT TIME ZONE",
  sqlite: " GLOB REGEXP INDEXED",
  mysql: " REGEXP RLIKE DIV MOD XOR INTERVAL SEPARATOR STRAIGHT_JOIN USE INDEX SOME ANY",
  duckdb:
    " ILIKE SIMILAR TO GLOB ANY LATERAL INTERVAL QUALIFY SAMPLE PIVOT UNPIVOT ASOF SEMI ANTI POSITIONAL EXCLUDE REPLACE COLUMNS MATERIALIZED" +
    " ROLLUP CUBE GROUPING SETS AT TIME ZONE TRY_CAST",
};
const FUNCTIONS =
  "count(*) sum(value) avg(value) min(value) max(value) coalesce(value, …) nullif(a, b) abs(x) round(x, digits) lower(text) upper(text)" +
  " length(text) trim(text) replace(text, from, to) substr(text, from, count) row_number() rank() dense_rank() lag(value) lead(value)" +
  " first_value(value) last_value(value) ntile(n)";
const MORE_FUNCTIONS = {
  postgresql:
    " now() date_trunc(unit, time) to_char(value, format) to_date(text, format) extract(field FROM time) age(time) string_agg(text, between)" +
    " array_agg(value) jsonb_agg(value) jsonb_build_object(key, value, …) json_agg(value) unnest(array) generate_series(from, to, step)" +
    " greatest(a, b, …) least(a, b, …) ceil(x) floor(x) concat(a, b, …) split_part(text, between, n) regexp_replace(text, pattern, by)" +
    " position(part IN text) percentile_cont(part) bool_and(value) bool_or(value) make_date(year, month, day)",
  duckdb:
    " now() today() date_trunc(unit, time) date_diff(unit, from, to) strftime(time, format) strptime(text, format) make_date(year, month, day)" +
    " string_agg(text, between) list(value) median(value) mode(value) quantile_cont(value, part) arg_max(value, by) arg_min(value, by)" +
    " approx_count_distinct(value) histogram(value) unnest(list) range(from, to) generate_series(from, to) list_filter(list, lambda x: …)" +
    " list_transform(list, lambda x: …) list_contains(list, value) struct_pack(name := value) json_extract_string(json, path)" +
    " regexp_matches(text, pattern) regexp_extract(text, pattern) regexp_replace(text, pattern, by) split_part(text, between, n)" +
    " greatest(a, b, …) least(a, b, …) concat(a, b, …) ceil(x) floor(x)",
  sqlite:
    " date(time) datetime(time) strftime(format, time) julianday(time) group_concat(text, between) ifnull(a, b) iif(test, a, b)" +
    " instr(text, part) json_extract(json, path) json_group_array(value) json_each(json) total(value) printf(format, value)",
  mysql:
    " now() curdate() date_format(time, format) str_to_date(text, format) date_add(time, INTERVAL n unit) timestampdiff(unit, from, to)" +
    " year(time) month(time) last_day(date) concat(a, b, …) concat_ws(between, a, b, …) group_concat(value) ifnull(a, b) if(test, a, b)" +
    " greatest(a, b, …) least(a, b, …) ceil(x) floor(x) left(text, count) right(text, count) locate(part, text) substring_index(text, between, n)" +
    " regexp_replace(text, pattern, by) find_in_set(part, list) json_extract(json, path) json_value(json, path) json_arrayagg(value)" +
    " json_objectagg(key, value) st_astext(shape) convert(value, type)",
};
const TYPES = {
  postgresql:
    "text integer bigint numeric boolean date timestamp timestamptz time interval uuid jsonb json real double\u00a0precision bytea text[] integer[] bigint[] numeric[]",
  sqlite: "TEXT INTEGER REAL NUMERIC BLOB",
  mysql: "CHAR SIGNED UNSIGNED DECIMAL(10,2) DOUBLE DATE DATETIME TIME BINARY",
  duckdb:
    "VARCHAR INTEGER BIGINT HUGEINT DOUBLE DECIMAL(18,2) BOOLEAN DATE TIMESTAMP TIMESTAMPTZ TIME INTERVAL UUID JSON BLOB VARCHAR[] INTEGER[]",
};
const RESERVED = new Set(
  (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create cross current_date" +
    " current_role current_time current_timestamp current_user default deferrable desc distinct do else end except exists false fetch" +
    " filter for foreign freeze from full grant group having ilike in index initially inner intersect into is isnull join lateral leading" +
    " left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references" +
    " returning right select session_user similar some symmetric table tablesample then to trailing true union unique user using values" +
    " variadic verbose when where window with"
  ).split(" "),
);

/** Keywords of queries in capitals. */
export function keywordsOf(dialect) {
  return (KEYWORDS + MORE_KEYWORDS[dialect]).split(" ");
}

/** Functions that every installation has, as {name, signature}. */
export function functionsOf(dialect) {
  const signatures = (FUNCTIONS + MORE_FUNCTIONS[dialect]).match(/\w+\([^)]*\)/g);
  return signatures.map((signature) => ({ name: signature.slice(0, signature.indexOf("(")), signature }));
}

/** Types that a cast names. */
export function typesOf(dialect) {
  return TYPES[dialect].split(" ").map((name) => name.replace("\u00a0", " "));
}

const RESERVED_BY_MYSQL = new Set(
  (
    "accessible before bigint binary blob call cascade change char character condition continue convert cube cursor database databases dec" +
    " decimal declare delayed describe deterministic div double dual each elseif empty escaped exit explain float force fulltext function" +
    " generated get groups if ignore int integer interval iterate json_table key keys kill lag last_value lead leave lines linear load lock" +
    " long loop match mod modifies nth_value ntile of optimize option out outfile over partition precision procedure purge range rank read" +
    " reads real recursive regexp release rename repeat replace require restrict return revoke rlike row row_number rows schema schemas" +
    " sensitive separator show signal smallint spatial specific sql ssl starting stored straight_join system terminated tinyint trigger undo" +
    " unlock unsigned usage use utc_date utc_time utc_timestamp varbinary varchar varying virtual while write xor year_month zerofill add" +
    " alter by create delete drop index insert set update"
  ).split(" "),
);

/** The name as a statement must write it: in quotes when it would be read as another name or as a keyword. */
export function quoteName(name, dialect) {
  const isPlain = dialect === "postgresql" ? /^[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*$/ : /^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/;
  const isReserved = RESERVED.has(name.toLowerCase()) || (dialect === "mysql" && RESERVED_BY_MYSQL.has(name.toLowerCase()));
  const mark = dialect === "mysql" ? "`" : '"';
  return isPlain.test(name) && !isReserved ? name : mark + name.replaceAll(mark, mark + mark) + mark;
}

/** The name that the database looks for when a statement writes `written`. */
export function unquoteName(written, dialect) {
  const quote = written[0];
  if ('"`['.includes(quote) && written.length > 1) {
    const close = quote === "[" ? "]" : quote;
    return written.slice(1, -1).replaceAll(close + close, close);
  }
  return dialect !== "postgresql" ? written : written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
