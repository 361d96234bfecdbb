"""Scripts: several lines of Python over the parameters of a tool, by the allow-list of expressions.

A script adds statements to what expressions can do: assignments, `if`, loops, and methods that change a
list or a dictionary. Its value is what `result` has at the end, or else its last line. Everything it
does is drawn from a budget, so that it ends; it is meant to run in a process that can be ended as well.
"""

import ast
import tokenize
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from types import TracebackType
from typing import Any, ClassVar
from unicodedata import normalize

from core.errors import EvaluationError, ExpressionError, StatedError
from core.expression import (
    FAILURES,
    NAMESPACE,
    explain_failure,
    keep_parameters,
    read_single_value,
)
from core.expressions.source import Source
from core.expressions.tree import function_name, operator_name
from core.expressions.values import admit_argument, export_result
from core.messages import Message, message
from core.scripts.functions import SCRIPT_FUNCTIONS, SCRIPT_METHODS, call_script_method
from core.scripts.limits import SCRIPT_BYTE_LIMIT, SCRIPT_NODE_LIMIT, ScriptBudget
from core.scripts.operations import IN_PLACE, change, delete, end_run, store, walk, walk_range
from core.scripts.syntax import ScriptRewriter, wrap_statements
from core.toolspec import SCRIPT, JsonValue

__all__ = [
    "SCRIPT_FUNCTIONS",
    "SCRIPT_METHODS",
    "CompiledScript",
    "compile_script",
    "find_script_names",
    "is_script",
]

