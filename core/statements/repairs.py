"""One-click fixes of what a database refused: its own hint, or the nearest name that exists."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.catalogue.near_names import find_near
from core.catalogue.sql_names import quote_name
from core.diagnostics import Fix, use_fix
from core.errors import StatementError
from core.messages import message
from core.statements.function_names import COMMON_FUNCTIONS

_PATH = re.compile(r'(?:"(?:[^"]|"")*"|[^\W\d][\w$]*)(?:\s*\.\s*(?:"(?:[^"]|"")*"|[^\W\d][\w$]*))*')
_PART = re.compile(r'"((?:[^"]|"")*)"|([^\W\d][\w$]*)')
_HINT = re.compile(r'Perhaps you meant to reference the (column|table alias) "([^"]+)"')
_DID_YOU_MEAN = re.compile(r"did you mean (\w+)")
_NO_COLUMN, _NO_TABLE, _NO_FUNCTION = "42703", "42P01", "42883"
_SQLITE_CODES = (
    ("no such column", _NO_COLUMN),
    ("no such table", _NO_TABLE),
    ("no such function", _NO_FUNCTION),
)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names that exist: tables as SQL writes them, and the columns of each alias of the statement."""

    tables: Sequence[str] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)


def place_of(text: str, position: int | None) -> tuple[int, int]:
    """Start and end of what stands at the position: a name with what its dots join, or one character."""
    if position is None or not text:
        return 0, 0
    start = min(max(position, 0), len(text) - 1)
    match = _PATH.match(text, start)
    return match.span() if match else (start, start + 1)


def needs_tables(error: StatementError) -> bool:
    """Whether a fix may be found among the tables of the catalogue."""
    return find_code(error) == _NO_TABLE


def find_code(error: StatementError) -> str:
    """The SQLSTATE of what the database said, SQLite's words included; '' where it has none."""
    if error.code:
        return error.code
    return next((code for words, code in _SQLITE_CODES if words in str(error)), "")


def find_fix(text: str, error: StatementError, known: KnownNames) -> Fix | None:
    """The fix of an error at its position, or None where nothing near exists."""
    if error.position is None:
        return None
    start, end = place_of(text, error.position)
    if start == end:
        return None
    if (semicolon := _fix_semicolon(text, error)) is not None:
        return semicolon
    path = [quoted.replace('""', '"') or plain for quoted, plain in _PART.findall(text[start:end])]
    insert = _by_hint(path, error) or _by_code(path, find_code(error), known)
    if not insert or insert == text[start:end]:
        return None
    return use_fix(insert, start, end)


def find_word_fix(text: str, message: str, position: int | None) -> Fix | None:
    """The fix of a message that ends with `did you mean name?`, at its position."""
    meant = _DID_YOU_MEAN.search(message)
    if meant is None or position is None:
        return None
    match = re.compile(r"[^\W\d]\w*").match(text, position)
    return use_fix(meant[1], *match.span()) if match else None


def _fix_semicolon(text: str, error: StatementError) -> Fix | None:
    if error.position is None or text[error.position : error.position + 1] != ";":
        return None
    return Fix(message("fix.remove_rest", "Remove what follows"), error.position, len(text), "")


def _by_hint(path: list[str], error: StatementError) -> str:
    match = _HINT.search(error.hint)
    if match is None:
        return ""
    meant = match[2].split(".") if match[1] == "column" else [match[2], *path[1:]]
    return ".".join(map(quote_name, meant))


def _by_code(path: list[str], code: str, known: KnownNames) -> str:
    if not path:
        return ""
    match code:
        case "42703":
            return _near_column(path, known)
        case "42P01":
            return _near_table(path, known)
        case "42883":
            return next(iter(find_near(path[-1].lower(), COMMON_FUNCTIONS, 1)), "")
    return ""


def _near_column(path: list[str], known: KnownNames) -> str:
    alias = path[-2] if len(path) > 1 else ""
    of_alias = known.columns.get(alias)
    names = of_alias or [name for columns in known.columns.values() for name in columns]
    near = find_near(path[-1], list(dict.fromkeys(names)), 1)
    if not near:
        return ""
    return ".".join(map(quote_name, [alias, near[0]] if of_alias else near))


def _near_table(path: list[str], known: KnownNames) -> str:
    """Of `alias.column` with an unknown alias the nearest alias, else the nearest table."""
    if len(path) > 1 and (alias := _near_alias(path, known)):
        return ".".join(map(quote_name, [alias, *path[1:]]))
    return next(iter(find_near(".".join(path), known.tables, 1)), "")


def _near_alias(path: list[str], known: KnownNames) -> str:
    having = [alias for alias, names in known.columns.items() if path[-1] in names]
    near = find_near(path[0], list(known.columns), 1)
    return having[0] if len(having) == 1 else next(iter(near), "")
