"""Names for new tools, made of a query or a table."""

import re

from core.statement import STATEMENT_BYTE_LIMIT, make_lexer
from core.statements.comparisons import find_clauses, find_comparisons
from core.statements.names import find_used_names
from core.statements.tokens import TokenKind, read_tokens
from core.toolspec import SqlLogic
from toolbuilder.editing.drafts import MAX_NAME_CHARACTERS, choose_free_name

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def to_identifier(text: str, otherwise: str) -> str:
    """The text as a name of small letters, digits and underscores; `otherwise` if too little is left."""
    name = _NOT_IN_NAMES.sub("_", text.lower()).strip("_")[: MAX_NAME_CHARACTERS // 2].rstrip("_")
    return name if len(name) > 1 and name[0].isalpha() else otherwise


def suggest_name(logic: SqlLogic) -> str:
    """A free name such as `orders_by_region`: the query's first table, and what it groups or finds by."""
    if len(logic.statement) > STATEMENT_BYTE_LIMIT:
        return choose_free_name("query")
    blocks = find_used_names(logic.statement, logic.dialect)
    tables = [table.path[-1] for block in blocks for table in block.tables]
    name = to_identifier(tables[0] if tables else "", "query")
    compared = find_comparisons(logic.statement, logic.dialect)
    wheres = (comparison.column[-1] for comparison in compared if comparison.clause == "where")
    column = to_identifier(_find_grouped(logic) or next(wheres, ""), "")
    return choose_free_name(f"{name}_by_{column}" if column and column != name else name)


def _find_grouped(logic: SqlLogic) -> str:
    """The last part of the first name behind GROUP BY, '' if there is none or it is called."""
    tokens = read_tokens(make_lexer(logic.statement, logic.dialect))
    name = ""
    for token, clause in zip(tokens, find_clauses(tokens), strict=True):
        if clause != "group" or token.is_word("group", "by"):
            continue
        if token.is_name:
            name = token.text
        elif not token.is_mark("."):
            return "" if token.kind is TokenKind.OPEN else name
    return name
