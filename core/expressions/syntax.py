"""Rewrites the syntax tree of an expression into calls of the guarded operations.

Every node is a new one of an allow-list and none of the author's tree is kept; what has no entry here
does not exist in expressions.
"""

import ast
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import ClassVar, NoReturn

from core.errors import ExpressionError
from core.expressions.functions import FUNCTIONS
from core.expressions.hints import (
    HINTS,
    explain_attribute,
    explain_unknown_function,
    explain_unknown_method,
    explain_unknown_name,
)
from core.expressions.limits import MAX_INTEGER_BITS
from core.expressions.methods import METHOD_NAMES
from core.expressions.numbers import CONSTANTS
from core.expressions.table import Function
from core.expressions.tree import (
    BUDGET,
    COMPARISON_SYMBOLS,
    SIGN_SYMBOLS,
    call,
    function_name,
    is_none,
    load,
    make_thunk,
    make_tuple,
    operator_name,
    operator_symbol,
)
from core.messages import Message, message
from core.toolspec import EXPRESSION

STEP_NODES = 8  # The nodes of a comprehension that count as one step of each round.

_NUMBER_FORMAT = r"(?:[^{}]?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(?:\.\d{1,2})?[bcdeEfFgGosxX%]?"
# No digits, hence no widths: strftime would honour %999999d.
_DATE_FORMAT = r"(?:%[aAbBdHIjmMpSUwWyYf%]|[^%0-9{}])*"
_FORMAT = re.compile(rf"{_NUMBER_FORMAT}|{_DATE_FORMAT}")


