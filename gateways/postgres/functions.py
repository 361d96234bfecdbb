"""Which functions of a PostgreSQL server a statement may not call, however the call is spelled."""

import re

from core.errors import StatementError
from core.messages import message
from core.statement import CompiledStatement
from core.statements.keywords import RESERVED
from core.statements.lexer import WORD, fold
from core.statements.postgresql import PostgresqlLexer

# Functions that run a text as SQL although the server has them for mere readers, and those that use
# up a transaction number.
_STABLE_NAMES = (
    "crosstab crosstab2 crosstab3 crosstab4 connectby xpath_table txid_current pg_current_xact_id"
)
# Functions that take SQL text or reach beyond their own transaction are all volatile, but for the
# names above. Those of the user are volatile by default, so they are left to the read-only transaction.
DENIED_SQL = f"""
SELECT DISTINCT proname FROM pg_catalog.pg_proc AS p
WHERE (provolatile = 'v' OR proname = ANY('{{{_STABLE_NAMES.replace(" ", ",")}}}'))
AND NOT 'internal'::regtype::oid = ANY(proargtypes::oid[])
AND (pronamespace = 'pg_catalog'::regnamespace OR EXISTS (
    SELECT FROM pg_catalog.pg_depend AS d
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
AND proname !~ '^pg_[a-z]+_size$'"""  # noqa: S608 - the names are ours
_HARMLESS_NAMES = (
    "random random_normal clock_timestamp timeofday gen_random_uuid uuidv4 uuidv7 array_shuffle"
    " array_sample pg_is_in_recovery current_query uuid_generate_v1 uuid_generate_v1mc"
    " uuid_generate_v4 gen_random_bytes normal_rand pg_partition_tree pg_partition_ancestors"
)
HARMLESS_FUNCTIONS = frozenset(_HARMLESS_NAMES.split())

_USUAL_NAMES = """
abs acos age array_agg array_length array_to_string ascii asin atan atan2 avg bit_and bit_or bool_and
bool_or btrim cardinality ceil ceiling char_length character_length chr coalesce concat concat_ws corr
cos count covar_pop covar_samp cume_dist date date_part date_trunc degrees dense_rank div every exp
extract first_value floor format generate_series greatest initcap isfinite json_agg json_array_elements
json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
json_extract_path json_extract_path_text json_object_agg json_object_keys json_typeof jsonb_agg
jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text
jsonb_object_agg jsonb_object_keys jsonb_typeof lag last_value lead least left length ln log log10
lower lpad ltrim make_date max md5 min mod mode now nth_value ntile nullif octet_length overlay
percent_rank percentile_cont percentile_disc pi position pow power radians rank regexp_replace
regr_slope replace reverse right round row_number rpad rtrim sign sin split_part sqrt starts_with
stddev stddev_pop stddev_samp string_agg string_to_array strpos substr substring sum tan to_char
to_date to_json to_jsonb to_number to_timestamp translate trim trunc unnest upper var_pop var_samp
variance width_bucket
"""
USUAL_FUNCTIONS = frozenset(_USUAL_NAMES.split())
_TYPES_WITH_SIZE = (
    "bit char character decimal float interval numeric time timestamp varchar varying"
)
_BEFORE_BRACKETS = RESERVED | frozenset(
    f"by cube exists filter is over rollup row sets within {_TYPES_WITH_SIZE}".split()
)
_NAMING = frozenset({"as", "with", "recursive"})
_TREAT_TEXT = message(
    "statement.no_treat",
    "TREAT is not allowed on this source: it calls the function that is named"
    " like the type; write a cast such as value::bigint",
)
_BLANKS = r"[ \t\n\r\f\v]*+"
_WORD = re.compile(WORD)
_UNICODE_NAME = re.compile(r'[uU]&"')  # It may spell any name; the lexer refuses it.
_NAME = re.compile(
    rf'(?P<dot>\.{_BLANKS})?(?P<name>"(?P<quoted>(?:[^"]|"")*+)"|(?P<word>{WORD}))'
    rf"(?P<call>{_BLANKS}\()?"
)
_PLAIN_NAME = rf'{_BLANKS}(?:"(?:[^"]|"")*+"|{WORD}){_BLANKS}'
# Behind the name of a further query of WITH. Not `AS (a int)`, which gives the columns of a call their types:
# no column can be called SELECT, TABLE or WITH, and no type begins with a bracket.
_COLUMNS_OF_QUERY = re.compile(
    rf"{_BLANKS}\({_PLAIN_NAME}(?:,{_PLAIN_NAME})*+\){_BLANKS}AS\b{_BLANKS}"
    rf"(?:NOT\b{_BLANKS})?(?:MATERIALIZED\b{_BLANKS})?\("
    rf"[( \t\n\r\f\v]*+(?:(?:SELECT|TABLE|WITH)\b|VALUES{_BLANKS}\()",
    re.IGNORECASE,
)


