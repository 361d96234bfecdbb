"""The syntax of scripts: what may be written, and which names in it are parameters; nothing is run."""

import ast
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from core.errors import ExpressionError
from core.expressions.syntax import Rewriter
from core.expressions.tree import load, operator_symbol
from core.messages import Message, message
from core.scripts.functions import (
    CHANGING_METHOD_NAMES,
    SCRIPT_FUNCTIONS,
    SCRIPT_METHOD_NAMES,
    VALUE_METHOD_NAMES,
)
from core.scripts.names import EXCEPTIONS, RESULT, Given, find_stored_names
from core.toolspec import SCRIPT

LOOP_LIMIT = 12
_NO_ASYNC = message("expression.no_async", "async is not allowed")
_NO_IMPORT = message(
    "expression.no_import", "import is not allowed; the functions are there already"
)
_NO_GLOBAL = message(
    "script.no_global", "global and nonlocal are not allowed; a function returns what it changes"
)
_HINTS: dict[type[ast.stmt], Message] = {
    ast.AsyncFunctionDef: _NO_ASYNC,
    ast.AsyncFor: _NO_ASYNC,
    ast.AsyncWith: _NO_ASYNC,
    ast.Import: _NO_IMPORT,
    ast.ImportFrom: _NO_IMPORT,
    ast.Global: _NO_GLOBAL,
    ast.Nonlocal: _NO_GLOBAL,
    ast.ClassDef: message(
        "script.no_class", "class is not allowed; a dictionary holds named values: {'name': 1}"
    ),
    ast.TryStar: message("script.no_except_star", "except* is not allowed; write except"),
    ast.With: message("script.no_with", "with is not allowed; there is nothing to open or to lock"),
    ast.Match: message("script.no_match", "match is not allowed; write if and elif"),
    ast.AnnAssign: message("script.no_types", "types are not written here; write name = value"),
}
_NO_VALUE = message("script.no_value", "the script gives no value; write result = and the value")
_NO_ATTRIBUTES = message(
    "script.no_attributes", "attributes are not allowed; write row['name'] = value"
)


