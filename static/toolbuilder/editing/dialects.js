// What is otherwise in each dialect of SQL: an entry for each, and the next dialect is one more. How names are quoted and read, in words.js and lexer.js.
import { MariaSQL, PostgreSQL, SQLite } from "codemirror";

const LETTER = "A-Za-z_\\u{80}-\\u{10ffff}";
const WORD = `[${LETTER}][${LETTER}0-9$]*`;
const NUMBER = `[0-9]+(?:${WORD})?`;
const NAME = "[\\p{L}\\p{Nl}\\p{No}_][\\p{L}\\p{N}_]*";
const SHARED = {
  blank: "[ \\t\\n\\r\\f\\v]+",
  template: `\\{\\{\\s*${NAME}\\s*\\}\\}`,
  colonName: `:${NAME}`,
};
const LAST = { number: NUMBER, open: "[(\\[]", close: "[)\\]]", operator: "[~!@#^&|`?+*%<>=.,\\-/]", other: "." };

export const CONTINUES_WORD = new RegExp(`[${LETTER}0-9$]`, "u");
const KEYWORDS =
  "SELECT DISTINCT FROM WHERE AND OR NOT NULL IS IN EXISTS BETWEEN LIKE CASE WHEN THEN ELSE END AS ON USING JOIN INNER LEFT RIGHT FULL" +
  " CROSS OUTER NATURAL GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET UNION ALL INTERSECT EXCEPT WITH RECURSIVE VALUES" +
  " OVER PARTITION WINDOW ROWS RANGE PRECEDING FOLLOWING UNBOUNDED FILTER CAST COLLATE TRUE FALSE CURRENT_DATE CURRENT_TIME" +
  " CURRENT_TIMESTAMP ESCAPE";
const FUNCTIONS =
  "count(*) sum(value) avg(value) min(value) max(value) coalesce(value, …) nullif(a, b) abs(x) round(x, digits) lower(text) upper(text)" +
  " length(text) trim(text) replace(text, from, to) substr(text, from, count) row_number() rank() dense_rank() lag(value) lead(value)" +
  " first_value(value) last_value(value) ntile(n)";
const RESERVED =
  "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create cross current_date" +
  " current_role current_time current_timestamp current_user default deferrable desc distinct do else end except exists false fetch" +
  " filter for foreign freeze from full grant group having ilike in index initially inner intersect into is isnull join lateral leading" +
  " left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references" +
  " returning right select session_user similar some symmetric table tablesample then to trailing true union unique user using values" +
  " variadic verbose when where window with";
const RESERVED_WORDS = new Set(RESERVED.split(" "));
const POSTGRESQL_TOKENS = {
  comment: "--[^\\n\\r]*|/\\*",
  escapeText: "[eE]'[^'\\\\]*(?:(?:\\\\.|'')[^'\\\\]*)*(?:'|$)",
  text: "(?:[uU]&|[bBxXnN])?'[^']*(?:''[^']*)*(?:'|$)",
  quotedName: '(?:[uU]&)?"[^"]*(?:""[^"]*)*(?:"|$)',
  dollarText: `\\$(?:[${LETTER}][${LETTER}0-9]*)?\\$`,
  cast: "::|:=",
  ...SHARED,
  word: WORD,
  ...LAST,
};

/**
 * By name: `tokens`, patterns by kind in the order in which they are tried; `language` of CodeMirror; `layout`, the formatter's dialect;
 * `keywords`, `functions` and `types` that queries use; `reserved` words, and the `mark` around a name. `readsAsPostgresql`: comments nest,
 * and {{name}} is a parameter anywhere; `foldsToSmall`: names without quotes are small; `hasLists`: [[1], [2]] is a value.
 */
