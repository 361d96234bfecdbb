"""Mending a statement by what the database said about it, and spoiling one for tests."""

import difflib
import re

from tests.agents.demo_llm.schema import Schema

_MISSING = re.compile(r"column [\"']?([\w.]+)[\"']? does not exist", re.IGNORECASE)
_HINT = re.compile(r"Perhaps you meant to reference the column [\"']?([\w.]+)[\"']?", re.IGNORECASE)


def mend(sql: str, feedback: str, schema: Schema) -> str:
    """The statement with the missing column replaced by the hint's, else by the likest known one."""
    missing, hint = _MISSING.search(feedback), _HINT.search(feedback)
    if missing is None:
        return sql
    wrong = missing[1].rpartition(".")[2]
    known = [name for _, name in schema.columns]
    right = [hint[1].rpartition(".")[2]] if hint else difflib.get_close_matches(wrong, known, n=1)
    return re.sub(rf"\b{re.escape(wrong)}\b", right[0], sql) if right else sql


def misspell(sql: str, names: list[str]) -> str:
    """The statement with a letter missing in the first of the names that it has."""
    for name in names:
        if len(name) > 2 and re.search(rf"\b{name}\b", sql):
            return re.sub(rf"\b{name}\b", name[:2] + name[3:], sql)
    return sql