class _CompiledLexer(PostgresqlLexer):
    """Reads what the compiler has written, $1 included."""

    faults = {kind: text for kind, text in PostgresqlLexer.faults.items() if kind != "numbered"}


def refuse_denied(statement: CompiledStatement, denied: frozenset[str]) -> None:
    """Raise StatementError, at its place, when the statement calls one of the `denied` functions.

    A call is not only `f(x)`: the server calls f for `(x).f`, `alias.f` and `TREAT(x AS f)` as well.
    """
    words = set(map(fold, _WORD.findall(statement.sql)))
    if words.isdisjoint(denied | {"treat"}) and not _UNICODE_NAME.search(statement.sql):
        return
    for match in _NAME.finditer(_blank_literals(statement.sql)):
        # As the server looks it up.
        quoted = match["quoted"]
        name = fold(match["word"]) if quoted is None else quoted.replace('""', '"')
        position = statement.source_position(match.start("name") + 1)
        if name in denied and (match["dot"] or match["call"]):
            text = message(
                "statement.function_denied",
                "function {name} is not allowed on this source: one that waits, locks, writes, reaches"
                " outside, runs text as SQL or changes the session cannot be called from a tool; leave it"
                " out",
                name=name,
            )
            raise StatementError(text, position)
        if name == "treat" and match["call"]:
            raise StatementError(_TREAT_TEXT, position)


def refuse_unusual(statement: CompiledStatement) -> None:
    """Raise StatementError, at its place, for a call of anything but a function that is known to only compute.

    For servers that do not tell which of their functions change something.
    """
    sql = _blank_literals(statement.sql)
    before, word, end = "", "", 0
    for match in _NAME.finditer(sql):
        quoted = match["quoted"]
        name = fold(match["word"]) if quoted is None else quoted.replace('""', '"')
        between = sql[end : match.start()].strip()
        # `AS t(a, b)` and `WITH t(a, b) AS (SELECT ...), u(c) AS (SELECT ...)` name columns.
        is_naming = word in _NAMING or (before, word, name) == ("as", "not", "materialized")
        is_named = (is_naming and not between) or (
            between.endswith(",") and bool(_COLUMNS_OF_QUERY.match(sql, match.end("name")))
        )
        is_field_of_value = match["dot"] and between.endswith(")")
        before, word, end = word, name if quoted is None else "", match.end("name")
        is_usual = name in USUAL_FUNCTIONS or (quoted is None and name in _BEFORE_BRACKETS)
        is_call = match["call"] and not is_named and (match["dot"] or not is_usual)
        if is_call or is_field_of_value:
            text = message(
                "statement.function_unusual",
                "function {name} is not allowed on this source: its server does not tell which functions"
                " change something, so only usual ones can be called",
                name=name,
            )
            raise StatementError(text, statement.source_position(match.start("name") + 1))


def _blank_literals(sql: str) -> str:
    """The text, as long as it was, with blanks for comments and strings."""
    pieces: list[str] = []

    def note(kind: str, position: int, start: int, end: int) -> None:
        plain = sql[position:start]
        is_blank = kind == "comment" or kind.endswith("text")
        pieces.append(PostgresqlLexer.line_comment.sub(lambda found: " " * len(found[0]), plain))
        pieces.append(" " * (end - start) if is_blank else sql[start:end])

    _CompiledLexer(sql).run(note)
    return "".join(pieces)
