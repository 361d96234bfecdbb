"""Pure Python expressions over the parameters of a tool: an allow-list that always ends.

An expression is checked and rewritten once, then called in process with nothing of Python's within
reach: no builtins, no attributes, no names but the parameters. `FUNCTIONS` and `METHODS` are what may
be called. A function is recognised by its call, so a parameter may be named `year` or `max`.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Overflow
from typing import Any
from unicodedata import normalize

from core.errors import EvaluationError, ExpressionError
from core.expression_functions import FUNCTIONS
from core.expression_guards import (
    COMPARISONS,
    OPERATORS,
    SIGNS,
    Budget,
    chain,
    check_items,
    format_value,
    join_texts,
    make_dictionary,
    make_set,
    subscript,
    take_slice,
)
from core.expression_methods import METHODS, call_method
from core.expression_syntax import Rewriter, function_name, operator_name, wrap_function
from core.expression_values import admit_argument, export_result
from core.toolspec import JsonValue

__all__ = ["FUNCTIONS", "METHODS", "CompiledExpression", "compile_expression", "find_names"]

EXPRESSION_BYTE_LIMIT = 4_096
NODE_LIMIT = 600
DEPTH_LIMIT = 90

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ONE_EXPRESSION = "write one expression, such as num1 * num2 or result = num1 * num2"
_STATEMENT_HINTS: dict[type[ast.stmt], str] = {
    ast.Return: "return is not needed; write the value alone",
    ast.If: "if blocks are not allowed; write one value if condition else another",
    ast.For: "loops are not allowed; write a list comprehension: [x * 2 for x in values]",
    ast.While: "loops are not allowed; write a list comprehension: [x * 2 for x in values]",
    ast.Import: "import is not allowed; the functions are there already",
    ast.ImportFrom: "import is not allowed; the functions are there already",
    ast.FunctionDef: "def is not allowed; " + _ONE_EXPRESSION,
    ast.AugAssign: "only = is allowed in front of the value",
}
_NAMESPACE: dict[str, Any] = {
    "__builtins__": {},
    "__chain": chain,
    "__dictionary": make_dictionary,
    "__format": format_value,
    "__items": check_items,
    "__method": call_method,
    "__set": make_set,
    "__slice": take_slice,
    "__subscript": subscript,
    "__text": join_texts,
    **{operator_name("binary", symbol): guard for symbol, guard in OPERATORS.items()},
    **{operator_name("compare", symbol): guard for symbol, guard in COMPARISONS.items()},
    **{operator_name("sign", symbol): guard for symbol, guard in SIGNS.items()},
    **{function_name(name): function.call for name, function in FUNCTIONS.items()},
}


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """An expression ready to be evaluated, from any thread; `names` are the parameters it reads."""

    names: tuple[str, ...]
    _function: Callable[..., Any] = field(repr=False, compare=False)

    def evaluate(self, arguments: Mapping[str, object]) -> JsonValue:
        """The value as JSON.

        Arguments that the expression does not read are ignored. Raises EvaluationError if one that it
        reads is missing, and when the value cannot be computed, is too large, or takes too many steps.
        """
        budget = Budget()
        try:
            values = [admit_argument(budget, name, arguments[name]) for name in self.names]
        except KeyError as error:
            raise EvaluationError(f"no value for {error.args[0]}") from None
        try:
            return export_result(budget, self._function(budget, *values))
        except _FAILURES as error:
            raise EvaluationError(_explain(error)) from None


def compile_expression(text: str, parameter_names: Collection[str]) -> CompiledExpression:
    """The checked expression; raises ExpressionError with what is wrong and where.

    `text` is an expression or `result = ` and an expression.
    """
    # Python reads identifiers as NFKC, so a name is looked up in that form.
    names = {normalize("NFKC", name): name for name in parameter_names}
    source = _Source(text)
    rewriter = Rewriter(names, source.locate)
    try:
        body = rewriter.rewrite(source.parse())
        code = compile(wrap_function(body, rewriter.free_names()), "<expression>", "eval")
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply") from None
    function = eval(code, _NAMESPACE)  # noqa: S307 - the tree was built from the allow-list alone
    return CompiledExpression(tuple(names[name] for name in rewriter.free_names()), function)


def find_names(text: str) -> list[str]:
    """Names that must be parameters, in order of first appearance, up to the first fault."""
    source = _Source(text)
    rewriter = Rewriter(None, source.locate)
    with suppress(ExpressionError, RecursionError):
        rewriter.rewrite(source.parse())
    return rewriter.free_names()


class _Source:
    """The text of an expression, parsed with its limits, and the offsets of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._margin = len(text) - len(text.lstrip())

    def parse(self) -> ast.expr:
        """The tree of the one expression; raises ExpressionError."""
        self._check_text()
        try:
            module = ast.parse(self.text[self._margin :])
        except SyntaxError as error:
            raise ExpressionError(*self._explain_syntax(error)) from None
        except (RecursionError, MemoryError):
            raise ExpressionError("the expression is nested too deeply") from None
        except ValueError:
            raise ExpressionError("the expression cannot be read as Python") from None
        value = self._single_value(module.body)
        self._check_size(value)
        return value

    def locate(self, node: ast.AST) -> int:
        """The 0-based offset of the node in the text."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        start = self._line_start(line)
        line_text = self.text[start:].encode()[:column].decode(errors="ignore")
        return start + len(line_text)

    def _line_start(self, line: int) -> int:
        offset = self._margin
        for _ in range(line - 1):
            found = _LINE.match(self.text, offset)
            offset = found.end() if found else offset
        return offset

    def _check_text(self) -> None:
        try:
            size = len(self.text.encode())
        except UnicodeEncodeError as error:
            raise ExpressionError("the expression holds half a character", error.start) from error
        if size > EXPRESSION_BYTE_LIMIT:
            raise ExpressionError(
                f"the expression has {size:,} bytes; the limit is {EXPRESSION_BYTE_LIMIT:,}"
            )
        if "\0" in self.text:
            raise ExpressionError("the expression holds a NUL character", self.text.index("\0"))

    def _explain_syntax(self, error: SyntaxError) -> tuple[str, int]:
        message = (error.msg or "invalid syntax").split(" (")[0]
        offset = self._line_start(error.lineno or 1) + max((error.offset or 1) - 1, 0)
        return f"this is not a Python expression: {message}", min(offset, len(self.text))

    def _single_value(self, body: list[ast.stmt]) -> ast.expr:
        if not body:
            raise ExpressionError("the expression is empty", 0)
        for statement in body:
            if hint := _STATEMENT_HINTS.get(type(statement)):
                raise ExpressionError(hint, self.locate(statement))
        statement = body[0]
        if len(body) == 1 and isinstance(statement, ast.Expr):
            return statement.value
        if len(body) == 1 and isinstance(statement, ast.Assign) and _is_result(statement):
            return statement.value
        raise ExpressionError(_ONE_EXPRESSION, self.locate(body[-1]))

    def _check_size(self, value: ast.expr) -> None:
        level: list[ast.AST] = [value]
        count = depth = 0
        while level:
            count, depth = count + len(level), depth + 1
            if count > NODE_LIMIT:
                raise ExpressionError(f"the expression is too large: more than {NODE_LIMIT} parts")
            if depth > DEPTH_LIMIT:
                raise ExpressionError("the expression is nested too deeply", self.locate(level[0]))
            level = [child for node in level for child in ast.iter_child_nodes(node)]


def _is_result(statement: ast.Assign) -> bool:
    targets = statement.targets
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == "result"


_FAILURES = (
    *(ArithmeticError, ValueError, TypeError, LookupError, NameError, RecursionError, MemoryError),
)


def _explain(error: Exception) -> str:
    match error:
        case ZeroDivisionError():
            return "division by zero"
        case OverflowError() | Overflow() | MemoryError():
            return "a number is too large"
        case ArithmeticError():
            return "the numbers cannot be computed with the digits that are kept"
        case RecursionError():
            return "the values are nested too deeply"
        case _:
            return str(error)[:200]