const DIALECTS = {
  postgresql: {
    tokens: POSTGRESQL_TOKENS,
    language: PostgreSQL,
    layout: "postgresql",
    keywords:
      KEYWORDS +
      " ILIKE SIMILAR TO ANY SOME ARRAY LATERAL INTERVAL FETCH NEXT ONLY MATERIALIZED ROLLUP CUBE GROUPING SETS WITHIN TABLESAMPLE AT TIME ZONE",
    functions:
      FUNCTIONS +
      " now() date_trunc(unit, time) to_char(value, format) to_date(text, format) extract(field FROM time) age(time) string_agg(text, between)" +
      " array_agg(value) jsonb_agg(value) jsonb_build_object(key, value, …) json_agg(value) unnest(array) generate_series(from, to, step)" +
      " greatest(a, b, …) least(a, b, …) ceil(x) floor(x) concat(a, b, …) split_part(text, between, n) regexp_replace(text, pattern, by)" +
      " position(part IN text) percentile_cont(part) bool_and(value) bool_or(value) make_date(year, month, day)",
    types:
      "text integer bigint numeric boolean date timestamp timestamptz time interval uuid jsonb json real double\u00a0precision bytea text[] integer[] bigint[] numeric[]",
    reserved: RESERVED_WORDS,
    mark: '"',
    readsAsPostgresql: true,
    foldsToSmall: true,
  },
  sqlite: {
    tokens: {
      comment: "--[^\\n]*|/\\*",
      text: "[xX]?'[^']*(?:''[^']*)*(?:'|$)",
      clause: "\\[\\[",
      quotedName: '"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\\[[^\\]]*(?:\\]|$)',
      cast: "::",
      ...SHARED,
      word: WORD,
      ...LAST,
    },
    language: SQLite,
    layout: "sqlite",
    keywords: KEYWORDS + " GLOB REGEXP INDEXED",
    functions:
      FUNCTIONS +
      " date(time) datetime(time) strftime(format, time) julianday(time) group_concat(text, between) ifnull(a, b) iif(test, a, b)" +
      " instr(text, part) json_extract(json, path) json_group_array(value) json_each(json) total(value) printf(format, value)",
    types: "TEXT INTEGER REAL NUMERIC BLOB",
    reserved: RESERVED_WORDS,
    mark: '"',
  },
  mysql: {
    tokens: {
      comment: "--(?=[\\x01-\\x20\\x7f]|$)[^\\n]*|#[^\\n]*|/\\*",
      text: "[xXbBnN]?'[^'\\\\]*(?:(?:\\\\.|'')[^'\\\\]*)*(?:'|$)|\"[^\"\\\\]*(?:(?:\\\\.|\"\")[^\"\\\\]*)*(?:\"|$)",
      clause: "\\[\\[",
      quotedName: "`[^`]*(?:``[^`]*)*(?:`|$)",
      cast: "::|:=",
      ...SHARED,
      word: WORD,
      ...LAST,
    },
    language: MariaSQL,
    layout: "mariadb",
    keywords: KEYWORDS + " REGEXP RLIKE DIV MOD XOR INTERVAL SEPARATOR STRAIGHT_JOIN USE INDEX SOME ANY",
    functions:
      FUNCTIONS +
      " now() curdate() date_format(time, format) str_to_date(text, format) date_add(time, INTERVAL n unit) timestampdiff(unit, from, to)" +
      " year(time) month(time) last_day(date) concat(a, b, …) concat_ws(between, a, b, …) group_concat(value) ifnull(a, b) if(test, a, b)" +
      " greatest(a, b, …) least(a, b, …) ceil(x) floor(x) left(text, count) right(text, count) locate(part, text) substring_index(text, between, n)" +
      " regexp_replace(text, pattern, by) find_in_set(part, list) json_extract(json, path) json_value(json, path) json_arrayagg(value)" +
      " json_objectagg(key, value) st_astext(shape) convert(value, type)",
    types: "CHAR SIGNED UNSIGNED DECIMAL(10,2) DOUBLE DATE DATETIME TIME BINARY",
    reserved: new Set(
      (
        RESERVED +
        " accessible before bigint binary blob call cascade change char character condition continue convert cube cursor database databases dec" +
        " decimal declare delayed describe deterministic div double dual each elseif empty escaped exit explain float force fulltext function" +
        " generated get groups if ignore int integer interval iterate json_table key keys kill lag last_value lead leave lines linear load lock" +
        " long loop match mod modifies nth_value ntile of optimize option out outfile over partition precision procedure purge range rank read" +
        " reads real recursive regexp release rename repeat replace require restrict return revoke rlike row row_number rows schema schemas" +
        " sensitive separator show signal smallint spatial specific sql ssl starting stored straight_join system terminated tinyint trigger undo" +
        " unlock unsigned usage use utc_date utc_time utc_timestamp varbinary varchar varying virtual while write xor year_month zerofill add" +
        " alter by create delete drop index insert set update"
      ).split(" "),
    ),
    mark: "`",
  },
  duckdb: {
    tokens: POSTGRESQL_TOKENS,
    language: PostgreSQL,
    layout: "postgresql",
    keywords:
      KEYWORDS +
      " ILIKE SIMILAR TO GLOB ANY LATERAL INTERVAL QUALIFY SAMPLE PIVOT UNPIVOT ASOF SEMI ANTI POSITIONAL EXCLUDE REPLACE COLUMNS MATERIALIZED" +
      " ROLLUP CUBE GROUPING SETS AT TIME ZONE TRY_CAST",
    functions:
      FUNCTIONS +
      " now() today() date_trunc(unit, time) date_diff(unit, from, to) strftime(time, format) strptime(text, format) make_date(year, month, day)" +
      " string_agg(text, between) list(value) median(value) mode(value) quantile_cont(value, part) arg_max(value, by) arg_min(value, by)" +
      " approx_count_distinct(value) histogram(value) unnest(list) range(from, to) generate_series(from, to) list_filter(list, lambda x: …)" +
      " list_transform(list, lambda x: …) list_contains(list, value) struct_pack(name := value) json_extract_string(json, path)" +
      " regexp_matches(text, pattern) regexp_extract(text, pattern) regexp_replace(text, pattern, by) split_part(text, between, n)" +
      " greatest(a, b, …) least(a, b, …) concat(a, b, …) ceil(x) floor(x)",
    types:
      "VARCHAR INTEGER BIGINT HUGEINT DOUBLE DECIMAL(18,2) BOOLEAN DATE TIMESTAMP TIMESTAMPTZ TIME INTERVAL UUID JSON BLOB VARCHAR[] INTEGER[]",
    reserved: RESERVED_WORDS,
    mark: '"',
    readsAsPostgresql: true,
    hasLists: true,
  },
};

/** The dialect of that name, PostgreSQL for an unknown one. */
export function dialectOf(name) {
  return DIALECTS[name] ?? DIALECTS.postgresql;
}
