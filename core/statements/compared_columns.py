"""Which columns of which tables each parameter of a statement is compared with."""

import re
from collections import defaultdict
from collections.abc import Mapping

from core.statements.comparisons import find_comparisons
from core.statements.names import find_used_names
from core.toolspec import Dialect

_PARAMETER = re.compile(r"(?<!:):(\w+)")
# Where the expression ends that a comparison goes on with, as in `LIKE '%' || :word || '%'`.
_EXPRESSION_END = re.compile(
    r"[,;]|\b(?:and|or|where|group|having|order|limit|union|then|else|end)\b", re.IGNORECASE
)

# A column and the tables that may have it, by their names in the statement.
ComparedColumn = tuple[str, frozenset[str]]


def find_compared_columns(
    text: str, dialect: Dialect = Dialect.POSTGRESQL
) -> Mapping[str, frozenset[ComparedColumn]]:
    """By parameter; a column without a table's name before it may be of any table of the statement."""
    tables = {
        mention.alias.casefold(): mention.path[-1]
        for block in find_used_names(text, dialect)
        for mention in block.tables
    }
    every_table = frozenset(tables.values())
    found: dict[str, set[ComparedColumn]] = defaultdict(set)
    for comparison in find_comparisons(text, dialect):
        *qualifiers, name = comparison.column
        table = tables.get(qualifiers[-1].casefold()) if qualifiers else None
        column = (name, frozenset({table}) if table else every_table)
        last = comparison.values[-1]
        rest = _EXPRESSION_END.split(text[last.end :], maxsplit=1)[0]
        parts = [text[value.start : value.end] for value in comparison.values]
        for parameter in _PARAMETER.findall(
            " ".join([*parts, *([] if comparison.is_whole else [rest])])
        ):
            found[parameter].add(column)
    return {parameter: frozenset(columns) for parameter, columns in found.items()}
