"""What the editor offers in Python: functions, methods and constants of expressions and scripts, and their words."""

from functools import cache
from typing import Any

from core.expressions.numbers import CONSTANTS
from core.expressions.table import Function
from core.scripts.functions import SCRIPT_FUNCTIONS, SCRIPT_METHODS
from core.scripts.names import RESULT

KEYWORDS = (
    *(
        "and",
        "assert",
        "break",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
    ),
    *("if", "in", "is", "lambda", "not", "or", "pass", "raise", "return", "try", "while"),
    *("True", "False", "None"),
)


@cache
def completion_data() -> dict[str, Any]:
    """Functions, methods, constants and keywords as the editor's Python completion takes them, by name.

    A method that several kinds of value have in the same form is listed once, with their names.
    """
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for kind, methods in SCRIPT_METHODS.items():
        for name, method in methods.items():
            form = (name, name + _signature(method, skipped=1), method.doc)
            kinds.setdefault(form, []).append(kind.__name__)
    return {
        "functions": [
            {"name": name, "signature": name + _signature(function), "comment": function.doc}
            for name, function in sorted(SCRIPT_FUNCTIONS.items())
        ],
        "methods": [
            {"name": name, "signature": signature, "comment": f"{', '.join(owners)}: {doc}"}
            for (name, signature, doc), owners in sorted(kinds.items())
        ],
        "constants": [{"name": name, "comment": value.doc} for name, value in CONSTANTS.items()],
        "keywords": [*KEYWORDS, RESULT],
    }


def _signature(function: Function, skipped: int = 0) -> str:
    """Without the first so many parameters; a method is called on its first one."""
    parameters = list(function.signature.parameters.values())
    return str(function.signature.replace(parameters=parameters[skipped:]))