class Rewriter(ast.NodeVisitor):
    """Builds the guarded tree of one expression, and notes which free names it reads.

    Each method `visit_X` admits one kind of node; every other kind is refused. `parameter_names` None
    means that every free name is taken for a parameter.
    """

    logic: ClassVar[Message] = EXPRESSION
    functions: ClassVar[Mapping[str, Function]] = FUNCTIONS
    method_names: ClassVar[Collection[str]] = METHOD_NAMES

    def __init__(
        self, parameter_names: Iterable[str] | None, locate: Callable[[ast.AST], int]
    ) -> None:
        self._parameter_names = None if parameter_names is None else frozenset(parameter_names)
        self._locate = locate
        self._bound: list[set[str]] = []  # Names of the comprehensions around the current node.
        self._first_places: dict[str, tuple[int, int]] = {}

    def free_names(self) -> list[str]:
        """The names read so far that no comprehension binds, in order of first appearance."""
        return sorted(self._first_places, key=lambda name: self._first_places[name])

    def rewrite(self, node: ast.expr) -> ast.expr:
        """The guarded form of `node`; raises ExpressionError at what is not allowed."""
        built: ast.expr = self.visit(node)
        return built

    def generic_visit(self, node: ast.AST) -> NoReturn:
        self.refuse(node, HINTS.get(type(node).__name__))

    def refuse(self, node: ast.AST, text: Message | None = None) -> NoReturn:
        """Raises the ExpressionError of this node."""
        default = message(
            "logic.construct",
            "{construct} is not allowed in {logic}s",
            construct=type(node).__name__,
            logic=self.logic,
        )
        raise ExpressionError(text or default, self._locate(node))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        if type(value) is int and value.bit_length() > MAX_INTEGER_BITS:
            self.refuse(
                node, message("expression.literal_digits", "this number has too many digits")
            )
        if type(value) is float and math.isinf(value):
            self.refuse(node, message("expression.literal_too_large", "this number is too large"))
        if value is not None and type(value) not in {bool, int, float, str}:
            self.refuse(
                node,
                message(
                    "expression.literal_kind",
                    "{kind} values are not allowed",
                    kind=type(value).__name__,
                ),
            )
        return ast.Constant(value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name = node.id
        self.check_underscore(node, name)
        if any(name in names for names in self._bound):
            return load(name)
        return self.read_name(node)

    def read_name(self, node: ast.Name) -> ast.expr:
        """The name, which no comprehension binds, noted as a parameter; or the value of a constant."""
        if self.is_parameter(node.id):
            self.note_parameter(node)
            return load(node.id)
        if node.id not in CONSTANTS:
            self.refuse(
                node, explain_unknown_name(node.id, self.functions, self._parameter_names or ())
            )
        return ast.Constant(CONSTANTS[node.id].value)

    def is_parameter(self, name: str) -> bool:
        """Whether a parameter has this name, as far as the parameters are known."""
        return self._parameter_names is None or name in self._parameter_names

    def note_parameter(self, node: ast.Name) -> None:
        """Note that a parameter of this name is read here."""
        place = (node.lineno, node.col_offset)
        self._first_places[node.id] = min(place, self._first_places.get(node.id, place))

    def check_underscore(self, node: ast.AST, name: str) -> None:
        if name.startswith("_") and name != "_":
            self.refuse(
                node,
                message(
                    "expression.underscore",
                    "{name}: names must not begin with an underscore",
                    name=name,
                ),
            )

    def visit_Attribute(self, node: ast.Attribute) -> NoReturn:
        self.refuse(node, explain_attribute(node.attr, FUNCTIONS))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        symbol = operator_symbol(node.op)
        if symbol is None:
            self.refuse(node, HINTS["MatMult"])
        left, right = self.rewrite(node.left), self.rewrite(node.right)
        return call(operator_name("binary", symbol), left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.rewrite(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), operand)
        return call(operator_name("sign", SIGN_SYMBOLS[type(node.op)]), operand)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        return ast.BoolOp(node.op, [self.rewrite(value) for value in node.values])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        body, test = self.rewrite(node.body), self.rewrite(node.test)
        return ast.IfExp(test, body, self.rewrite(node.orelse))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = self.rewrite(node.left)
        links: list[tuple[str, ast.expr]] = []
        for operation, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operation, ast.Is | ast.IsNot) and not is_none(right):
                self.refuse(
                    right,
                    message(
                        "expression.is_none_only", "is compares with None only; write == for values"
                    ),
                )
            name = operator_name("compare", COMPARISON_SYMBOLS[type(operation)])
            links.append((name, self.rewrite(right)))
        if len(links) == 1:
            return call(links[0][0], left, links[0][1])
        pairs = [make_tuple([load(name), make_thunk(right)]) for name, right in links]
        return call("__chain", left, make_tuple([*pairs]))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            return self._called_method(node, node.func)
        if not isinstance(node.func, ast.Name):
            self.refuse(
                node, message("expression.no_such_call", "only functions and methods can be called")
            )
        name = node.func.id
        self.check_underscore(node.func, name)
        if name not in self.functions:
            self.refuse(node.func, explain_unknown_function(name, self.functions))
        names = [option.arg for option in node.keywords]
        if None in names:
            self.refuse(
                node, message("expression.no_double_star", "** before an argument is not allowed")
            )
        try:
            self.functions[name].signature.bind(*node.args, **dict.fromkeys(map(str, names)))
        except TypeError as error:
            self.refuse(
                node,
                message(
                    "expression.call_unfit", "{name}(): {reason}", name=name, reason=str(error)
                ),
            )
        options = [ast.keyword(option.arg, self.rewrite(option.value)) for option in node.keywords]
        arguments = [load(BUDGET), *map(self.rewrite, node.args)]
        return ast.Call(load(function_name(name)), arguments, options)

    def _called_method(self, node: ast.Call, method: ast.Attribute) -> ast.expr:
        name = method.attr
        self.check_underscore(method, name)
        if name == "format":
            self.refuse(
                method,
                message(
                    "expression.no_format_method",
                    "format() is not allowed; write an f-string such as f'{price:.2f}'",
                ),
            )
        if name not in self.method_names:
            self.refuse(method, explain_unknown_method(name, self.method_names))
        if node.keywords:
            self.refuse(
                node,
                message(
                    "expression.no_named_arguments",
                    "{name}() takes its arguments without names",
                    name=name,
                ),
            )
        value = self.rewrite(method.value)
        return call("__method", value, ast.Constant(name), *map(self.rewrite, node.args))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        value = self.rewrite(node.value)
        if not isinstance(node.slice, ast.Slice):
            return call("__subscript", value, self.rewrite(node.slice))
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        parts = [ast.Constant(None) if part is None else self.rewrite(part) for part in bounds]
        return call("__slice", value, make_tuple(parts))

    def visit_List(self, node: ast.List) -> ast.expr:
        return ast.List([self.rewrite(item) for item in node.elts], ast.Load())

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        return make_tuple([self.rewrite(item) for item in node.elts])

    def visit_Set(self, node: ast.Set) -> ast.expr:
        return call("__set", ast.List([self.rewrite(item) for item in node.elts], ast.Load()))

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        pairs: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.refuse(
                    value,
                    message(
                        "expression.no_dictionary_star",
                        "** in a dictionary is not allowed; | joins dictionaries",
                    ),
                )
            pairs.append(make_tuple([self.rewrite(key), self.rewrite(value)]))
        return call("__dictionary", ast.List(pairs, ast.Load()))

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> ast.expr:
        self._bound.append(set())
        weight = ast.Constant(1 + sum(1 for _ in ast.walk(node)) // STEP_NODES)
        generators: list[ast.comprehension] = []
        for generator in node.generators:
            if generator.is_async:
                self.refuse(
                    generator.target, message("expression.no_async", "async is not allowed")
                )
            values = call("__items", self.rewrite(generator.iter), weight)
            target = self._target(generator.target)
            tests = [self.rewrite(test) for test in generator.ifs]
            generators.append(ast.comprehension(target, values, tests, 0))
        if isinstance(node, ast.DictComp):
            element: ast.expr = make_tuple([self.rewrite(node.key), self.rewrite(node.value)])
        else:
            element = self.rewrite(node.elt)
        self._bound.pop()
        # Generators become lists: nothing runs later than it is written.
        elements = ast.ListComp(element, generators)
        if isinstance(node, ast.DictComp):
            return call("__dictionary", elements)
        return call("__set", elements) if isinstance(node, ast.SetComp) else elements

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def _target(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple | ast.List):
            return ast.Tuple([self._target(item) for item in node.elts], ast.Store())
        if not isinstance(node, ast.Name):
            self.refuse(
                node,
                message("expression.loop_names_only", "only names can stand between for and in"),
            )
        self.check_underscore(node, node.id)
        self._bound[-1].add(node.id)
        return ast.Name(node.id, ast.Store())

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        pieces: list[ast.expr] = []
        for piece in node.values:
            if not isinstance(piece, ast.FormattedValue):
                pieces.append(self.rewrite(piece))
                continue
            if piece.conversion not in {-1, ord("s")}:
                self.refuse(
                    piece,
                    message("expression.only_s_conversion", "only !s is allowed in an f-string"),
                )
            specification = ast.Constant(self._read_format(piece.format_spec))
            pieces.append(call("__format", self.rewrite(piece.value), specification))
        return call("__text", ast.List(pieces, ast.Load()))

    def _read_format(self, node: ast.expr | None) -> str:
        """The format behind the colon of an f-string's value, which must be written out."""
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        written = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
        if node is not None and not all(isinstance(part, ast.Constant) for part in parts):
            self.refuse(
                node,
                message(
                    "expression.format_written_out",
                    "a format must be written out, such as {price:.2f}",
                ),
            )
        if node is not None and not _FORMAT.fullmatch(written):
            self.refuse(
                node,
                message(
                    "expression.format_not_allowed",
                    "the format {format} is not allowed; write such as .2f",
                    format=repr(written),
                ),
            )
        return written
