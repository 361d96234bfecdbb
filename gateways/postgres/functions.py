"""Which functions of a PostgreSQL server a statement may not call, however the call is spelled."""

import re

from core.errors import StatementError
from core.messages import message
from core.statement import CompiledStatement
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
