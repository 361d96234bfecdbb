"""The pieces that the guarded trees of expressions and scripts are built of, and how they are named."""

import ast
from collections.abc import Iterable

BUDGET = "__budget"

_FUNCTION_PREFIX = "__function_"
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
COMPARISON_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
SIGN_SYMBOLS: dict[type[ast.AST], str] = {ast.UAdd: "+", ast.USub: "-", ast.Invert: "~"}


def operator_name(kind: str, symbol: str) -> str:
    """The name under which the rewritten tree finds a guarded operator, such as `__binary_+`."""
    return f"__{kind}_{symbol}"


def function_name(name: str) -> str:
    """The name under which the rewritten tree finds a function of the table."""
    return _FUNCTION_PREFIX + name


def operator_symbol(node: ast.operator) -> str | None:
    """How the operator is written; None if it is not allowed."""
    return _OPERATORS.get(type(node))


def load(name: str) -> ast.Name:
    """The name, read."""
    return ast.Name(name, ast.Load())


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """The call of a guarded operation, with the budget first."""
    return ast.Call(load(name), [load(BUDGET), *arguments], [])


def make_tuple(items: list[ast.expr]) -> ast.Tuple:
    """The tuple of these, read."""
    return ast.Tuple(items, ast.Load())


def make_thunk(body: ast.expr) -> ast.Lambda:
    """The expression as a function without arguments."""
    return ast.Lambda(make_arguments([]), body)


def make_arguments(names: list[str]) -> ast.arguments:
    """Positional arguments of these names."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def is_none(node: ast.expr) -> bool:
    """Whether the expression is the word None."""
    return isinstance(node, ast.Constant) and node.value is None


def wrap_function(body: ast.expr, names: Iterable[str]) -> ast.Expression:
    """`lambda budget, *names: body`, ready to be compiled."""
    function = ast.Lambda(make_arguments([BUDGET, *names]), body)
    return ast.fix_missing_locations(ast.Expression(function))
