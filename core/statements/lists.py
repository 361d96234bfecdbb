"""Makes `IN (:ids)` and `NOT IN (:ids)` work for a parameter that is a list."""

import re
from collections.abc import Collection, Iterator

from core.dialects import find_rules
from core.errors import StatementError
from core.messages import message
from core.statements.keywords import QUERY_WORDS
from core.statements.lexer import (
    LETTER_OR_DIGIT,
    NAME,
    TEMPLATE,
    WORD,
    WORD_CHARACTER,
    Placeholder,
    StatementLexer,
)

# In a text without comments and quoted text.
_TOKEN = re.compile(
    rf"\.\s*{WORD}|{LETTER_OR_DIGIT}{WORD_CHARACTER}*+|:{NAME}|{TEMPLATE}|\"+|[^\s]"
)
_QUOTED = frozenset({"text", "double_text", "escape_text", "dollar_text", "quoted_name"})

# What follows the number of a parameter that stands for a list of values.
LIST_MARK = "[]"

Edit = tuple[int, int, str]  # Start and end in the source, and the text instead.
_Tokens = list[re.Match[str]]


def edit_lists(lexer: StatementLexer, edits: list[Edit], list_names: Collection[str]) -> list[Edit]:
    """The edits in rising order, with those that let an IN take a list.

    Raises StatementError for a list beside other values in an IN.
    """
    starts = {use.start: use for use in lexer.placeholders if use.name in list_names}
    if not starts:
        return edits
    tokens = list(_TOKEN.finditer(_blank_quoted(lexer)))
    changed = {edit[0]: edit for edit in edits}
    for index, bracket in _find_in_brackets(tokens, starts):
        if _stands_alone(tokens, index, bracket, starts[tokens[index].start()]):
            start, end, mark = changed[tokens[index].start()]
            word, before = tokens[bracket - 1], tokens[max(bracket - 2, 0)]
            rules = find_rules(lexer.dialect)
            if rules.list_query:
                changed[start] = start, end, rules.list_query.format(mark)
            elif rules.marks_lists:
                # As many marks as the list has items, which only the call knows.
                changed[start] = start, end, f"{mark}{LIST_MARK}"
            elif before[0].lower() == "not":
                changed[before.start()] = *before.span(), "<>"
                changed[word.start()] = *word.span(), "ALL"
            else:
                changed[word.start()] = *word.span(), "= ANY"
    return sorted(changed.values())


def _blank_quoted(lexer: StatementLexer) -> str:
    """The text, as long as it was, with blanks for comments and quotes for what is quoted."""
    pieces: list[str] = []
    text = lexer.text

    def note(kind: str, position: int, start: int, end: int) -> None:
        plain = lexer.line_comment.sub(lambda found: " " * len(found[0]), text[position:start])
        fill = " " if kind == "comment" else '"' if kind in _QUOTED else ""
        pieces.extend((plain, fill * (end - start) or text[start:end]))

    type(lexer)(text).run(note)
    return "".join(pieces)


def _find_in_brackets(tokens: _Tokens, starts: Collection[int]) -> Iterator[tuple[int, int]]:
    """(index of a list's token, index of its bracket) for lists directly inside an `IN (` of values."""
    brackets: list[int] = []
    for index, token in enumerate(tokens):
        if token[0] in {"(", "["}:
            brackets.append(index)
        elif token[0] in {")", "]"}:
            brackets.pop()
        elif token.start() in starts and brackets and brackets[-1]:
            bracket = brackets[-1]
            is_query = tokens[bracket + 1][0].lower() in QUERY_WORDS
            if tokens[bracket - 1][0].lower() == "in" and not is_query:
                yield index, bracket


def _stands_alone(tokens: _Tokens, index: int, bracket: int, use: Placeholder) -> bool:
    """Whether the bracket holds the list alone; False where the list is a part of a value."""
    is_first, is_last = index == bracket + 1, tokens[index + 1][0] == ")"
    if is_first and is_last:
        return True
    if (is_first or tokens[index - 1][0] == ",") and (is_last or tokens[index + 1][0] == ","):
        raise StatementError(
            message(
                "statement.list_alone",
                "{name} is a list, so it stands alone: write IN (:{name}), and compare with"
                " other values apart, joined by OR",
                name=use.name,
            ),
            use.start,
        )
    return False
