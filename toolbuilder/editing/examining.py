"""One look at a working copy: its logic analysed, its parameters brought in step, its faults named."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from catalog.sources.settings import SourceSettings
from core.analysis import Analysis, check_whole
from core.diagnostics import Diagnostic, Severity
from core.errors import DefinitionError
from core.messages import Message
from core.toolspec import ParameterSpec, ParameterType, ToolSpec
from toolbuilder.editing.analysis import analyse
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.values import read_again
from tools.definitions import MAX_PARAMETERS, ParameterDocument, ToolDocument
from tools.specs import build_parameter

# Names that are at least so alike are one that was mended.
_ALIKE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is known of a working copy. `spec` is None if a column cannot be read at all.

    `document` has its parameters in step with the logic. `faults` are complaints by parameter name.
    """

    document: DraftDocument
    spec: ToolSpec | None
    analysis: Analysis
    faults: dict[str, Message]

    @property
    def is_valid(self) -> bool:
        """Whether it could be served, as far as logic and parameters go."""
        return self.spec is not None and self.analysis.is_valid and not self.faults


def examine(
    document: DraftDocument, sources: SourceSettings, username: str, *, tool_id: int = 0
) -> Examined:
    """The document as the database sees it; never raises for what its author wrote."""
    reading = _Reading(sources, tool_id)
    open_spec = reading.spec_of(types_to_infer(document).tool)
    if open_spec is None:
        found = Analysis(text=document.tool.definition, diagnostics=tuple(reading.diagnostics))
        return Examined(document=document, spec=None, analysis=found, faults=reading.faults)
    analysis = analyse(open_spec, sources, username, declares_missing=True)
    followed = follow_logic(document, analysis)
    names = {row.param_name for row in followed.tool.parameters}
    # A name that was mended is not unused: the row has followed.
    kept = [
        found
        for found in analysis.diagnostics
        if found.code != "unused" or found.parameter in names
    ]
    analysis = replace(analysis, diagnostics=tuple(kept))
    whole = _Reading(sources, tool_id)
    spec = whole.spec_of(followed.tool)
    diagnostics = [*analysis.diagnostics, *whole.diagnostics]
    if spec and analysis.is_valid and not whole.faults:
        fault = check_whole(spec, spec.parameters)
        diagnostics += [fault] if fault else []
    faults = dict(whole.faults)
    for diagnostic in diagnostics:
        if diagnostic.parameter and diagnostic.severity is Severity.ERROR:
            faults[diagnostic.parameter] = diagnostic.message
    judged = replace(analysis, diagnostics=tuple(diagnostics))
    return Examined(document=followed, spec=spec, analysis=judged, faults=faults)


class _Reading:
    """Rows to a spec, with every fault noted instead of the first one raised."""

    def __init__(self, sources: SourceSettings, tool_id: int) -> None:
        self._sources, self._tool_id = sources, tool_id
        self.faults: dict[str, Message] = {}
        self.diagnostics: list[Diagnostic] = []

    def spec_of(self, snapshot: ToolDocument) -> ToolSpec | None:
        try:
            spec = snapshot.replace(parameters=()).to_spec(self._sources, tool_id=self._tool_id)
        except DefinitionError as error:
            self.diagnostics.append(Diagnostic(message=error.message, code="definition"))
            return None
        parameters: list[ParameterSpec] = []
        for row in snapshot.parameters:
            try:
                parameters.append(build_parameter(row))
            except DefinitionError as error:
                self.faults[row.param_name] = error.message
        return replace(spec, parameters=tuple(parameters))


def follow_logic(document: DraftDocument, analysis: Analysis) -> DraftDocument:
    """The document with a row for each parameter that the logic uses.

    A row is required unless the logic lets its parameter be left out, until somebody has set it; a text
    with faults makes none required.
    One name too many and one alike too few is a renamed parameter, which keeps all that is said of it.
    A row that nobody has touched goes with its name; others stay until they are removed. Of a text with
    faults, which may have half its names only, no row goes.
    """
    used = {found.name: found for found in analysis.parameters}
    document = _rename(document, used)
    rows = [
        row
        for row in document.tool.parameters
        if row.param_name in used or not analysis.is_valid or not _is_pristine(row, document)
    ]
    declared = {row.param_name for row in rows}
    new = [name for name in used if name not in declared]
    rows += [
        ParameterDocument(param_name=name) for name in new[: max(0, MAX_PARAMETERS - len(rows))]
    ]
    types, presences = {*document.auto_types, *new}, {*document.auto_presence, *new}
    values = dict(document.test_values)
    for place, row in enumerate(rows):
        name, found = row.param_name, used.get(row.param_name)
        if found and name in types:
            rows[place] = row.replace(param_type=found.type.value)
            if name in values and row.param_type in list(ParameterType):
                values[name] = read_again(values[name], ParameterType(row.param_type), found.type)
        if found and name in presences and (found.is_optional or analysis.is_valid or name in new):
            rows[place] = rows[place].replace(is_required=not found.is_optional)
    names = {row.param_name for row in rows}
    return DraftDocument(
        tool=document.tool.replace(parameters=tuple(rows)),
        test_values={key: value for key, value in values.items() if key in names},
        auto_types=tuple(row.param_name for row in rows if row.param_name in types),
        auto_presence=tuple(row.param_name for row in rows if row.param_name in presences),
    )


def types_to_infer(document: DraftDocument) -> DraftDocument:
    """The document as the analysis has to see it: parameters whose type is open are not declared."""
    rows = (row for row in document.tool.parameters if row.param_name not in document.auto_types)
    return replace(document, tool=document.tool.replace(parameters=tuple(rows)))


def _is_pristine(row: ParameterDocument, document: DraftDocument) -> bool:
    """Whether nobody has said anything of the parameter."""
    pristine = ParameterDocument(
        param_name=row.param_name, param_type=row.param_type, is_required=row.is_required
    )
    is_open = row.param_name in document.auto_types and row.param_name not in document.test_values
    return row == pristine and is_open


def _rename(document: DraftDocument, used: Collection[str]) -> DraftDocument:
    declared = [row.param_name for row in document.tool.parameters]
    new = [name for name in used if name not in declared]
    unused = [name for name in declared if name not in used]
    if len(new) != 1 or len(unused) != 1:
        return document
    (old_name,), (new_name,) = unused, new
    is_longer = old_name.startswith(new_name) or new_name.startswith(old_name)
    likeness = SequenceMatcher(None, old_name, new_name, autojunk=False).ratio()
    if not is_longer and likeness < _ALIKE:
        return document
    names = {old_name: new_name}
    return DraftDocument(
        tool=document.tool.replace(
            parameters=tuple(
                row.replace(param_name=names.get(row.param_name, row.param_name))
                for row in document.tool.parameters
            )
        ),
        test_values={names.get(name, name): value for name, value in document.test_values.items()},
        auto_types=tuple(names.get(name, name) for name in document.auto_types),
        auto_presence=tuple(names.get(name, name) for name in document.auto_presence),
    )
