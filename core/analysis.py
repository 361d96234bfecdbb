"""The analysis of a tool's logic while somebody writes it; that of SQL is in toolbuilder."""

import io
import tokenize
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from core.diagnostics import (
    Diagnostic,
    Severity,
    Utf16Offsets,
    diagnostic_json,
    use_fix,
)
from core.errors import DefinitionError, ExpressionError
from core.execution import CompiledTool
from core.expression import compile_expression, find_names
from core.http_logic import read_operation
from core.inference import infer_parameters
from core.messages import Message, message
from core.script import compile_script, find_script_faults, find_script_names
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
_PARTS = {
    "http.definition_path": "path",
    "http.definition_path_parameter": "path",
    "http.value_name": "query",
    "http.header_text": "headers",
    "http.definition_header": "headers",
    "http.body_no_json": "body",
    "http.paging_unsafe": "paging",
    "http.retries_unsafe": "retries",
}
_NO_NAME = "draft"
# More at once help nobody.
MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class FoundParameter:
    """A parameter that the logic uses, with every place; `type` is declared or else inferred.

    `is_optional`: the logic itself allows that it is left out.
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
    places, inferred = _find_places(text, names), infer_parameters(text)
    found = tuple(
        FoundParameter(
            name,
            declared.get(name) or inferred.types.get(name, ParameterType.STRING),
            name in declared,
            places.get(name, ()),
            name in inferred.optional,
        )
        for name in names
    )
    compile_logic = compile_expression if isinstance(logic, ExpressionLogic) else compile_script
    try:
        compile_logic(text, [*declared, *names])
    except ExpressionError as error:
        several = find_script_faults(text) if kind == "SCRIPT" else []
        faults = [
            Diagnostic(
                message=fault.message,
                code="python",
                start=place_of(text, fault.position)[0],
                end=place_of(text, fault.position)[1],
                fix=find_word_fix(text, str(fault), fault.position),
            )
            for fault in several[:MOST_FAULTS] or [error]
        ]
        return Analysis(text=text, kind=kind, diagnostics=tuple(faults), parameters=found)
    return Analysis(text=text, kind=kind, parameters=found)


def analyse_operation(logic: HttpLogic, parameters: Sequence[ParameterSpec]) -> Analysis:
    """The analysis of an HTTP operation: the parameters that it names, and those of its own that are declared.

    A fault has the part of the request that it is in as its code, such as `http-body`.
    """
    try:
        operation = read_operation(logic.operation)
    except DefinitionError as error:
        fault = Diagnostic(message=error.message, code=find_part(error.message))
        return Analysis(text=logic.operation, kind="HTTP", diagnostics=(fault,))
    declared = {spec.name: spec.type for spec in parameters}
    found = [
        FoundParameter(
            parameter.argument,
            declared.get(parameter.argument, ParameterType.STRING),
            parameter.argument in declared,
        )
        for parameter in operation.parameters
        if parameter.needs_row or parameter.argument in declared
    ]
    return Analysis(text=logic.operation, kind="HTTP", parameters=tuple(found))


def find_part(fault: Message) -> str:
    """The part of an HTTP request that the fault is in, as `http-path`; `definition` if it is in none."""
    part = _PARTS.get(fault.code, "")
    if fault.code == "http.part_fault":
        part = str(fault.values["part"])
    return f"http-{part}" if part else "definition"


def complain_of_declarations(
    analysis: Analysis, parameters: Sequence[ParameterSpec]
) -> list[Diagnostic]:
    """Names that are used and not declared, and parameters that are declared and not used."""
    used = {found.name for found in analysis.parameters}
    # Half a text has half the names: those behind its fault may be used all the same.
    unused = [spec.name for spec in parameters if spec.name not in used and analysis.is_valid]
    faults: list[Diagnostic] = []
    for found in analysis.parameters:
        if found.is_declared:
            continue
        start, end = found.places[0] if found.places else (0, 0)
        # One name too many and one too few: the author most likely renamed one of them.
        is_renamed = len(unused) == 1 and start != end
        faults.append(
            Diagnostic(
                message=message(
                    "logic.name_undeclared",
                    "{name} is not declared; add the parameter, or mend the name",
                    name=found.name,
                ),
                code="undeclared",
                start=start,
                end=end,
                parameter=found.name,
                fix=use_fix(unused[0], start, end) if is_renamed else None,
            )
        )
    for name in unused:
        text = message(
            "logic.parameter_unused",
            "{name} is declared but not used; use it or remove the parameter",
            name=name,
        )
        faults.append(
            Diagnostic(message=text, severity=Severity.WARNING, code="unused", parameter=name)
        )
    return faults


def check_whole(spec: ToolSpec, parameters: Sequence[ParameterSpec]) -> Diagnostic | None:
    """What is wrong with a tool's logic and these parameters, judged as it is when the tool is served."""
    logic = spec.logic
    whole = ToolSpec(
        id=0,
        name=_NO_NAME,
        logic=logic,
        parameters=tuple(parameters),
        annotations=spec.annotations,
    )
    try:
        CompiledTool(whole)
    except DefinitionError as error:
        start, end = place_of(text_of(logic), getattr(error, "position", None))
        is_parameter = error.message.code in {"parameter.fault", "http.path_needs_value"}
        name = str(error.message.values["name"]) if is_parameter else ""
        return Diagnostic(
            message=error.message,
            code=find_part(error.message),
            start=start,
            end=end,
            parameter=name if name.isidentifier() else "",
        )
    return None


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


def _find_places(text: str, names: Sequence[str]) -> dict[str, tuple[Place, ...]]:
    """The places of the names, as far as the text can be read; those inside f-strings may be missing."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    names_by_form = {normalize("NFKC", name): name for name in names}
    found: dict[str, list[Place]] = {}
    before = ""
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = names_by_form.get(normalize("NFKC", token.string))
            if token.type == tokenize.NAME and name and before != ".":
                start = lines[token.start[0] - 1] + token.start[1]
                found.setdefault(name, []).append((start, start + len(token.string)))
            before = token.string
    return {name: tuple(places) for name, places in found.items()}
