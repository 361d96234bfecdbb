"""Scripts: several lines of Python over the parameters of a tool; here they are checked, not run.

A script has the functions, methods and operators of expressions, and statements: assignments, `if`,
loops, functions, `try`. Its value is what `result` has at the end, or else its last line. It runs in a
process of its own, by `gateways.scripts`.
"""

import ast
import tokenize
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from typing import ClassVar
from unicodedata import normalize

from core.errors import ExpressionError
from core.expression import keep_parameters, read_single_value
from core.expressions.source import Source
from core.messages import Message, message
from core.scripts.checks import ScriptChecker
from core.scripts.functions import SCRIPT_FUNCTIONS, SCRIPT_METHODS
from core.toolspec import SCRIPT

__all__ = [
    "SCRIPT_FUNCTIONS",
    "SCRIPT_METHODS",
    "CompiledScript",
    "compile_script",
    "find_script_faults",
    "find_script_names",
    "is_script",
    "read_script",
]

SCRIPT_BYTE_LIMIT = 16_384
_COMPOUND = (
    *(ast.If, ast.For, ast.While, ast.With, ast.Try, ast.TryStar, ast.Match, ast.ClassDef),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith),
)


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A checked script as plain text; `names` are the parameters it reads."""

    text: str
    names: tuple[str, ...]


def compile_script(text: str, parameter_names: Collection[str]) -> CompiledScript:
    """The checked script; raises ExpressionError with what is wrong and where."""
    # Python reads identifiers as NFKC, so a name is looked up in that form.
    names = {normalize("NFKC", name): name for name in parameter_names}
    source = _ScriptSource(text)
    checker = ScriptChecker(names, source.locate)
    try:
        checker.check_script(_read_statements(source))
    except RecursionError:
        raise ExpressionError(
            message("script.nested_too_deeply", "the script is nested too deeply")
        ) from None
    return CompiledScript(text, tuple(names[name] for name in _read_parameters(checker, names)))


def read_script(text: str) -> list[ast.stmt]:
    """The statements; raises ExpressionError for a text that is no Python or too large."""
    return _read_statements(_ScriptSource(text))


def find_script_faults(text: str) -> list[ExpressionError]:
    """What is wrong with the script, at most one fault a statement, in order; of a text that is no Python the first.

    Every name that it does not set may be a parameter.
    """
    source = _ScriptSource(text)
    checker = ScriptChecker(None, source.locate)
    checker.faults = []
    try:
        checker.check_script(_read_statements(source))
    except ExpressionError as error:
        checker.faults.append(error)
    except RecursionError:
        return []
    return sorted(checker.faults, key=lambda fault: fault.position or 0)


def find_script_names(text: str, parameter_names: Collection[str] = ()) -> list[str]:
    """Names that must be parameters, in order of first appearance, up to the first fault.

    A variable that may be read before it has a value is among them if it is in `parameter_names`: the
    parameter is its first value.
    """
    source = _ScriptSource(text)
    checker = ScriptChecker(None, source.locate)
    with suppress(ExpressionError, RecursionError):
        checker.check_script(_read_statements(source))
    names = {normalize("NFKC", name): name for name in parameter_names}
    return keep_parameters(_read_parameters(checker, names), parameter_names)


def is_script(text: str) -> bool:
    """Whether the text is more than one expression, with or without `result =` before it.

    A text that cannot be read is a script if it has several lines of code; brackets join lines.
    """
    if len(text) > SCRIPT_BYTE_LIMIT:
        return "\n" in text.strip()
    try:
        body = ast.parse(text.lstrip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _has_several_lines(text)
    if len(body) != 1 or read_single_value(body) is not None:
        return len(body) > 1
    return isinstance(body[0], _COMPOUND)


def _has_several_lines(text: str) -> bool:
    ends = 0
    with suppress(SyntaxError, tokenize.TokenError):
        for token in tokenize.generate_tokens(StringIO(text.lstrip()).readline):
            if ends and token.type not in {tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER}:
                return True
            ends += token.type == tokenize.NEWLINE
    return False


class _ScriptSource(Source):
    logic: ClassVar[Message] = SCRIPT
    byte_limit = SCRIPT_BYTE_LIMIT
    node_limit = 5_000

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._margin = 0

    def read_body(self) -> list[ast.stmt]:
        """The statements; those of a text that is indented as a whole too."""
        lines = (line for line in self.text.splitlines() if line.strip())
        first = next((line for line in lines if not line.lstrip().startswith("#")), "")
        if first[:1] not in {" ", "\t"}:
            return ast.parse(self.text).body
        module = ast.parse(f"if 1:\n{self.text}")
        if len(module.body) > 1:
            raise IndentationError("unindent does not match any outer indentation level")
        ast.increment_lineno(module, -1)
        block = module.body[0]
        return block.body if isinstance(block, ast.If) else []


def _read_statements(source: Source) -> list[ast.stmt]:
    body = source.parse()
    if not body:
        raise ExpressionError(message("script.empty", "the script is empty"), 0)
    source.check_size(*body)
    return body


def _read_parameters(checker: ScriptChecker, names: Collection[str]) -> list[str]:
    for node in checker.doubtful:
        if node.id in names:
            checker.note_parameter(node)
    return checker.free_names()
