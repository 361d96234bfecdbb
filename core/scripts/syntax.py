"""Rewrites the statements of a script into guarded ones, in the way of expressions."""

import ast
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from core.expressions.syntax import STEP_NODES, Rewriter
from core.expressions.tree import (
    BUDGET,
    call,
    function_name,
    load,
    make_arguments,
    make_tuple,
    operator_name,
    operator_symbol,
)
from core.messages import Message, message
from core.scripts.functions import (
    CHANGING_METHOD_NAMES,
    SCRIPT_FUNCTIONS,
    SCRIPT_METHOD_NAMES,
    VALUE_METHOD_NAMES,
)
from core.scripts.names import Given, find_stored_names
from core.toolspec import SCRIPT

LOOP_LIMIT = 12  # Python itself has no room for more than 20, one inside the other.
RESULT = "result"

_HINTS: dict[type[ast.stmt], Message] = {
    ast.Return: message("script.no_return", "return is not needed; write result = and the value"),
    ast.FunctionDef: message(
        "script.no_def",
        "def is not allowed; write the steps one below the other, in a loop if need be",
    ),
    ast.AsyncFunctionDef: message("expression.no_async", "async is not allowed"),
    ast.AsyncFor: message("expression.no_async", "async is not allowed"),
    ast.AsyncWith: message("expression.no_async", "async is not allowed"),
    ast.ClassDef: message(
        "script.no_class", "class is not allowed; a dictionary holds named values: {'name': 1}"
    ),
    ast.Import: message(
        "expression.no_import", "import is not allowed; the functions are there already"
    ),
    ast.ImportFrom: message(
        "expression.no_import", "import is not allowed; the functions are there already"
    ),
    ast.Global: message(
        "script.no_global", "global is not needed; every name belongs to the whole script"
    ),
    ast.Nonlocal: message(
        "script.no_nonlocal", "nonlocal is not needed; every name belongs to the whole script"
    ),
    ast.Try: message(
        "script.no_try", "try is not allowed; test the value before, such as x / y if y else 0"
    ),
    ast.TryStar: message(
        "script.no_try", "try is not allowed; test the value before, such as x / y if y else 0"
    ),
    ast.With: message("script.no_with", "with is not allowed; there is nothing to open or to lock"),
    ast.Raise: message(
        "script.no_raise",
        "raise is not allowed; fail('what is wrong') ends the call with that error",
    ),
    ast.Assert: message(
        "script.no_assert", "assert is not allowed; write if not ...: fail('what is wrong')"
    ),
    ast.Match: message("script.no_match", "match is not allowed; write if and elif"),
    ast.AnnAssign: message("script.no_types", "types are not written here; write name = value"),
}
_NO_VALUE = message("script.no_value", "the script gives no value; write result = and the value")
_NO_ATTRIBUTES = message(
    "script.no_attributes", "attributes are not allowed; write row['name'] = value"
)
_NO_EFFECT = message(
    "script.no_effect", "this line changes nothing; write name = in front of it, or remove it"
)


