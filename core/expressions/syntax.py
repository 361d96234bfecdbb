"""Rewrites the syntax tree of an expression into calls of the guarded operations.

Every node is built anew from an allow-list, nothing of the author's tree is kept; what has no entry
here does not exist in expressions.
"""

import ast
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar, NoReturn

from core.errors import ExpressionError
from core.expressions.functions import FUNCTIONS
from core.expressions.hints import (
    HINTS,
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


class Rewriter:
    """Builds the guarded tree of one expression, and notes which free names it reads.

    `parameter_names` None means that every free name is taken for a parameter.
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
        build = _BUILDERS.get(type(node))
        if build is None:
            self.refuse(node, HINTS.get(type(node).__name__))
        return build(self, node)

    def refuse(self, node: ast.AST, text: Message | None = None) -> NoReturn:
        """Raises the ExpressionError of this node."""
        default = message(
            "logic.construct",
            "{construct} is not allowed in {logic}s",
            construct=type(node).__name__,
            logic=self.logic,
        )
        raise ExpressionError(text or default, self._locate(node))

    def _constant(self, node: ast.Constant) -> ast.expr:
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

    def _name(self, node: ast.Name) -> ast.expr:
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

    def _binary(self, node: ast.BinOp) -> ast.expr:
        symbol = operator_symbol(node.op)
        if symbol is None:
            self.refuse(node, HINTS["MatMult"])
        left, right = self.rewrite(node.left), self.rewrite(node.right)
        return call(operator_name("binary", symbol), left, right)

    def _unary(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.rewrite(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), operand)
        return call(operator_name("sign", SIGN_SYMBOLS[type(node.op)]), operand)

    def _boolean(self, node: ast.BoolOp) -> ast.expr:
        return ast.BoolOp(node.op, [self.rewrite(value) for value in node.values])

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        body, test = self.rewrite(node.body), self.rewrite(node.test)
        return ast.IfExp(test, body, self.rewrite(node.orelse))

    def _comparison(self, node: ast.Compare) -> ast.expr:
        left = self.rewrite(node.left)
        links = [
            (self._comparison_name(operation, right), self.rewrite(right))
            for operation, right in zip(node.ops, node.comparators, strict=True)
        ]
        if len(links) == 1:
            return call(links[0][0], left, links[0][1])
        pairs: list[ast.expr] = [
            make_tuple([load(name), make_thunk(right)]) for name, right in links
        ]
        return call("__chain", left, make_tuple(pairs))

    def _comparison_name(self, operation: ast.cmpop, right: ast.expr) -> str:
        if isinstance(operation, ast.Is | ast.IsNot) and not is_none(right):
            self.refuse(
                right,
                message(
                    "expression.is_none_only", "is compares with None only; write == for values"
                ),
            )
        return operator_name("compare", COMPARISON_SYMBOLS[type(operation)])

    def _called(self, node: ast.Call) -> ast.expr:
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
        self._check_signature(node, name)
        options = [ast.keyword(option.arg, self.rewrite(option.value)) for option in node.keywords]
        arguments = [load(BUDGET), *map(self.rewrite, node.args)]
        return ast.Call(load(function_name(name)), arguments, options)

    def _check_signature(self, node: ast.Call, name: str) -> None:
        if any(option.arg is None for option in node.keywords):
            self.refuse(
                node, message("expression.no_double_star", "** before an argument is not allowed")
            )
        try:
            self.functions[name].signature.bind(
                *node.args, **{option.arg or "": None for option in node.keywords}
            )
        except TypeError as error:
            self.refuse(
                node,
                message(
                    "expression.call_unfit", "{name}(): {reason}", name=name, reason=str(error)
                ),
            )

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

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        value = self.rewrite(node.value)
        if not isinstance(node.slice, ast.Slice):
            return call("__subscript", value, self.rewrite(node.slice))
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        parts = [ast.Constant(None) if part is None else self.rewrite(part) for part in bounds]
        return call("__slice", value, make_tuple(parts))

    def _sequence(self, node: ast.List | ast.Tuple) -> ast.expr:
        return type(node)([self.rewrite(item) for item in node.elts], ast.Load())

    def _set(self, node: ast.Set) -> ast.expr:
        return call("__set", ast.List([self.rewrite(item) for item in node.elts], ast.Load()))

    def _dictionary(self, node: ast.Dict) -> ast.expr:
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
        generators = [self._generator(generator, weight) for generator in node.generators]
        if isinstance(node, ast.DictComp):
            element: ast.expr = make_tuple([self.rewrite(node.key), self.rewrite(node.value)])
        else:
            element = self.rewrite(node.elt)
        self._bound.pop()
        # Generators become lists: nothing runs later than it is written.
        values = ast.ListComp(element, generators)
        if isinstance(node, ast.DictComp):
            return call("__dictionary", values)
        return call("__set", values) if isinstance(node, ast.SetComp) else values

    def _generator(self, generator: ast.comprehension, weight: ast.expr) -> ast.comprehension:
        if generator.is_async:
            self.refuse(generator.target, message("expression.no_async", "async is not allowed"))
        values = call("__items", self.rewrite(generator.iter), weight)
        target = self._target(generator.target)
        return ast.comprehension(target, values, [self.rewrite(test) for test in generator.ifs], 0)

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

    def _formatted_text(self, node: ast.JoinedStr) -> ast.expr:
        pieces = [self._piece(value) for value in node.values]
        return call("__text", ast.List(pieces, ast.Load()))

    def _piece(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.FormattedValue):
            return self.rewrite(node)
        if node.conversion not in {-1, ord("s")}:
            self.refuse(
                node, message("expression.only_s_conversion", "only !s is allowed in an f-string")
            )
        specification = ast.Constant(self._specification(node.format_spec))
        return call("__format", self.rewrite(node.value), specification)

    def _specification(self, node: ast.expr | None) -> str:
        if node is None:
            return ""
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        texts = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
        if len(texts) < len(parts):
            self.refuse(
                node,
                message(
                    "expression.format_written_out",
                    "a format must be written out, such as {price:.2f}",
                ),
            )
        if not _FORMAT.fullmatch("".join(texts)):
            self.refuse(
                node,
                message(
                    "expression.format_not_allowed",
                    "the format {format} is not allowed; write such as .2f",
                    format=repr("".join(texts)),
                ),
            )
        return "".join(texts)


_BUILDERS: dict[type[ast.expr], Callable[[Rewriter, Any], ast.expr]] = {
    ast.Constant: Rewriter._constant,
    ast.Name: Rewriter._name,
    ast.BinOp: Rewriter._binary,
    ast.UnaryOp: Rewriter._unary,
    ast.BoolOp: Rewriter._boolean,
    ast.IfExp: Rewriter._conditional,
    ast.Compare: Rewriter._comparison,
    ast.Call: Rewriter._called,
    ast.Subscript: Rewriter._subscript,
    ast.List: Rewriter._sequence,
    ast.Tuple: Rewriter._sequence,
    ast.Set: Rewriter._set,
    ast.Dict: Rewriter._dictionary,
    ast.ListComp: Rewriter._comprehension,
    ast.SetComp: Rewriter._comprehension,
    ast.DictComp: Rewriter._comprehension,
    ast.GeneratorExp: Rewriter._comprehension,
    ast.JoinedStr: Rewriter._formatted_text,
}
