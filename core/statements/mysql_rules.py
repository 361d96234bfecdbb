"""What a query of MariaDB or MySQL must not say: words and functions that write, wait, lock or tell of others.

A read-only session and a role with SELECT alone do not stop these, so the statement never reaches the
server. Judged is a text without comments, in which quotes fill the place of each string.
"""

import re
import unicodedata
from math import prod

from core.errors import StatementError
from core.messages import Message, message
from core.statements.lexer import WORD_CHARACTER

# The longest text that a builder may make in one call, and in all calls of a statement together: a
# single call over a long text, such as REPLACE, cannot be stopped by the server.
BUILDER_LIMIT, BUILDERS_LIMIT = 8_192, 1_000_000

_WORDS = frozenset(
    [
        "into",
        "update",
        "lock",
        "procedure",
        "outfile",
        "dumpfile",
        "infile",
        "sql_calc_found_rows",
        "sql_cache",
        "sql_no_cache",
    ]
)
# A word and the next one, which alone are harmless.
_PAIRS = frozenset({("for", "share"), ("next", "value"), ("previous", "value")})
_SCHEMAS = frozenset(
    [
        "information_schema",
        "performance_schema",
        "mysql",
        "sys",
        "mariadb_schema",
        "oracle_schema",
        "ndbinfo",
    ]
)
_FUNCTIONS = frozenset(
    [
        "sleep",
        "benchmark",
        "get_lock",
        "release_lock",
        "release_all_locks",
        "is_free_lock",
        "is_used_lock",
        "master_pos_wait",
        "master_gtid_wait",
        "source_pos_wait",
        "wait_for_executed_gtid_set",
        "wait_until_sql_thread_after_gtids",
        "load_file",
        "nextval",
        "lastval",
        "setval",
        "last_insert_id",
        "uuid_short",
        "row_count",
        "found_rows",
        "name_const",
        "encrypt",
        "des_encrypt",
        "des_decrypt",
        "st_buffer",
        "buffer",
        "kdf",
        "uncompress",
        "sys_exec",
        "sys_eval",
        "sys_get",
        "sys_set",
    ]
)
_FUNCTION_FAMILIES = (
    "spider_",
    "wsrep_",
    "asynchronous_connection_failover_",
    "group_replication_",
)
# Which argument of a builder says how long the text becomes.
_BUILDERS = {"repeat": 1, "lpad": 1, "rpad": 1, "space": 0}
# It makes up to 64 pieces of two texts.
_SETS = {"export_set": 128}
_BLANKS = r"[ \t\n\r\f\v]*+"
_NAME = re.compile(
    rf"(?P<dot>\.{_BLANKS})?(?:`(?P<quoted>(?:[^`]|``)*+)`|(?P<word>{WORD_CHARACTER}++))"
    rf"(?:(?={_BLANKS}(?P<after>[(.])))?"
)
# In .5lock, a number and a word.
_NUMBER_BEFORE = re.compile(r"[0-9]+(?:e[0-9]+)?")
_LENGTH = re.compile(r"\s*+([0-9]{1,4})\s*+")
# Letters that a collation of the server may take for plain ones, and that do not decompose.
_LIKE_LETTERS = str.maketrans({"ß": "s", "ſ": "s", "ı": "i", "ł": "l", "ø": "o", "đ": "d"})


def refuse_words(text: str) -> None:
    """Raise StatementError, at its place, for the first word that no query of a tool may have."""
    factors: list[int] = []
    before, ended = "", -1
    for match in _NAME.finditer(text):
        quoted, word = match["quoted"], match["word"]
        name = _fold(word if quoted is None else quoted.replace("``", "`"))
        start = match.start("word") if quoted is None else match.start("quoted") - 1
        # Behind a number a dot is a part of it: in 1.lock LOCK is a word.
        follows_name = bool(match["dot"]) and not text[ended : match.start()].strip() and ended >= 0
        if quoted is None and not follows_name:
            name = _NUMBER_BEFORE.sub("", name, count=1) if name[0].isdecimal() else name
            if name in _WORDS:
                raise StatementError(_refusal(name), start)
            if (before, name) in _PAIRS:
                raise StatementError(_refusal(f"{before} {name}"), start)
        before = name if quoted is None else ""
        ended = match.end() if quoted is not None or not word[0].isdecimal() else -1
        if match["after"] == "." and name in _SCHEMAS:
            fault = message(
                "statement.schema_denied",
                "{name} is the server's own, and no query of a tool may look there; as the name of a table"
                " in the query, choose another",
                name=name,
            )
            raise StatementError(fault, start)
        if match["after"] == "(":
            factors += _judge_call(text, name, start, match.start("after") + 1)
    if prod(factors) > BUILDERS_LIMIT:
        raise StatementError(
            message(
                "statement.texts_too_long",
                "REPEAT, LPAD, RPAD, SPACE and EXPORT_SET together would make texts of more than"
                " {limit} characters; let them make shorter ones",
                limit=BUILDERS_LIMIT,
            )
        )


def _refusal(words: str) -> Message:
    return message(
        "statement.word_denied",
        "{name} is not allowed in a query of a tool: it writes, locks or reaches outside; leave it out",
        name=words.upper(),
    )


def _judge_call(text: str, name: str, start: int, inside: int) -> list[int]:
    """By how much the call makes texts longer; `inside` is where its arguments begin."""
    if name in _FUNCTIONS or name.startswith(_FUNCTION_FAMILIES):
        raise StatementError(
            message(
                "statement.function_denied",
                "function {name} is not allowed on this source: one that waits, locks, writes, reaches"
                " outside, runs text as SQL or changes the session cannot be called from a tool; leave it"
                " out",
                name=name,
            ),
            start,
        )
    if name in _SETS:
        return [_SETS[name]]
    if name not in _BUILDERS:
        return []
    arguments = _split_arguments(text, inside)
    place = _BUILDERS[name]
    length = _LENGTH.fullmatch(arguments[place]) if place < len(arguments) else None
    if length is None or int(length[1]) > BUILDER_LIMIT:
        raise StatementError(
            message(
                "statement.text_length",
                "{name} needs its length as a number of at most {limit}, which stands in the query",
                name=name.upper(),
                limit=BUILDER_LIMIT,
            ),
            start,
        )
    return [max(int(length[1]), 1)]


def _split_arguments(text: str, start: int) -> list[str]:
    """The arguments of the call whose bracket ends before `start`."""
    depth, begin, found = 0, start, []
    for at in range(start, len(text)):
        letter = text[at]
        if letter == "(":
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
        elif letter in ",)" and not depth:
            found.append(text[begin:at])
            begin = at + 1
            if letter == ")":
                break
    return found


def _fold(name: str) -> str:
    """The name as the most lenient collation would compare it."""
    if name.isascii():
        return name.lower()
    letters = unicodedata.normalize("NFKD", name.translate(_LIKE_LETTERS).casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()
