"""Statements whose parameters have numbers, as $1 or ?, and the same with names, as :name."""

from collections.abc import Collection, Sequence

from core.dialects import find_rules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import StatementLexer, continues_word
from core.statements.lists import Edit, edit_lists
from core.toolspec import Dialect


def name_placeholders(statement: str, names: Sequence[str], dialect: Dialect) -> str:
    """The statement with :name instead of $1 or ?; `names` are in the order of the numbers.

    Raises StatementError for a number without a name, and for a text that is no statement.
    """
    lexer = find_rules(dialect).numbered(statement)
    lexer.run()
    edits: list[Edit] = [(at, at, " ") for at in lexer.colons]
    for use in lexer.uses:
        if not 1 <= use.number <= len(names):
            raise StatementError(
                message(
                    "statement.number_without_parameter",
                    "the statement has parameter {number}, and {count} are declared",
                    number=use.number,
                    count=len(names),
                ),
                use.start,
            )
        name = names[use.number - 1]
        is_glued = continues_word(statement, use.end)
        mark = f"{{{{{name}}}}}" if use.needs_braces else f":{name}"
        edits.append((use.start, use.end, f"{mark} " if is_glued else mark))
    return _apply(statement, edits)


def number_placeholders(lexer: StatementLexer, names: Sequence[str], lists: Collection[str]) -> str:
    """The statement of a lexer that has run, with $1, ?1 or ? for :name; the number is its place in `names`.

    `lists` are the parameters that may stand alone in IN (:ids). Raises StatementError for a name that
    is not declared, and for a list that needs more than a number.
    """
    rules = find_rules(lexer.dialect)
    if missing := [use for use in lexer.placeholders if use.name not in names]:
        raise StatementError(
            message("statement.name_undeclared", "{name} is not declared", name=missing[0].name),
            missing[0].start,
        )
    if lists and not rules.numbers_lists:
        raise StatementError(
            message(
                "statement.no_numbered_lists",
                "{database} takes no list for a number",
                database=rules.label,
            )
        )
    edits: list[Edit] = [
        (use.start, use.end, f"{rules.number_mark}{names.index(use.name) + 1}")
        for use in lexer.placeholders
    ]
    if not rules.number_mark:
        # Its marks have no numbers: each stands for the next parameter.
        if [use.name for use in lexer.placeholders] != list(names):
            raise StatementError(
                message(
                    "statement.marks_in_order",
                    "parameters that are marked ? stand in the query once each, in their order",
                )
            )
        edits = [(start, end, "?") for start, end, _mark in edits]
    return _apply(lexer.text, edit_lists(lexer, edits, lists))


def _apply(text: str, edits: Sequence[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
