"""What is known of a tool's logic while it is being written, and the analysis of Python logic."""

import ast
import io
import tokenize
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from core.diagnostics import (
    Diagnostic,
    Fix,
    Severity,
    Utf16Offsets,
    diagnostic_json,
    use_fix,
)
from core.errors import DefinitionError, ExpressionError
from core.execution import CompiledTool
from core.expression import compile_expression, find_names
from core.expressions.source import Source
from core.http_logic import read_operation
from core.messages import Message, message
from core.script import compile_script, find_script_names
from core.statements.repairs import find_word_fix, place_of
from core.toolspec import (
    ExpressionLogic,
    HttpLogic,
    Logic,
    ParameterSpec,
    ParameterType,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)

Place = tuple[int, int]
Types = Mapping[str, ParameterType]
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_OF_NUMBERS = frozenset({"mean", "median", "stdev", "sum"})
_TEXT_METHODS = frozenset(
    {"casefold", "endswith", "lower", "replace", "split", "startswith", "strip", "title", "upper"}
)
_NO_NAME = "draft"
# Each carries what is known one name further.
_INFERENCE_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class FoundParameter:
    """A parameter that the logic uses, with every place; `type` is the declared or else the inferred one.

    `is_optional` of one that the logic itself takes for one that may be left out.
    """

    name: str
    type: ParameterType
    is_declared: bool
    places: tuple[Place, ...] = ()
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of the answer; `type` as people write it, such as `integer`."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that the editor shows of the logic; offsets count characters of `text`.

    `kind` is the word that begins a statement, or EXPRESSION or SCRIPT. `is_valid` says that the tool
    could be served as far as its logic and parameters go.
    """

    text: str
    kind: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    parameters: tuple[FoundParameter, ...] = ()
    columns: tuple[ResultColumn, ...] = ()
    elapsed_ms: float = 0.0

    @property
    def is_valid(self) -> bool:
        return all(found.severity is not Severity.ERROR for found in self.diagnostics)

    def to_json(self, show: Callable[[Message], str] = str) -> dict[str, Any]:
        """The analysis for the browser; `from` and `to` count UTF-16 code units, as CodeMirror does.

        `show` gives texts in the reader's language.
        """
        offsets = Utf16Offsets(self.text)
        return {
            "is_valid": self.is_valid,
            "kind": self.kind,
            "diagnostics": [diagnostic_json(found, offsets, show) for found in self.diagnostics],
            "parameters": [
                {
                    "name": found.name,
                    "type": found.type.value,
                    "is_declared": found.is_declared,
                    "places": [
                        {"from": offsets.of(start), "to": offsets.of(end)}
                        for start, end in found.places
                    ],
                }
                for found in self.parameters
            ],
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


def analyse_python(
    logic: ExpressionLogic | ScriptLogic, parameters: Sequence[ParameterSpec]
) -> Analysis:
    """The analysis of an expression or script; nothing is run."""
    declared = {spec.name: spec.type for spec in parameters}
    if isinstance(logic, ExpressionLogic):
        text, kind, names = logic.expression, "EXPRESSION", find_names(logic.expression, declared)
    else:
        text, kind = logic.script, "SCRIPT"
        names = find_script_names(text, declared)
    places = _find_places(text, names)
    types = _infer_types(text)
    found = tuple(
        FoundParameter(
            name,
            declared.get(name) or types.get(name, ParameterType.STRING),
            name in declared,
            places.get(name, ()),
        )
        for name in names
    )
    fault = _find_fault(logic, [*declared, *names])
    return Analysis(text=text, kind=kind, diagnostics=(fault,) if fault else (), parameters=found)


def analyse_operation(logic: HttpLogic, parameters: Sequence[ParameterSpec]) -> Analysis:
    """The analysis of an HTTP operation: which of the declared parameters it takes."""
    try:
        names = [each.argument for each in read_operation(logic.operation).parameters]
    except DefinitionError as error:
        fault = Diagnostic(message=error.message, code="definition", start=0, end=0)
        return Analysis(text=logic.operation, kind="HTTP", diagnostics=(fault,))
    found = [
        FoundParameter(spec.name, spec.type, is_declared=True)
        for spec in parameters
        if spec.name in names
    ]
    return Analysis(text=logic.operation, kind="HTTP", parameters=tuple(found))


def complain_of_declarations(
    analysis: Analysis, parameters: Sequence[ParameterSpec]
) -> list[Diagnostic]:
    """Names that are used and not declared, and parameters that are declared and not used."""
    used = {found.name for found in analysis.parameters}
    # Half a text has half the names: those behind its fault may be used all the same.
    unused = [spec.name for spec in parameters if spec.name not in used and analysis.is_valid]
    return [
        *(_undeclared(found, unused) for found in analysis.parameters if not found.is_declared),
        *(_unused(name) for name in unused),
    ]


def check_whole(logic: Logic, parameters: Sequence[ParameterSpec]) -> Diagnostic | None:
    """What is wrong with logic and parameters together, judged as it is when the tool is served."""
    text = text_of(logic)
    try:
        CompiledTool(ToolSpec(id=0, name=_NO_NAME, logic=logic, parameters=tuple(parameters)))
    except DefinitionError as error:
        position = getattr(error, "position", None)
        start, end = place_of(text, position)
        return Diagnostic(
            message=error.message,
            code="definition",
            start=start,
            end=end,
            parameter=_find_parameter(error.message),
        )
    return None


def _find_parameter(text: Message) -> str:
    name = text.values.get("name") if text.code == "parameter.fault" else ""
    return name if isinstance(name, str) and name.isidentifier() else ""


def text_of(logic: Logic) -> str:
    """The text that the author writes."""
    match logic:
        case SqlLogic():
            return logic.statement
        case ExpressionLogic():
            return logic.expression
        case ScriptLogic():
            return logic.script
        case HttpLogic():
            return logic.operation


def _undeclared(found: FoundParameter, unused: Sequence[str]) -> Diagnostic:
    start, end = found.places[0] if found.places else (0, 0)
    return Diagnostic(
        message=message(
            "logic.name_undeclared",
            "{name} is not declared; add the parameter, or mend the name",
            name=found.name,
        ),
        code="undeclared",
        start=start,
        end=end,
        parameter=found.name,
        fix=_rename_to(unused, start, end),
    )


def _rename_to(unused: Sequence[str], start: int, end: int) -> Fix | None:
    """One name too many and one too few: the author most likely renamed one of them."""
    if len(unused) != 1 or start == end:
        return None
    return use_fix(unused[0], start, end)


def _unused(name: str) -> Diagnostic:
    return Diagnostic(
        message=message(
            "logic.parameter_unused",
            "{name} is declared but not used; use it or remove the parameter",
            name=name,
        ),
        severity=Severity.WARNING,
        code="unused",
        parameter=name,
    )


def _find_fault(logic: ExpressionLogic | ScriptLogic, names: Sequence[str]) -> Diagnostic | None:
    text = text_of(logic)
    try:
        if isinstance(logic, ExpressionLogic):
            compile_expression(text, names)
        else:
            compile_script(text, names)
    except ExpressionError as error:
        start, end = place_of(text, error.position)
        fix = find_word_fix(text, str(error), error.position)
        return Diagnostic(message=error.message, code="python", start=start, end=end, fix=fix)
    return None


def _find_places(text: str, names: Sequence[str]) -> dict[str, tuple[Place, ...]]:
    """Where the names stand, as far as the text can be read; those inside of f-strings may be missed."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    wanted = {normalize("NFKC", name): name for name in names}
    found: dict[str, list[Place]] = {}
    before = ""
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = wanted.get(normalize("NFKC", token.string))
            if token.type == tokenize.NAME and name and before != ".":
                start = lines[token.start[0] - 1] + token.start[1]
                found.setdefault(name, []).append((start, start + len(token.string)))
            before = token.string
    return {name: tuple(places) for name, places in found.items()}


