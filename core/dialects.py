"""What is otherwise in each dialect of SQL; its module in core/statements, which is named like it, says so in RULES."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from core.statements.lexer import NumberedLexer, StatementLexer
from core.toolspec import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionCode:
    """How SQLAlchemy reaches a database: `engine` is a format with {address}."""

    url_form: str
    packages: str
    engine: str
    imports: tuple[str, ...] = ("import os",)
    names: str = "create_engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectRules:
    """`label` is the database's name for people; `numbered` reads parameters that are marked $1 or ?.

    Names: the `name_mark` around them, words that are none besides, whether any case means the same,
    and how many bytes of one count. `column_catalogue` lists all columns; `has_schemas` says that
    tables are named with one. `joined` is a format that makes one text of several, with `between` them.

    `list_query` is a format of a query that gives the items of a list, '' where IN takes the list
    otherwise; an absent list is NULL, which finds nothing. With `marks_lists` a list has as many marks
    as items. With `has_backslashes` a backslash begins an escape in every text. Numbered parameters begin
    with `number_mark`; where it is '', each `?` is the next one.
    `error_codes` are pairs of words and the SQLSTATE of what says them; `snippets` are the editor's
    pieces of statements that are otherwise in each dialect.
    """

    label: str
    lexer: type[StatementLexer]
    numbered: type[NumberedLexer]
    code: ConnectionCode
    name_mark: str = '"'
    reserved_words: frozenset[str] = frozenset()
    folds_names: bool = True
    name_bytes: int | None = None
    column_catalogue: str = "information_schema.columns"
    has_schemas: bool = False
    between: str = " || "
    joined: str = "{}"
    list_query: str = ""
    marks_lists: bool = False
    number_mark: str = "$"
    numbers_lists: bool = False
    takes_null_limit: bool = True
    has_backslashes: bool = False
    error_codes: tuple[tuple[str, str], ...] = ()
    snippets: Mapping[str, str] = field(default_factory=dict)


@cache
def find_rules(dialect: Dialect) -> DialectRules:
    """The rules of a dialect."""
    rules: DialectRules = import_module(f"core.statements.{dialect.value}").RULES
    return rules
