"""Pure Python expressions over the parameters of a tool: an allow-list that always ends.

An expression is checked and rewritten once, then called in process with nothing of Python's within
reach: no builtins, no attributes, no names but the parameters and `CONSTANTS`. `FUNCTIONS` and `METHODS`
are what may be called. A function is recognised by its call, so a parameter may be named `year` or `max`;
one that is named `e` hides the constant.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Overflow
from typing import Any
from unicodedata import normalize

from core.errors import EvaluationError, ExpressionError
from core.expressions.functions import FUNCTIONS
from core.expressions.guards import (
    COMPARISONS,
    OPERATORS,
    SIGNS,
    chain,
    format_value,
    join_texts,
    make_dictionary,
    make_set,
    subscript,
    take_slice,
)
from core.expressions.limits import Budget, check_items
from core.expressions.methods import METHODS, call_method
from core.expressions.numbers import CONSTANTS
from core.expressions.source import Source
from core.expressions.syntax import Rewriter
from core.expressions.tree import function_name, operator_name, wrap_function
from core.expressions.values import admit_argument, export_result
from core.messages import Message, foreign, message
from core.toolspec import JsonValue

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "METHODS",
    "CompiledExpression",
    "compile_expression",
    "find_names",
    "keep_parameters",
]

_ONE_EXPRESSION = message(
    "expression.one_only", "write one expression, such as num1 * num2 or result = num1 * num2"
)
_STATEMENT_HINTS: dict[type[ast.stmt], Message] = {
    ast.Return: message("expression.no_return", "return is not needed; write the value alone"),
    ast.If: message(
        "expression.no_if", "if blocks are not allowed; write one value if condition else another"
    ),
    **dict.fromkeys(
        (ast.For, ast.While),
        message(
            "expression.no_loop",
            "loops are not allowed; write a list comprehension: [x * 2 for x in values]",
        ),
    ),
    **dict.fromkeys(
        (ast.Import, ast.ImportFrom),
        message("expression.no_import", "import is not allowed; the functions are there already"),
    ),
    ast.FunctionDef: message(
        "expression.no_def", "def is not allowed; {hint}", hint=_ONE_EXPRESSION
    ),
    ast.AugAssign: message("expression.no_augmented", "only = is allowed in front of the value"),
}
NAMESPACE: dict[str, Any] = {
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
            raise EvaluationError(
                message("expression.value_missing", "no value for {name}", name=error.args[0])
            ) from None
        try:
            return export_result(budget, self._function(budget, *values))
        except FAILURES as error:
            raise EvaluationError(explain_failure(error)) from None


def compile_expression(text: str, parameter_names: Collection[str]) -> CompiledExpression:
    """The checked expression; raises ExpressionError with what is wrong and where.

    `text` is an expression or `result = ` and an expression.
    """
    # Python reads identifiers as NFKC, so a name is looked up in that form.
    names = {normalize("NFKC", name): name for name in parameter_names}
    source = Source(text)
    rewriter = Rewriter(names, source.locate)
    try:
        body = rewriter.rewrite(_single_value(source))
        code = compile(wrap_function(body, rewriter.free_names()), "<expression>", "eval")
    except RecursionError:
        raise ExpressionError(
            message("expression.nested_too_deeply", "the expression is nested too deeply")
        ) from None
    function = eval(code, NAMESPACE)  # noqa: S307 - the tree was built from the allow-list alone
    return CompiledExpression(tuple(names[name] for name in rewriter.free_names()), function)


def find_names(text: str, parameter_names: Collection[str] = ()) -> list[str]:
    """Names that must be parameters, in order of first appearance, up to the first fault.

    The name of a constant is among them if it is in `parameter_names`: the parameter is meant.
    """
    source = Source(text)
    rewriter = Rewriter(None, source.locate)
    with suppress(ExpressionError, RecursionError):
        rewriter.rewrite(_single_value(source))
    return keep_parameters(rewriter.free_names(), parameter_names)


def keep_parameters(names: Iterable[str], parameter_names: Collection[str]) -> list[str]:
    """The free names, as declared, without constants that no parameter shadows."""
    declared = {normalize("NFKC", name): name for name in parameter_names}
    return [declared.get(name, name) for name in names if name in declared or name not in CONSTANTS]


def _single_value(source: Source) -> ast.expr:
    body = source.parse()
    if not body:
        raise ExpressionError(message("expression.empty", "the expression is empty"), 0)
    for statement in body:
        if hint := _STATEMENT_HINTS.get(type(statement)):
            raise ExpressionError(hint, source.locate(statement))
    value = read_single_value(body)
    if value is None:
        raise ExpressionError(_ONE_EXPRESSION, source.locate(body[-1]))
    source.check_size(value)
    return value


def read_single_value(body: Sequence[ast.stmt]) -> ast.expr | None:
    """The one value of these statements: of an expression alone or after `result =`; else None."""
    match body:
        case [ast.Expr(value=value)]:
            return value
        case [ast.Assign(targets=[ast.Name(id="result")], value=value)]:
            return value
        case _:
            return None


FAILURES = (
    *(ArithmeticError, ValueError, TypeError, LookupError, NameError, RecursionError, MemoryError),
)


def explain_failure(error: Exception) -> Message:
    """What went wrong in an evaluation, one of FAILURES, in words for agents."""
    match error:
        case ZeroDivisionError():
            return message("expression.division_by_zero", "division by zero")
        case OverflowError() | Overflow() | MemoryError():
            return message("expression.number_too_large", "a number is too large")
        case ArithmeticError():
            return message(
                "expression.digits_lost",
                "the numbers cannot be computed with the digits that are kept",
            )
        case RecursionError():
            return message("expression.values_nested", "the values are nested too deeply")
        case EvaluationError():
            return error.message
        case _:
            return foreign(str(error)[:200])
