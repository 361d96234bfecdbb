"""The language of script processes: asteval's Interpreter, with our functions, operations and limits.

asteval walks the syntax tree and keeps the course of statements. What touches values is replaced here:
names, calls, operators, elements and texts go through the guards of expressions, attributes are the
methods of one table, and no value leads to Python's own objects. Imported in script processes only.
"""

import ast
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn
from unicodedata import normalize

from asteval import Interpreter
from asteval.astutils import ReturnedNone

from core.errors import EvaluationError, StatedError
from core.expressions.guards import (
    COMPARISONS,
    OPERATORS,
    SIGNS,
    format_value,
    join_texts,
    make_dictionary,
    make_set,
    subscript,
    take_slice,
)
from core.expressions.limits import CONTAINERS, check_items, check_walkable, kind_name
from core.expressions.numbers import CONSTANTS
from core.expressions.tree import COMPARISON_SYMBOLS, SIGN_SYMBOLS, operator_symbol
from core.expressions.values import admit_argument, export_result
from core.messages import Message, foreign, message
from core.script import SCRIPT_FUNCTIONS, SCRIPT_METHODS, read_script
from core.script import compile_script as check_script
from core.scripts.functions import ScriptBudget
from core.scripts.names import EXCEPTIONS, RESULT, find_stored_names
from core.scripts.operations import IN_PLACE, delete, store, walk_range
from core.toolspec import JsonValue
from gateways.scripts.failures import CATCHABLE, RaisedError, explain, find_handler
from gateways.scripts.functions import Scope, ScriptFunction

CALL_LIMIT = 200  # Calls of functions within functions.
# Python's own frames; the checks of its C code at this depth stay far within 8 MB of stack.
RECURSION_LIMIT = 5_000

_NODES = (
    *("assert", "assign", "augassign", "binop", "boolop", "break", "call", "compare"),
    *("constant", "continue", "delete", "dict", "dictcomp", "expr", "for", "formattedvalue"),
    *("functiondef", "generatorexp", "if", "ifexp", "joinedstr", "lambda", "list", "listcomp"),
    *("name", "pass", "raise", "return", "set", "setcomp", "subscript", "try", "tuple"),
    *("unaryop", "while"),
)


@dataclass(frozen=True, slots=True)
class RunnableScript:
    """A checked script; `names` are the parameters it reads. Its runs share nothing."""

    body: Sequence[ast.stmt]
    names: tuple[str, ...]

    def evaluate(self, arguments: Mapping[str, object]) -> JsonValue:
        """The result as JSON; the arguments are not changed.

        Arguments that the script does not read are ignored. Raises EvaluationError if one that it reads
        is missing, and, with the line, when it fails or makes too much.
        """
        budget = ScriptBudget()
        values = {}
        for name in self.names:
            if name not in arguments:
                raise EvaluationError(
                    message("expression.value_missing", "no value for {name}", name=name)
                )
            value = admit_argument(budget, name, arguments[name])
            # A list as a copy, since the script may change it.
            values[normalize("NFKC", name)] = list(value) if type(value) is list else value
        frame_limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(RECURSION_LIMIT, frame_limit))
        interpreter = ScriptInterpreter(budget, values)
        try:
            return export_result(budget, interpreter.run_script(self.body))
        except CATCHABLE as error:
            raise EvaluationError(explain(error)) from None
        finally:
            sys.setrecursionlimit(frame_limit)
            interpreter.close()


def compile_script(text: str, parameter_names: Collection[str]) -> RunnableScript:
    """The script, ready to be run; raises ExpressionError as `core.script.compile_script` does."""
    return RunnableScript(read_script(text), check_script(text, parameter_names).names)