class ScriptChecker(Rewriter):
    """Refuses what scripts may not hold, and notes which parameters one reads.

    Expressions within it are checked as those of tools are; what that builds of them is not used.
    """

    logic: ClassVar[Message] = SCRIPT
    functions = SCRIPT_FUNCTIONS
    method_names = SCRIPT_METHOD_NAMES

    def __init__(
        self, parameter_names: Iterable[str] | None, locate: Callable[[ast.AST], int]
    ) -> None:
        super().__init__(parameter_names, locate)
        self._given = Given()
        self._stored: set[str] = set()
        self._loops = self._functions = self._handlers = 0  # Those around the current node.
        # Where it is a list, faults are noted in it and the statements behind them are read too.
        self.faults: list[ExpressionError] | None = None
        self.doubtful: list[ast.Name] = []  # Read where they may have no value yet, in any order.

    def check_script(self, body: list[ast.stmt]) -> None:
        """Raises ExpressionError at the first fault."""
        self._stored = find_stored_names(body)
        last = body[-1]
        if RESULT in self._stored:
            self._block(body)
            self.rewrite(ast.copy_location(load(RESULT), last))
            return
        if not isinstance(last, ast.Expr) or _changes_only(last.value):
            if self.faults is not None:
                self._block(body[:-1])
            hint = _NO_RETURN if isinstance(last, ast.Return) else _NO_VALUE
            self.refuse(last, _HINTS.get(type(last), hint))
        self._block(body[:-1])
        self.rewrite(last.value)

    def rewrite(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Lambda(args=arguments, body=value):
                self._function(arguments, [ast.copy_location(ast.Return(value), value)])
                return node
            case ast.Call(func=ast.Name(id=name)) if self._is_variable(name):
                return self._call_of_variable(node)
            case ast.Call(func=ast.Call() | ast.Subscript() | ast.Lambda()):
                return self._call_of_variable(node)
        return super().rewrite(node)

    def read_name(self, node: ast.Name) -> ast.expr:
        name = node.id
        is_later = self._functions and name in self._stored  # It may be given before the call.
        if name in self._given.surely:
            return node
        if name in self._given.maybe or is_later:
            self.doubtful.append(node)
            return node
        if name in self._stored and not self.is_parameter(name):
            self.refuse(
                node,
                message("script.read_before", "{name} is read before it has a value", name=name),
            )
        return super().read_name(node)

    def _is_variable(self, name: str) -> bool:
        return name in self._stored or any(name in names for names in self._bound)

    def _call_of_variable(self, node: ast.Call) -> ast.expr:
        """The call of what may be a function of the script; which it is turns out in the run."""
        if not isinstance(node.func, ast.Name) or node.func.id not in self.functions:
            self.rewrite(node.func)
        if any(option.arg is None for option in node.keywords):
            self.refuse(
                node, message("expression.no_double_star", "** before an argument is not allowed")
            )
        for value in (*node.args, *(option.value for option in node.keywords)):
            self.rewrite(value)
        return node

    def _called_method(self, node: ast.Call, method: ast.Attribute) -> ast.expr:
        if method.attr == "sort":
            if any(option.arg != "reverse" for option in node.keywords):
                self.refuse(
                    node,
                    message(
                        "script.sort_arguments",
                        "sort() takes reverse=True only; rows = sort_by(rows, 'key')",
                    ),
                )
            values = [option.value for option in node.keywords]
            node = ast.Call(node.func, [*node.args, *values], [])
        return super()._called_method(node, method)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Pass):
                continue
            check, depth = _CHECKS.get(type(statement)), len(self._bound)
            try:
                if check is None:
                    self.refuse(statement, _HINTS.get(type(statement)))
                check(self, statement)
            except ExpressionError as error:
                if self.faults is None:
                    raise
                self.faults.append(error)
                # What it would have given has a value: the next statements are not to blame.
                del self._bound[depth:]
                self._given.surely |= find_stored_names([statement])

    def _assign(self, node: ast.Assign) -> None:
        self.rewrite(node.value)
        for target in node.targets:
            self._place(target)

    def _place(self, target: ast.expr, in_loop: bool = False) -> None:
        """What is assigned to: a name, an element, or several of them."""
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._place(part, in_loop)
        elif not isinstance(target, ast.Subscript):
            self._variable(target)
        elif in_loop:
            self.refuse(
                target,
                message("expression.loop_names_only", "only names can stand between for and in"),
            )
        else:
            self._element(target)

    def _element(self, target: ast.Subscript) -> None:
        if isinstance(target.slice, ast.Slice):
            self.refuse(
                target,
                message(
                    "script.no_slice_target",
                    "a slice cannot be changed; write values = values[:2] + [x]",
                ),
            )
        self.rewrite(target.value)
        self.rewrite(target.slice)

    def _variable(self, target: ast.expr) -> None:
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
        self._give(target, target.id)

    def _give(self, node: ast.AST, name: str) -> None:
        self.check_underscore(node, name)
        if not self._functions:
            self._given.add(name)

    def _augmented(self, node: ast.AugAssign) -> None:
        if operator_symbol(node.op) is None:
            self.refuse(node, message("expression.no_matrix", "@ is not allowed; * multiplies"))
        if isinstance(node.target, ast.Name):
            self.rewrite(ast.copy_location(load(node.target.id), node.target))
        self.rewrite(node.value)
        self._place(node.target)

    def _if(self, node: ast.If) -> None:
        self.rewrite(node.test)
        otherwise = self._given.split()
        self._block(node.body)
        then, self._given = self._given, otherwise
        self._block(node.orelse)
        self._given.join(then, self._given)

    def _loop(self, node: ast.For | ast.While) -> None:
        if isinstance(node, ast.For):
            self.rewrite(node.iter)
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
        # In every round but the first, what an earlier one gave may have its value.
        self._given.maybe |= find_stored_names([node])
        if isinstance(node, ast.For):
            self._place(node.target, in_loop=True)
        else:
            self.rewrite(node.test)
        self._loops += 1
        self._block(node.body)
        self._loops -= 1
        self._given.surely = set(before.surely)
        self._block(node.orelse)
        self._given.surely = before.surely

    def _jump(self, node: ast.Break | ast.Continue) -> None:
        if not self._loops:
            self.refuse(node, message("script.jump_outside", "break and continue stand in a loop"))

    def _expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return  # A text alone is a comment.
        self.rewrite(node.value)
        if not self._may_change(node.value):
            self.refuse(
                node,
                message(
                    "script.no_effect",
                    "this line changes nothing; write name = in front of it, or remove it",
                ),
            )

    def _may_change(self, node: ast.expr) -> bool:
        """Whether the expression may do something beside giving a value."""
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in CHANGING_METHOD_NAMES - {"copy"}
            case ast.Call(func=ast.Name(id=name)):
                return name == "fail" or self._is_variable(name)
        return isinstance(node, ast.Call)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                self.refuse(
                    target,
                    message("script.delete", "del takes an element out, such as del row['name']"),
                )
            self._element(target)

    def _define(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            self.refuse(
                node.decorator_list[0],
                message("script.no_decorator", "decorators are not allowed; call the function"),
            )
        if node.returns:
            self.refuse(node.returns, _HINTS[ast.AnnAssign])
        self._function(node.args, node.body)
        self._give(node, node.name)

    def _function(self, arguments: ast.arguments, body: list[ast.stmt]) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.rewrite(default)
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        for argument in named:
            self.check_underscore(argument, argument.arg)
            if argument.annotation:
                self.refuse(argument.annotation, _HINTS[ast.AnnAssign])
        self._bound.append({argument.arg for argument in named} | find_stored_names(body))
        around = self._given, self._loops, self._handlers
        self._given, self._loops, self._handlers = self._given.split(), 0, 0
        self._functions += 1
        self._block(body)
        self._functions -= 1
        self._given, self._loops, self._handlers = around
        self._bound.pop()

    def _values(self, node: ast.Assert | ast.Return) -> None:
        if isinstance(node, ast.Return) and not self._functions:
            self.refuse(node, _NO_RETURN)
        for value in ast.iter_child_nodes(node):
            if isinstance(value, ast.expr):
                self.rewrite(value)

    def _try(self, node: ast.Try) -> None:
        before = self._given.split()
        before.maybe |= find_stored_names(node.body)
        self._block(node.body)
        self._block(node.orelse)
        ends = [self._given]
        for handler in node.handlers:
            self._given = before.split()
            self._handler(handler)
            ends.append(self._given)
        self._given = Given()
        self._given.join(*ends)
        self._block(node.finalbody)

    def _handler(self, handler: ast.ExceptHandler) -> None:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            if kind is not None and not (isinstance(kind, ast.Name) and kind.id in EXCEPTIONS):
                names = ", ".join(EXCEPTIONS)
                self.refuse(
                    kind, message("script.except_kind", "except takes one of {names}", names=names)
                )
        if handler.name:
            self._give(handler, handler.name)
        self._handlers += 1
        self._block(handler.body)
        self._handlers -= 1

    def _raise(self, node: ast.Raise) -> None:
        if node.cause:
            self.rewrite(node.cause)
        match node.exc:
            case None if self._handlers:
                return
            case ast.Name(id=name) if name in EXCEPTIONS:
                return
            case ast.Call(func=ast.Name(id=name), args=[text], keywords=[]) if name in EXCEPTIONS:
                self.rewrite(text)
                return
        self.refuse(
            node,
            message(
                "script.raise_kind",
                "raise takes one of {names} with a text, such as raise ValueError('too small')",
                names=", ".join(EXCEPTIONS),
            ),
        )


def _changes_only(node: ast.expr) -> bool:
    """Whether the expression is a call of a method whose value is always null."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGING_METHOD_NAMES - VALUE_METHOD_NAMES
    )


_NO_RETURN = message("script.no_return", "return is not needed; write result = and the value")
_CHECKS: dict[type[ast.stmt], Callable[[ScriptChecker, Any], None]] = {
    ast.Assert: ScriptChecker._values,
    ast.Assign: ScriptChecker._assign,
    ast.AugAssign: ScriptChecker._augmented,
    ast.Break: ScriptChecker._jump,
    ast.Continue: ScriptChecker._jump,
    ast.Delete: ScriptChecker._delete,
    ast.Expr: ScriptChecker._expression,
    ast.For: ScriptChecker._loop,
    ast.FunctionDef: ScriptChecker._define,
    ast.If: ScriptChecker._if,
    ast.Raise: ScriptChecker._raise,
    ast.Return: ScriptChecker._values,
    ast.Try: ScriptChecker._try,
    ast.While: ScriptChecker._loop,
}
