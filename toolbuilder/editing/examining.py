"""One look at a working copy: its logic analysed, its parameters brought in step, its faults named."""

from dataclasses import dataclass, replace

from catalog.sources.settings import SourceSettings
from core.analysis import Analysis, check_whole
from core.diagnostics import Diagnostic, Severity
from core.errors import DefinitionError
from core.messages import Message
from core.toolspec import ParameterSpec, ToolSpec
from toolbuilder.editing.analysis import analyse
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.following import follow_logic, types_to_infer
from tools.definitions import ToolDocument
from tools.specs import build_parameter


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
        fault = check_whole(spec.logic, spec.parameters)
        diagnostics += [fault] if fault else []
    faults = dict(whole.faults)
    for diagnostic in diagnostics:
        if diagnostic.parameter and diagnostic.severity is Severity.ERROR:
            faults[diagnostic.parameter] = diagnostic.message
    judged = replace(analysis, diagnostics=tuple(diagnostics))
    return Examined(document=followed, spec=spec, analysis=judged, faults=faults)


def read_spec(document: DraftDocument, sources: SourceSettings, *, tool_id: int = 0) -> ToolSpec:
    """The tool that the document says. Raises DefinitionError if it cannot be read."""
    return document.tool.to_spec(sources, tool_id=tool_id)


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
