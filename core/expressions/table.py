"""How a function of the allow-list is kept: its guarded call, its line of documentation, its signature."""

import functools
import re
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from core.errors import EvaluationError
from core.expressions.limits import (
    CONTAINERS,
    Budget,
    Guard,
    check_value,
    kind_name,
    kind_name_of_type,
    kinds_apart,
)
from core.messages import join, message

# What Python says where a list is put in order whose items have none.
_COMPARED = re.compile(r"'[<>]=?' not supported between instances of '([\w.]+)' and '([\w.]+)'")


class Function(NamedTuple):
    """A function or method of the allow-list.

    `call` takes the budget first (a method: then the object); `signature` is without the budget.
    """

    call: Guard
    doc: str
    signature: Signature


def guard_function(name: str, function: Guard) -> Function:
    """The function with a checked result, and with kinds instead of Python's types in its errors."""

    @functools.wraps(function)
    def call(budget: Budget, /, *args: Any, **options: Any) -> Any:
        try:
            return check_value(budget, function(budget, *args, **options))
        except TypeError as error:
            # Of a lone argument that is no list, the function is what it does not fit.
            is_several = len(args) > 1 or any(type(value) in CONTAINERS for value in args)
            compared = _COMPARED.search(str(error)) if is_several else None
            if compared:
                left, right = map(kind_name_of_type, compared.groups())
                raise EvaluationError(kinds_apart(left, right)) from None
            kinds = join(map(kind_name, args)) if args else message("kind.nothing", "nothing")
            raise EvaluationError(
                message(
                    "expression.argument_kinds",
                    "{name}() does not accept {kinds}",
                    name=name,
                    kinds=kinds,
                )
            ) from None

    declared = signature(function)
    shown = [
        parameter.replace(annotation=Parameter.empty) for parameter in declared.parameters.values()
    ]
    return Function(call, (function.__doc__ or "").split("\n", 1)[0], Signature(shown[1:]))


def make_table(*functions: Guard) -> dict[str, Function]:
    """The guarded functions by their names, without the underscore that keeps them from Python's own."""
    names = [function.__name__.strip("_") for function in functions]
    return {
        name: guard_function(name, function)
        for name, function in zip(names, functions, strict=True)
    }