_FILE_NAME = "<script>"
_COMPOUND = (
    *(ast.If, ast.For, ast.While, ast.With, ast.Try, ast.TryStar, ast.Match, ast.ClassDef),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith),
)
_SCRIPT_NAMESPACE: dict[str, Any] = {
    **NAMESPACE,
    "__change": change,
    "__delete": delete,
    "__end_run": end_run,
    "__method": call_script_method,
    "__range": walk_range,
    "__store": store,
    "__walk": walk,
    **{operator_name("in_place", symbol): guard for symbol, guard in IN_PLACE.items()},
    **{function_name(name): function.call for name, function in SCRIPT_FUNCTIONS.items()},
}


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A checked script as plain text; `names` are the parameters it reads.

    Another process may make it anew from both: what Python runs is compiled where it is evaluated first.
    """

    text: str
    names: tuple[str, ...]

    def evaluate(self, arguments: Mapping[str, object]) -> JsonValue:
        """The result as JSON; the arguments are not changed.

        Arguments that the script does not read are ignored. Raises EvaluationError if one that it reads
        is missing, and, with the line, when it fails or takes too many steps or too much memory.
        """
        run = _compile(self.text, self.names)[1]
        budget = ScriptBudget()
        try:
            values = [_admit(budget, name, arguments[name]) for name in self.names]
        except KeyError as error:
            raise EvaluationError(
                message("expression.value_missing", "no value for {name}", name=error.args[0])
            ) from None
        value = _run(run, budget, values)
        try:
            return export_result(budget, value)
        except _FAILURES as error:
            raise EvaluationError(_explain(error)) from None


def compile_script(text: str, parameter_names: Collection[str]) -> CompiledScript:
    """The checked script; raises ExpressionError with what is wrong and where."""
    return CompiledScript(text, _compile(text, tuple(parameter_names))[0])


def find_script_names(text: str, parameter_names: Collection[str] = ()) -> list[str]:
    """Names that must be parameters, in order of first appearance, up to the first fault.

    A variable that may be read before it has a value is among them if it is in `parameter_names`: the
    parameter is its first value.
    """
    source = _ScriptSource(text)
    rewriter = ScriptRewriter(None, source.locate)
    with suppress(ExpressionError, RecursionError):
        rewriter.rewrite_script(_read_statements(source))
    names = {normalize("NFKC", name): name for name in parameter_names}
    return keep_parameters(_read_parameters(rewriter, names), parameter_names)


def is_script(text: str) -> bool:
    """Whether the text is more than one expression, with or without `result =` before it.

    A text that cannot be read is a script if it has several lines of code; brackets join lines.
    """
    if len(text) > SCRIPT_BYTE_LIMIT:
        return "\n" in text.strip()
    try:
        body = ast.parse(text.lstrip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _has_several_lines(text)
    if len(body) != 1 or read_single_value(body) is not None:
        return len(body) > 1
    return isinstance(body[0], _COMPOUND)


def _has_several_lines(text: str) -> bool:
    ends = 0
    with suppress(SyntaxError, tokenize.TokenError):
        for token in tokenize.generate_tokens(StringIO(text.lstrip()).readline):
            if ends and token.type not in {tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER}:
                return True
            ends += token.type == tokenize.NEWLINE
    return False


class _ScriptSource(Source):
    logic: ClassVar[Message] = SCRIPT
    byte_limit = SCRIPT_BYTE_LIMIT
    node_limit = SCRIPT_NODE_LIMIT

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._margin = 0

    def read_body(self) -> list[ast.stmt]:
        """The statements; those of a text that is indented as a whole too."""
        first = next((line for line in self.text.splitlines() if _holds_code(line)), "")
        if first[:1] not in {" ", "\t"}:
            return ast.parse(self.text).body
        module = ast.parse(f"if 1:\n{self.text}")
        if len(module.body) > 1:
            raise IndentationError("unindent does not match any outer indentation level")
        ast.increment_lineno(module, -1)
        block = module.body[0]
        return block.body if isinstance(block, ast.If) else []


def _holds_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _read_statements(source: Source) -> list[ast.stmt]:
    body = source.parse()
    if not body:
        raise ExpressionError(message("script.empty", "the script is empty"), 0)
    source.check_size(*body)
    return body


@lru_cache(maxsize=256)
def _compile(
    text: str, parameter_names: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The parameters that the script reads, and the function that takes their values."""
    names = {normalize("NFKC", name): name for name in parameter_names}
    source = _ScriptSource(text)
    rewriter = ScriptRewriter(names, source.locate)
    try:
        body = rewriter.rewrite_script(_read_statements(source))
        read = _read_parameters(rewriter, names)
        code = compile(wrap_statements(body, read), _FILE_NAME, "exec")
    except RecursionError:
        raise ExpressionError(
            message("script.nested_too_deeply", "the script is nested too deeply")
        ) from None
    scope = dict(_SCRIPT_NAMESPACE)
    exec(code, scope)  # noqa: S102 - the tree was built from the allow-list alone
    return tuple(names[name] for name in read), scope["__script"]


def _read_parameters(rewriter: ScriptRewriter, names: Collection[str]) -> list[str]:
    for node in rewriter.doubtful:
        if node.id in names:
            rewriter.note_parameter(node)
    return rewriter.free_names()


def _admit(budget: ScriptBudget, name: str, value: Any) -> Any:
    """The argument; a list as a copy, since the script may change it."""
    admitted = admit_argument(budget, name, value)
    return list(admitted) if type(admitted) is list else admitted


# A dictionary or a set that changes while it is walked is a RuntimeError.
_FAILURES = (*FAILURES, RuntimeError)


def _run(function: Callable[..., Any], budget: ScriptBudget, values: list[Any]) -> Any:
    try:
        return function(budget, *values)
    except StatedError as error:
        raise EvaluationError(error.message) from None
    except (EvaluationError, *_FAILURES) as error:
        line = _find_line(error.__traceback__)
        raise EvaluationError(
            message(
                "script.at_line", "line {line}: {reason}", line=str(line), reason=_explain(error)
            )
        ) from None


def _find_line(traceback: TracebackType | None) -> int:
    """The line of the script in which the error came up, the innermost of a nested expression."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE_NAME:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _explain(error: Exception) -> Message:
    match error:
        case NameError():
            name = str(error).split("'")[1]
            return message(
                "script.no_value_yet", "{name} has no value yet; give it one before", name=name
            )
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