class ScriptRewriter(Rewriter):
    """Builds the guarded statements of one script, and notes which parameters it reads."""

    logic: ClassVar[Message] = SCRIPT
    functions = SCRIPT_FUNCTIONS
    method_names = SCRIPT_METHOD_NAMES

    def __init__(
        self, parameter_names: Iterable[str] | None, locate: Callable[[ast.AST], int]
    ) -> None:
        super().__init__(parameter_names, locate)
        self._given = Given()
        self._stored: set[str] = set()
        self._loops = 0
        self._value_count = 0
        self.doubtful: list[ast.Name] = []  # Read where they may have no value yet, in any order.

    def rewrite_script(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The guarded statements, the last of which returns the value."""
        self._stored = find_stored_names(body)
        if RESULT in self._stored:
            built = self._block(body)
            value = ast.copy_location(load(RESULT), body[-1])
            value.lineno = body[-1].end_lineno or value.lineno
            return [*built, self._returned(value)]
        last = body[-1]
        if not isinstance(last, ast.Expr) or _changes_only(last.value):
            self.refuse(last, _HINTS.get(type(last), _NO_VALUE))
        built = self._block(body[:-1], may_be_empty=True)
        return [*built, self._returned(last.value)]

    def _returned(self, value: ast.expr) -> ast.stmt:
        return ast.copy_location(ast.Return(self.rewrite(value)), value)

    def rewrite(self, node: ast.expr) -> ast.expr:
        # Errors at run time name the line, so every node keeps its place.
        return ast.copy_location(super().rewrite(node), node)

    def read_name(self, node: ast.Name) -> ast.expr:
        if node.id in self._given.surely:
            return load(node.id)
        if node.id in self._given.maybe:
            self.doubtful.append(node)
            return load(node.id)
        if node.id in self._stored and not self.is_parameter(node.id):
            self.refuse(
                node,
                message("script.read_before", "{name} is read before it has a value", name=node.id),
            )
        return super().read_name(node)

    def _block(self, body: list[ast.stmt], *, may_be_empty: bool = False) -> list[ast.stmt]:
        built = [part for statement in body for part in self._statement(statement)]
        return built if built or may_be_empty else [ast.Pass()]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        build = _BUILDERS.get(type(node))
        if build is None:
            self.refuse(node, _HINTS.get(type(node)))
        return [ast.copy_location(part, node) for part in build(self, node)]

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = self.rewrite(node.value)
        stores: list[ast.stmt] = []
        targets = [self._place(target, stores) for target in node.targets]
        return [ast.Assign(targets, value), *stores]

    def _place(self, target: ast.expr, stores: list[ast.stmt]) -> ast.expr:
        """What is assigned to; an element gets a name of ours and a call that stores it."""
        if isinstance(target, ast.Tuple | ast.List):
            return ast.Tuple([self._place(part, stores) for part in target.elts], ast.Store())
        if isinstance(target, ast.Subscript):
            self._value_count += 1
            name = f"__value_{self._value_count}"
            values, key = self._element(target)
            stores.append(ast.Expr(call("__store", values, key, load(name))))
            return ast.Name(name, ast.Store())
        return self._variable(target)

    def _element(self, target: ast.Subscript) -> tuple[ast.expr, ast.expr]:
        if isinstance(target.slice, ast.Slice):
            self.refuse(
                target,
                message(
                    "script.no_slice_target",
                    "a slice cannot be changed; write values = values[:2] + [x]",
                ),
            )
        return self.rewrite(target.value), self.rewrite(target.slice)

    def _variable(self, target: ast.expr) -> ast.Name:
        if isinstance(target, ast.Attribute):
            self.refuse(target, _NO_ATTRIBUTES)
        if isinstance(target, ast.Starred):
            self.refuse(
                target,
                message(
                    "script.no_star_target",
                    "* before a name is not allowed; write rest = values[1:]",
                ),
            )
        if not isinstance(target, ast.Name):
            self.refuse(
                target,
                message(
                    "script.targets", "only names and elements of a list or dictionary get a value"
                ),
            )
        self.check_underscore(target, target.id)
        self._given.add(target.id)
        return ast.Name(target.id, ast.Store())

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        symbol = operator_symbol(node.op)
        if symbol is None:
            self.refuse(node, message("expression.no_matrix", "@ is not allowed; * multiplies"))
        operate = operator_name("in_place", symbol)
        if isinstance(node.target, ast.Subscript):
            values, key = self._element(node.target)
            link = make_tuple([load(operate), self.rewrite(node.value)])
            return [ast.Expr(call("__change", values, key, link))]
        if isinstance(node.target, ast.Attribute):
            self.refuse(node.target, _NO_ATTRIBUTES)
        read = self.rewrite(ast.copy_location(load(node.target.id), node.target))
        value = call(operate, read, self.rewrite(node.value))
        return [ast.Assign([self._variable(node.target)], value)]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        test = self.rewrite(node.test)
        otherwise = self._given.split()
        body = self._block(node.body)
        then, self._given = self._given, otherwise
        orelse = self._block(node.orelse, may_be_empty=True)
        self._given.join(then, self._given)
        return [ast.If(test, body, orelse)]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        values = self._walked(node.iter)
        before = self._enter_loop(node)
        target = self._loop_target(node.target)
        body = self._loop_body(node, before)
        orelse = self._block(node.orelse, may_be_empty=True)
        self._given.surely = before.surely
        return [ast.For(target, values, body, orelse)]

    def _walked(self, node: ast.expr) -> ast.expr:
        built = self.rewrite(node)
        if isinstance(built, ast.Call) and _is_name(built.func, function_name("range")):
            return ast.copy_location(ast.Call(load("__range"), built.args, built.keywords), node)
        return ast.copy_location(call("__walk", built), node)

    def _loop_target(self, target: ast.expr) -> ast.expr:
        if isinstance(target, ast.Tuple | ast.List):
            return ast.Tuple([self._loop_target(part) for part in target.elts], ast.Store())
        if isinstance(target, ast.Subscript):
            self.refuse(
                target,
                message("expression.loop_names_only", "only names can stand between for and in"),
            )
        return self._variable(target)

    def _while(self, node: ast.While) -> list[ast.stmt]:
        before = self._enter_loop(node)
        test = self.rewrite(node.test)
        body = self._loop_body(node, before)
        orelse = self._block(node.orelse, may_be_empty=True)
        self._given.surely = before.surely
        return [ast.While(test, body, orelse)]

    def _enter_loop(self, node: ast.For | ast.While) -> Given:
        """The names given before the loop; within it, those of an earlier round may be given."""
        if self._loops == LOOP_LIMIT:
            self.refuse(
                node,
                message(
                    "script.loops_nested",
                    "loops are nested more than {limit} deep",
                    limit=LOOP_LIMIT,
                ),
            )
        before = self._given.split()
        self._given.maybe |= find_stored_names([node])
        return before

    def _loop_body(self, node: ast.For | ast.While, before: Given) -> list[ast.stmt]:
        self._loops += 1
        body = [*_draw_round(node), *self._block(node.body)]
        self._loops -= 1
        self._given.surely = set(before.surely)
        return body

    def _jump(self, node: ast.Break | ast.Continue) -> list[ast.stmt]:
        if not self._loops:
            self.refuse(node, message("script.jump_outside", "break and continue stand in a loop"))
        return [type(node)()]

    def _pass(self, node: ast.Pass) -> list[ast.stmt]:
        return [ast.Pass()]

    def _expression(self, node: ast.Expr) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return []  # A text alone is a comment.
        built = self.rewrite(node.value)
        if not _changes(node.value):
            self.refuse(node, _NO_EFFECT)
        return [ast.Expr(built)]

    def _delete(self, node: ast.Delete) -> list[ast.stmt]:
        return [ast.Expr(self._deletion(target)) for target in node.targets]

    def _deletion(self, target: ast.expr) -> ast.expr:
        if not isinstance(target, ast.Subscript):
            self.refuse(
                target,
                message("script.delete", "del takes an element out, such as del row['name']"),
            )
        return call("__delete", *self._element(target))

    def _called_method(self, node: ast.Call, method: ast.Attribute) -> ast.expr:
        if method.attr == "sort":
            node = self._sorting(node)
        return super()._called_method(node, method)

    def _sorting(self, node: ast.Call) -> ast.Call:
        """sort(reverse=True) with its argument in its place."""
        for option in node.keywords:
            if option.arg != "reverse":
                self.refuse(
                    node,
                    message(
                        "script.sort_arguments",
                        "sort() takes reverse=True only; rows = sort_by(rows, 'key')",
                    ),
                )
        return ast.Call(node.func, [*node.args, *(option.value for option in node.keywords)], [])


def _changes(node: ast.expr) -> bool:
    """Whether the expression does something beside giving a value."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in CHANGING_METHOD_NAMES - {"copy"}
    return _is_name(node.func, "fail")


def _changes_only(node: ast.expr) -> bool:
    """Whether the expression is a call of a method whose value is always null."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGING_METHOD_NAMES - VALUE_METHOD_NAMES
    )


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _draw_round(node: ast.For | ast.While) -> list[ast.stmt]:
    """The statements that draw the steps of one round, by the size of the loop."""
    weight = 1 + sum(1 for _ in ast.walk(node)) // STEP_NODES
    steps = ast.Attribute(load(BUDGET), "steps", ast.Load())
    taken = ast.Attribute(load(BUDGET), "steps", ast.Store())
    return [
        ast.AugAssign(taken, ast.Sub(), ast.Constant(weight)),
        ast.If(
            ast.Compare(steps, [ast.Lt()], [ast.Constant(0)]), [ast.Expr(call("__end_run"))], []
        ),
    ]


_BUILDERS: dict[type[ast.stmt], Callable[[ScriptRewriter, Any], list[ast.stmt]]] = {
    ast.Assign: ScriptRewriter._assign,
    ast.AugAssign: ScriptRewriter._augmented,
    ast.If: ScriptRewriter._if,
    ast.For: ScriptRewriter._for,
    ast.While: ScriptRewriter._while,
    ast.Break: ScriptRewriter._jump,
    ast.Continue: ScriptRewriter._jump,
    ast.Pass: ScriptRewriter._pass,
    ast.Expr: ScriptRewriter._expression,
    ast.Delete: ScriptRewriter._delete,
}


def wrap_statements(body: list[ast.stmt], names: Iterable[str]) -> ast.Module:
    """`def __script(budget, *names): body`, ready to be compiled."""
    module = ast.parse("def __script(): pass")
    definition = module.body[0]
    assert isinstance(definition, ast.FunctionDef)  # noqa: S101 - narrows for the type checker
    definition.args, definition.body = make_arguments([BUDGET, *names]), body
    return ast.fix_missing_locations(module)
