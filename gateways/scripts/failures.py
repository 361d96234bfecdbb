"""What fails in a run: which handler of the script takes it, and what is said of it."""

import ast
from collections.abc import Sequence

from core.errors import EvaluationError, StatedError
from core.expression import FAILURES, explain_failure
from core.messages import Message, message
from core.scripts.names import EXCEPTIONS

CATCHABLE = (*FAILURES, EvaluationError, RuntimeError)
_KINDS_BY_CODE: dict[str, type[Exception]] = {
    "expression.no_key": KeyError,
    "expression.position_outside": IndexError,
    "script.position_outside": IndexError,
    "expression.no_method": AttributeError,
    "script.no_value_yet": NameError,
    "script.calls_nested": RuntimeError,
    **dict.fromkeys(
        (
            *("expression.argument_kinds", "expression.compare_kinds", "expression.format_kind"),
            *("expression.join_kind", "expression.key_kind", "expression.list_needed"),
            *("expression.no_subscript", "expression.operator_kinds", "expression.position_kind"),
            *(
                "expression.sum_kind",
                "expression.sign_kind",
                "expression.str_of_kind",
                "expression.text_in_text",
            ),
            *("expression.call_unfit", "script.not_callable", "script.range_kinds"),
            *("script.store_kind", "script.unite_kinds"),
        ),
        TypeError,
    ),
}


class RaisedError(EvaluationError):
    """What a script raises, of the kind that it names."""

    def __init__(self, kind: type[Exception], text: Message) -> None:
        super().__init__(text)
        self.kind = kind


def find_handler(
    handlers: Sequence[ast.ExceptHandler], error: Exception
) -> ast.ExceptHandler | None:
    """The first handler of this kind of error; None too for errors that end the run whatever it says."""
    if isinstance(error, StatedError | MemoryError | RecursionError):
        return None
    kind = type(error)
    if isinstance(error, RaisedError):
        kind = error.kind
    elif isinstance(error, EvaluationError):
        if error.message.code == "logic.too_many_steps":
            return None
        kind = _KINDS_BY_CODE.get(error.message.code, ValueError)
    for handler in handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for node in types:
            if not isinstance(node, ast.Name) or issubclass(kind, EXCEPTIONS[node.id]):
                return handler
    return None


def explain(error: Exception) -> Message:
    """What went wrong, in words for agents."""
    match error:
        case EvaluationError():
            return error.message
        case MemoryError():
            return message("script.memory", "the script needs too much memory")
        case RecursionError():
            return explain_failure(error)
        case RuntimeError():
            return message(
                "script.changed_while_walked",
                "a dictionary or set changes while it is walked; walk list(...) of it",
            )
        case _:
            return explain_failure(error)