class ScriptInterpreter(Interpreter):  # type: ignore[misc]
    """Runs one script once."""

    # Of asteval: the value of a return, and the statement that ends a block.
    retval: Any
    _interrupt: Any

    def __init__(self, budget: ScriptBudget, values: Mapping[str, Any]) -> None:
        super().__init__(symtable={}, minimal=True, use_numpy=False)
        constants = {name: constant.value for name, constant in CONSTANTS.items()}
        self.symtable = Scope(constants, values)
        # A node that is not in the list does not exist; an attribute does as the method of a call.
        self.node_handlers = {node: getattr(self, f"on_{node}") for node in _NODES}
        self.expr = ""  # With None asteval would go on after an error.
        self._budget = budget
        self._failed_line = 0
        self._handled: list[Exception] = []

    def run_script(self, body: Sequence[ast.stmt]) -> Any:
        """The value of the script; raises EvaluationError with the line."""
        has_result = RESULT in find_stored_names(body)
        try:
            self._run_block(body if has_result else body[:-1])
            value = ast.Name(RESULT, ast.Load(), lineno=body[-1].end_lineno or 0, col_offset=0)
            return self.run(value if has_result else body[-1])
        except StatedError:
            raise
        except CATCHABLE as error:
            raise EvaluationError(
                message(
                    "script.at_line",
                    "line {line}: {reason}",
                    line=str(self._failed_line),
                    reason=explain(error),
                )
            ) from None

    def close(self) -> None:
        """Let go of everything: nothing collects cycles in a script process."""
        self.symtable.clear()
        self.__dict__.clear()

    def raise_exception(self, node: ast.AST | None, **_: object) -> NoReturn:
        """The error goes on as it is; the innermost node in which it came up has its line."""
        self._failed_line = self._failed_line or getattr(node, "lineno", 0)
        raise sys.exc_info()[1] or RuntimeError

    def _run_block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.run(statement)
            if self._interrupt is not None:
                break

    # Names and what has elements

    def on_name(self, node: ast.Name) -> Any:
        try:
            return self.symtable[node.id]
        except KeyError:
            raise EvaluationError(
                message(
                    "script.no_value_yet",
                    "{name} has no value yet; give it one before",
                    name=node.id,
                )
            ) from None

    def node_assign(self, node: ast.expr, val: Any) -> None:
        match node:
            case ast.Name(id=name):
                self.symtable[name] = val
            case ast.Subscript():
                store(self._budget, self.run(node.value), self.run(node.slice), val)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                _check_count(val, len(targets))
                for target, part in zip(targets, list(val), strict=True):
                    self.node_assign(target, part)

    def on_augassign(self, node: ast.AugAssign) -> None:
        operate = IN_PLACE[operator_symbol(node.op) or ""]
        if isinstance(node.target, ast.Subscript):
            values, key = self.run(node.target.value), self.run(node.target.slice)
            before = subscript(self._budget, values, key)
            store(self._budget, values, key, operate(self._budget, before, self.run(node.value)))
        else:
            before = self.on_name(ast.Name(node.target.id, ast.Load()))  # type: ignore[union-attr]
            self.node_assign(node.target, operate(self._budget, before, self.run(node.value)))

    def on_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                delete(self._budget, self.run(target.value), self.run(target.slice))

    def on_subscript(self, node: ast.Subscript) -> Any:
        values = self.run(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            return take_slice(self._budget, values, tuple(map(self.run, bounds)))
        return subscript(self._budget, values, self.run(node.slice))

    def on_attribute(self, node: ast.Attribute) -> Callable[..., Any]:
        value = self.run(node.value)
        method = SCRIPT_METHODS.get(type(value), {}).get(node.attr)
        if method is None:
            raise EvaluationError(
                message(
                    "expression.no_method",
                    "{kind} has no method {name}()",
                    kind=kind_name(value),
                    name=node.attr,
                )
            )
        return partial(method.call, self._budget, value)

    # Operators and texts

    def on_binop(self, node: ast.BinOp) -> Any:
        operate = OPERATORS[operator_symbol(node.op) or ""]
        return operate(self._budget, self.run(node.left), self.run(node.right))

    def on_unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.run(node.operand)
        return SIGNS[SIGN_SYMBOLS[type(node.op)]](self._budget, self.run(node.operand))

    def on_compare(self, node: ast.Compare) -> Any:
        left, result = self.run(node.left), True
        for operation, operand in zip(node.ops, node.comparators, strict=True):
            right = self.run(operand)
            result = COMPARISONS[COMPARISON_SYMBOLS[type(operation)]](self._budget, left, right)
            if not result:
                break
            left = right
        return result

    def on_joinedstr(self, node: ast.JoinedStr) -> str:
        return join_texts(self._budget, [self.run(piece) for piece in node.values])

    def on_formattedvalue(self, node: ast.FormattedValue) -> str:
        specification = "" if node.format_spec is None else self.run(node.format_spec)
        return format_value(self._budget, self.run(node.value), specification)

    # Lists, sets and dictionaries

    def on_set(self, node: ast.Set) -> set[Any]:
        return make_set(self._budget, self.on_list(node))

    def on_dict(self, node: ast.Dict) -> dict[Any, Any]:
        pairs = zip(node.keys, node.values, strict=True)
        return make_dictionary(
            self._budget, [(self.run(key), self.run(value)) for key, value in pairs]
        )

    def on_listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> list[Any]:
        return self._comprehend(node.generators, lambda: self.run(node.elt))

    # Generators become lists: nothing runs later than it is written.
    on_generatorexp = on_listcomp

    def on_setcomp(self, node: ast.SetComp) -> set[Any]:
        return make_set(self._budget, self.on_listcomp(node))

    def on_dictcomp(self, node: ast.DictComp) -> dict[Any, Any]:
        pairs = self._comprehend(
            node.generators, lambda: (self.run(node.key), self.run(node.value))
        )
        return make_dictionary(self._budget, pairs)

    def _comprehend(
        self, generators: Sequence[ast.comprehension], make: Callable[[], Any]
    ) -> list[Any]:
        around = self.symtable
        self.symtable = Scope(around, {})
        try:
            values = [make() for _ in self._rounds(generators)]
        finally:
            self.symtable = around
        check_items(self._budget, values)
        return values

    def _rounds(self, generators: Sequence[ast.comprehension]) -> Iterator[None]:
        """Gives the names of the comprehension their values, round by round."""
        generator, *inner = generators
        for value in check_walkable(self.run(generator.iter)):
            self.node_assign(generator.target, value)
            if all(self.run(test) for test in generator.ifs):
                if inner:
                    yield from self._rounds(inner)
                else:
                    yield

    # Functions

    def on_call(self, node: ast.Call) -> Any:
        call = self._find_called(node.func)
        arguments = [self.run(argument) for argument in node.args]
        options = {str(option.arg): self.run(option.value) for option in node.keywords}
        if isinstance(node.func, ast.Attribute):
            return call(
                *arguments, *options.values()
            )  # The check lets sort(reverse=True) pass alone.
        return call(*arguments, **options)

    def _find_called(self, node: ast.expr) -> Callable[..., Any]:
        """A function is known by its call: a variable named `sum` that holds none does not hide it."""
        match node:
            case ast.Attribute():
                return self.on_attribute(node)
            case ast.Name(id=name) if name in SCRIPT_FUNCTIONS:
                if not self.symtable.holds_function(name):
                    return partial(SCRIPT_FUNCTIONS[name].call, self._budget)
        value = self.run(node)
        if type(value) is not ScriptFunction:
            raise EvaluationError(
                message("script.not_callable", "{kind} cannot be called", kind=kind_name(value))
            )
        return value

    def on_functiondef(self, node: ast.FunctionDef) -> None:
        self.symtable[node.name] = ScriptFunction(node, self.symtable, self)

    def on_lambda(self, node: ast.Lambda) -> ScriptFunction:
        return ScriptFunction(node, self.symtable, self)

    def run_function(self, body: Sequence[ast.stmt], scope: Scope) -> Any:
        """The value that the function returns."""
        if self._calldepth == CALL_LIMIT:
            raise EvaluationError(
                message(
                    "script.calls_nested",
                    "functions call one another more than {limit} deep",
                    limit=CALL_LIMIT,
                )
            )
        around, self.symtable = self.symtable, scope
        self._calldepth += 1
        try:
            self._run_block(body)
            return None if self.retval is ReturnedNone else self.retval
        finally:
            self.symtable = around
            self._calldepth -= 1
            self.retval = self._interrupt = None

    # Loops

    def on_for(self, node: ast.For) -> None:
        for value in self._walked(node.iter):
            self.node_assign(node.target, value)
            if self._is_left(node.body):
                return
        self._run_block(node.orelse)

    def _walked(self, node: ast.expr) -> Any:
        """What a loop walks; the numbers of a range are made in their rounds."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]) if bounds:
                if not self.symtable.holds_function("range"):
                    return walk_range(self._budget, *map(self.run, bounds))
        return check_walkable(self.run(node))

    def on_while(self, node: ast.While) -> None:
        while self.run(node.test):
            if self._is_left(node.body):
                return
        self._run_block(node.orelse)

    def _is_left(self, body: Sequence[ast.stmt]) -> bool:
        """Run one round of a loop; whether the loop ends with it."""
        self._run_block(body)
        if isinstance(self._interrupt, ast.Return):
            return True
        is_broken = isinstance(self._interrupt, ast.Break)
        self._interrupt = None
        return is_broken

    # Errors

    def on_assert(self, node: ast.Assert) -> None:
        if not self.run(node.test):
            text = message("script.assertion", "the assertion does not hold")
            raise RaisedError(AssertionError, self._text(node.msg) if node.msg else text)

    def on_raise(self, node: ast.Raise) -> NoReturn:
        match node.exc:
            case ast.Call(func=ast.Name(id=name), args=[text]):
                raise RaisedError(EXCEPTIONS[name], self._text(text))
            case ast.Name(id=name):
                raise RaisedError(EXCEPTIONS[name], foreign(name))
        raise self._handled[-1]

    def _text(self, node: ast.expr) -> Message:
        return foreign(SCRIPT_FUNCTIONS["str"].call(self._budget, self.run(node))[:500])

    def on_try(self, node: ast.Try) -> None:
        try:
            self._run_block(node.body)
        except CATCHABLE as error:
            handler = find_handler(node.handlers, error)
            if handler is None:
                raise
            self._failed_line = 0
            if handler.name:
                # A text: an exception of Python's would lead to its frames.
                self.symtable[handler.name] = str(explain(error))
            self._handled.append(error)
            self._run_block(handler.body)
            self._handled.pop()
        else:
            self._run_block(node.orelse)
        finally:
            if node.finalbody:
                pending = self.retval, self._interrupt
                self.retval = self._interrupt = None
                self._run_block(node.finalbody)
                if self._interrupt is None:
                    self.retval, self._interrupt = pending


def _check_count(value: Any, count: int) -> None:
    """Raises what Python raises when so many names cannot be given their values."""
    if type(value) not in {*CONTAINERS, str}:
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object")
    if len(value) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(value) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(value)})")