def _infer_types(text: str) -> dict[str, ParameterType]:
    """Types by what is done with a name: arithmetic, a method of texts, a function or a loop of lists.

    What is learned of one name tells of others: `for n in numbers: total += n` after `total = 0`.
    """
    try:
        body = Source(text).parse()
    except ExpressionError:
        return {}
    nodes = [node for statement in body for node in ast.walk(statement)]
    types: dict[str, ParameterType] = {}
    for _ in range(_INFERENCE_ROUNDS):
        before = dict(types)
        for node in nodes:
            for name, kind in _types_by(node, before):
                is_surer = kind is ParameterType.NUMBER_LIST
                types[name] = (
                    kind if is_surer and _is_open_list(types, name) else types.get(name, kind)
                )
        if types == before:
            break
    return types


def _is_open_list(types: Types, name: str) -> bool:
    return types.get(name) in {None, ParameterType.STRING_LIST}


def _types_by(node: ast.AST, known: Types) -> list[tuple[str, ParameterType]]:
    match node:
        case (
            ast.BinOp(left=left, op=op, right=right)
            | ast.AugAssign(target=left, op=op, value=right)
        ):
            is_sum = isinstance(op, ast.Add) and _is_number(known, left, right)
            is_number = is_sum or isinstance(op, _ARITHMETIC)
            return _named([left, right], ParameterType.NUMBER) if is_number else []
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            kind = ParameterType.NUMBER_LIST
            return _named([right], kind) if _is_number(known, left) else []
        case (
            ast.Assign(targets=[left], value=right) | ast.Compare(left=left, comparators=[right])
        ) if _is_number(known, left, right):
            return _named([left, right], ParameterType.NUMBER)
        case ast.Call(func=func, args=args):
            return _types_by_call(func, args)
        case (
            ast.comprehension(target=target, iter=ast.Name(id=name))
            | ast.For(target=target, iter=ast.Name(id=name))
        ):
            return _types_by_loop(target, name, known)
    return []


def _types_by_call(func: ast.expr, args: Sequence[ast.expr]) -> list[tuple[str, ParameterType]]:
    match func:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _TEXT_METHODS:
            return [(name, ParameterType.STRING)]
        case ast.Name(id=function) if function in _OF_NUMBERS:
            return _named(args, ParameterType.NUMBER_LIST)
    return []


def _types_by_loop(target: ast.expr, name: str, known: Types) -> list[tuple[str, ParameterType]]:
    """What is walked through is a list: of numbers, if its items are."""
    if known.get(name) is ParameterType.NUMBER_LIST:
        return _named([target], ParameterType.NUMBER)
    kind = ParameterType.NUMBER_LIST if _is_number(known, target) else ParameterType.STRING_LIST
    return [(name, kind)]


def _is_number(known: Types, *nodes: ast.expr) -> bool:
    """Whether one of the operands is a number, so that the other one has to be."""
    return any(
        (isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC))
        or (isinstance(node, ast.Constant) and type(node.value) in {int, float})
        or (isinstance(node, ast.UnaryOp) and _is_number(known, node.operand))
        or (isinstance(node, ast.Name) and known.get(node.id) is ParameterType.NUMBER)
        for node in nodes
    )


def _named(nodes: Sequence[ast.expr], kind: ParameterType) -> list[tuple[str, ParameterType]]:
    return [(node.id, kind) for node in nodes if isinstance(node, ast.Name)]
