"""The functions that a script defines, and the scopes of its names."""

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, Protocol

from core.errors import EvaluationError
from core.messages import message
from core.scripts.names import find_stored_names


class Scope(dict[str, Any]):
    """The variables of a script, a function or a comprehension; others are those around it.

    The `own` names are never those around it, whether they have a value yet or not.
    """

    __slots__ = ("_around", "_own")

    def __init__(
        self, around: Mapping[str, Any], names: Mapping[str, Any], own: Collection[str] = ()
    ) -> None:
        super().__init__(names)
        self._around = around
        self._own = own

    def __missing__(self, name: str) -> Any:
        if name in self._own:
            raise KeyError(name)
        return self._around[name]

    def holds_function(self, name: str) -> bool:
        """Whether the variable of this name, if there is one, is a function of the script."""
        try:
            return type(self[name]) is ScriptFunction
        except KeyError:
            return False


class _Interpreter(Protocol):
    def run(self, node: ast.expr) -> Any: ...

    def run_function(self, body: Sequence[ast.stmt], scope: Scope) -> Any: ...


class ScriptFunction:
    """A function of a script: a value that can be called, kept and passed on, and nothing else."""

    __slots__ = ("_around", "_body", "_interpreter", "_name", "_own", "_signature")

    def __init__(
        self, node: ast.FunctionDef | ast.Lambda, around: Scope, interpreter: _Interpreter
    ) -> None:
        if isinstance(node, ast.Lambda):
            self._name = "lambda"
            self._body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            self._name, self._body = node.name, node.body
        self._signature = _make_signature(node.args, interpreter.run)
        self._own = find_stored_names(self._body)
        self._around = around
        self._interpreter = interpreter

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        try:
            bound = self._signature.bind(*arguments, **options)
        except TypeError as error:
            raise EvaluationError(
                message(
                    "expression.call_unfit",
                    "{name}(): {reason}",
                    name=self._name,
                    reason=str(error),
                )
            ) from None
        bound.apply_defaults()
        scope = Scope(self._around, bound.arguments, self._own)
        return self._interpreter.run_function(self._body, scope)

    def __repr__(self) -> str:
        return f"<function {self._name}>"


# What agents read of a value that is a function.
ScriptFunction.__name__ = "function"


def _make_signature(arguments: ast.arguments, evaluate: Callable[[ast.expr], Any]) -> Signature:
    """How the function may be called; its defaults are computed now, once."""
    named = [
        *((argument, Parameter.POSITIONAL_ONLY) for argument in arguments.posonlyargs),
        *((argument, Parameter.POSITIONAL_OR_KEYWORD) for argument in arguments.args),
    ]
    missing = len(named) - len(arguments.defaults)
    defaults = [Parameter.empty] * missing + [evaluate(node) for node in arguments.defaults]
    parameters = [
        Parameter(argument.arg, kind, default=default)
        for (argument, kind), default in zip(named, defaults, strict=True)
    ]
    if arguments.vararg:
        parameters.append(Parameter(arguments.vararg.arg, Parameter.VAR_POSITIONAL))
    for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        default = Parameter.empty if node is None else evaluate(node)
        parameters.append(Parameter(argument.arg, Parameter.KEYWORD_ONLY, default=default))
    if arguments.kwarg:
        parameters.append(Parameter(arguments.kwarg.arg, Parameter.VAR_KEYWORD))
    return Signature(parameters)
