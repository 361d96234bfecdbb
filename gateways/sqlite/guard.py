"""What a statement may do on an SQLite file: the rules, and the limits of SQLite itself."""

import sqlite3
from collections.abc import Iterable

from core.messages import Message, message

_ALLOWED_FUNCTIONS = """
-> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char coalesce concat
concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime degrees
dense_rank exp first_value floor format geopoly_area geopoly_bbox geopoly_blob geopoly_ccw
geopoly_contains_point geopoly_group_bbox geopoly_json geopoly_overlap geopoly_regular geopoly_svg
geopoly_within geopoly_xform glob group_concat hex highlight if ifnull iif instr json json_array
json_array_insert json_array_length json_error_position json_extract json_group_array
json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace
json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array
jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim match
matchinfo max median min mod nth_value ntile nullif octet_length offsets percent_rank percentile
percentile_cont percentile_disc pi pow power printf quote radians random randomblob rank replace
round row_number rtrim sign sin sinh snippet soundex sqlite_version sqrt strftime string_agg substr
substring subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr
unistr_quote unixepoch unlikely upper zeroblob
"""
# Table-valued functions of SQLite's own; every other one shows its inner workings.
_ALLOWED_MODULES = frozenset(
    {"json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series"}
)
# Modules that a build may have without listing them before their first use.
_INNER_MODULES = frozenset({"bytecode", "dbstat", "sqlite_dbpage", "sqlite_stmt", "tables_used"})
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_WRITING = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
# FTS asks for these as it opens its tables.
_ALLOWED_PRAGMAS = frozenset({"data_version", "page_size"})
_STRUCTURE_PRAGMAS = frozenset({"table_xinfo", "foreign_key_list"})
_SCHEMA_TABLES = frozenset({"sqlite_master", "sqlite_schema"})
_COMMAND_WORDS = (
    "ALTER_TABLE ANALYZE ATTACH CREATE_INDEX CREATE_TABLE CREATE_TEMP_INDEX CREATE_TEMP_TABLE"
    " CREATE_TEMP_TRIGGER CREATE_TEMP_VIEW CREATE_TRIGGER CREATE_VIEW CREATE_VTABLE DELETE DETACH"
    " DROP_INDEX DROP_TABLE DROP_TEMP_INDEX DROP_TEMP_TABLE DROP_TEMP_TRIGGER DROP_TEMP_VIEW"
    " DROP_TRIGGER DROP_VIEW DROP_VTABLE INSERT PRAGMA REINDEX SAVEPOINT TRANSACTION UPDATE"
)
_COMMANDS: dict[int, str] = {
    getattr(sqlite3, f"SQLITE_{word}"): word.replace("_", " ") for word in _COMMAND_WORDS.split()
}
# The attached files and the helper threads are none, so nothing leaves the file or the thread.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 1_000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 127,
}

ALLOWED_FUNCTIONS = frozenset(_ALLOWED_FUNCTIONS.split())


class SqliteGuard:
    """The authorizer of one connection: only reading, only known functions.

    Tables of the file may be read, `sqlite_master` too: as PostgreSQL's catalogue, it tells their
    structure and nothing else. `virtual_tables` are those of the file; `modules` the names of all
    modules, which would be readable as tables without standing in the file. `refusal` says in words
    what was refused first, `functions` what was called and `reads` which columns of which tables, or
    '' for a table of which none was named, since `begin`. With `tells_structure`, the columns and
    foreign keys of a table may be asked for.
    """

    def __init__(self, virtual_tables: Iterable[str], modules: Iterable[str]) -> None:
        self.refusal: Message | None = None
        self.functions: set[str] = set()
        self.reads: set[tuple[str, str]] = set()
        self.tells_structure = False
        # R-trees compile their writing statements when they are opened for reading.
        self._shadows = tuple(f"{name.lower()}_" for name in virtual_tables)
        self._inner = (frozenset(modules) | _INNER_MODULES) - _ALLOWED_MODULES

    def begin(self) -> None:
        """Forget what was asked for another statement."""
        self.refusal = None
        self.functions.clear()
        self.reads.clear()

    def authorize(self, action: int, *names: str | None) -> int:
        """SQLITE_OK, SQLITE_DENY, or SQLITE_IGNORE for what does nothing."""
        first, second = (names[0] or "").lower(), names[1] or ""
        if action in _READING:
            self._note_read(names[-1] or "", "")
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            self._note_read(names[0] or "", second)
            if not first.startswith("pragma_") and first not in self._inner:
                return sqlite3.SQLITE_OK
            return self._refuse(
                message(
                    "statement.table_refused",
                    "table {table} is not allowed on this source",
                    table=first,
                )
            )
        if action == sqlite3.SQLITE_FUNCTION:
            function = second.lower()
            self.functions.add(function)
            if function in ALLOWED_FUNCTIONS:
                return sqlite3.SQLITE_OK
            return self._refuse(
                message(
                    "statement.function_refused",
                    "function {name} is not allowed on this source",
                    name=function,
                )
            )
        return self._judge_command(action, first, second)

    def _judge_command(self, action: int, name: str, value: str) -> int:
        """`name` is that of a table, or of a pragma with its value."""
        if action == sqlite3.SQLITE_UPDATE and name in _SCHEMA_TABLES:
            # Asked whenever a virtual table is opened, although nothing is written.
            return sqlite3.SQLITE_IGNORE
        if action in _WRITING and name.startswith(self._shadows):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA:
            tells_structure = name in _STRUCTURE_PRAGMAS and self.tells_structure
            if tells_structure or (name in _ALLOWED_PRAGMAS and not value):
                return sqlite3.SQLITE_OK
        return self._refuse(
            message(
                "statement.command_refused",
                "{command} is not allowed; only queries are served",
                command=_COMMANDS.get(action, "this"),
            )
        )

    def _note_read(self, table: str, column: str) -> None:
        if table:
            self.reads.add((table, column))

    def _refuse(self, refusal: Message) -> int:
        self.refusal = self.refusal or refusal
        return sqlite3.SQLITE_DENY


def set_limits(connection: sqlite3.Connection) -> None:
    """Lower SQLite's own limits to what queries need; that of a value's length is left alone."""
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
