"""What the editor's page shows of a working copy, and what agents see of it, ready for its templates."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from catalog.sources.settings import SourceSettings
from core.dialects import find_rules
from core.errors import DefinitionError
from core.execution import TOOL_NAME
from core.languages import languages_of, translate_spec
from core.toolspec import Binding, JsonValue, ParameterType, SqlLogic
from toolbuilder.editing.advice import ShownAdvice, advise_draft, show_advice
from toolbuilder.editing.drafts import DraftDocument, Work
from toolbuilder.editing.examining import Examined, examine
from toolbuilder.editing.explanations import show_analysis
from toolbuilder.editing.form import OPTIONAL, REQUIRED
from toolbuilder.editing.http_page import ShownRequest, show_request
from toolbuilder.editing.trial import list_entry
from toolbuilder.editing.trial_records import read_trials
from toolbuilder.editing.values import EMPTY, state_of
from toolbuilder.models import ToolTrial
from tools.definitions import ParameterDocument
from tools.models import ToolType
from tools.names import read_reserved_names


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRow:
    """One parameter as the form shows it; texts are what its fields hold.

    `presence` is what the logic says of it, '' of one that somebody has set. `key` names the row's fields (`<key>-type` ...) and, behind `p-`, its elements. `type` is the
    declared or inferred one; `fault` says what is wrong with it. `successor` is the new name in the
    logic that may well be this parameter's, of one that the logic no longer uses.
    """

    key: str
    name: str
    type: str
    is_auto: bool
    presence: str
    is_required: bool
    is_nullable: bool
    is_used: bool
    description: str
    descriptions: tuple[tuple[str, str], ...]
    test: str
    test_state: str
    default: str
    default_state: str
    allowed_values: str
    minimum: str
    maximum: str
    pattern: str
    example: str
    binding: str
    bound_value: str
    fault: str
    successor: str = ""

    @property
    def is_bound(self) -> bool:
        """Whether agents neither see nor give it."""
        return self.binding != Binding.AGENT

    @property
    def has_more(self) -> bool:
        """Whether its drawer says anything."""
        texts = (self.allowed_values, self.minimum, self.maximum, self.pattern, self.example)
        is_translated = any(text for _language, text in self.descriptions)
        return any(texts) or is_translated or self.is_nullable or self.is_bound

    @property
    def is_untouched(self) -> bool:
        """Whether nothing is said of the parameter but what its logic says."""
        texts = (self.description, self.test, self.test_state, self.default, self.default_state)
        return self.is_auto and not self.has_more and not any(texts)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the four steps to a tool; `field` is the id of what leads on."""

    id: str
    label: Promise
    is_done: bool
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """`entry` is the item of `tools/list` as indented JSON, '' with the reason in `problem`.

    `tokens` are what a model reads of it in every conversation; `served_tokens` those of what is
    served now, None if nothing is.
    """

    entry: str = ""
    problem: str = ""
    tokens: int = 0
    served_tokens: int | None = None
    advice: tuple[ShownAdvice, ...] = ()
    # Languages in which it is described beside the default text, each with its entry.
    translations: tuple[tuple[str, str], ...] = ()

    @property
    def token_change(self) -> int:
        """Tokens more than what is served."""
        return self.tokens - self.served_tokens if self.served_tokens is not None else 0


@dataclass(frozen=True, kw_only=True)
class WorkbenchPage:
    """All that the page shows. `name_fault` is '' or why the tool cannot have its name."""

    work: Work
    sources: SourceSettings
    examined: Examined
    agent: AgentView
    rows: tuple[ParameterRow, ...]
    steps: tuple[Step, ...]
    trials: Sequence[ToolTrial]
    name_fault: str = ""

    @property
    def document(self) -> DraftDocument:
        return self.examined.document

    @property
    def database(self) -> str:
        """What checks its queries, '' for a tool of another kind."""
        logic = self.examined.spec and self.examined.spec.logic
        return find_rules(logic.dialect).label if isinstance(logic, SqlLogic) else ""

    @property
    def analysis(self) -> dict[str, Any]:
        """The analysis for the script of the page."""
        return show_analysis(self.examined.analysis, in_language)

    @cached_property
    def request(self) -> ShownRequest:
        """The request of an HTTP tool; of another one, the empty fields of a request."""
        tool = self.document.tool
        is_http = tool.tool_type == ToolType.HTTP
        answer = self.trials[0].answer if is_http and self.trials else ""
        shown = tool if is_http else tool.replace(definition="")
        return show_request(shown, self.examined.analysis, answer)


def build_page(work: Work, sources: SourceSettings, username: str) -> WorkbenchPage:
    """The page of a work whose document was examined just now."""
    tool_id = work.tool.pk if work.tool else 0
    examined = examine(work.document, sources, username, tool_id=tool_id)
    return build_examined_page(work, examined, sources, username)


def build_examined_page(
    work: Work, examined: Examined, sources: SourceSettings, username: str
) -> WorkbenchPage:
    """The page of a work and what was found of its document."""
    name_fault = _find_name_fault(examined.document.tool.name)
    trials = read_trials(work, username)
    return WorkbenchPage(
        work=work,
        sources=sources,
        examined=examined,
        agent=view_as_agent(work, examined, sources),
        rows=tuple(_build_rows(examined)),
        steps=_build_steps(examined, trials, name_fault),
        trials=trials,
        name_fault=name_fault,
    )


def _find_name_fault(name: str) -> str:
    if not name:
        return ""
    if not TOOL_NAME.fullmatch(name):
        return str(
            _("Letters, digits, _ and -, at most 64: other names are refused by some clients.")
        )
    if name in read_reserved_names():
        return str(_("A built-in tool has this name; choose another."))
    return ""


def _build_rows(examined: Examined) -> list[ParameterRow]:
    used = {found.name for found in examined.analysis.parameters}
    rows: list[ParameterRow] = []
    for parameter in examined.document.tool.parameters:
        key = parameter.param_name or f"new{len(rows)}"
        is_taken = any(row.key == key for row in rows)
        rows.append(
            _build_row(f"{key}~{len(rows)}" if is_taken else key, parameter, examined, used)
        )
    # A row that is no longer used leads to the one that is new, unless there are others of either.
    gone = [row for row in rows if row.name and not row.is_used]
    new = [row.name for row in rows if row.is_used and row.is_untouched]
    if len(gone) != 1 or len(new) != 1 or not examined.analysis.parameters:
        return rows
    return [replace(row, successor=new[0]) if row is gone[0] else row for row in rows]


def _build_row(
    key: str, parameter: ParameterDocument, examined: Examined, used: set[str]
) -> ParameterRow:
    name, document = parameter.param_name, examined.document
    presence = REQUIRED if parameter.is_required else OPTIONAL
    has_test = name in document.test_values
    test = document.test_values.get(name)
    type_name = parameter.param_type.strip().upper()
    known = {kind.value: kind for kind in ParameterType}
    kind = known.get(type_name, ParameterType.STRING).kind
    return ParameterRow(
        key=key,
        name=name,
        type=type_name,
        is_auto=name in document.auto_types,
        presence=presence if name in document.auto_presence else "",
        is_required=parameter.is_required,
        is_nullable=parameter.nullable,
        is_used=name in used,
        description=parameter.description,
        descriptions=texts_by_language(parameter.descriptions),
        test=kind.write_text(test),
        test_state=state_of(test) if has_test else "",
        default=kind.write_text(parameter.default),
        default_state=EMPTY if state_of(parameter.default) == EMPTY else "",
        allowed_values="\n".join(map(kind.write_text, parameter.allowed_values or [])),
        minimum=parameter.minimum or "",
        maximum=parameter.maximum or "",
        pattern=parameter.pattern or "",
        example=kind.write_text(parameter.example),
        binding=parameter.binding,
        bound_value=kind.write_text(parameter.bound_value),
        fault=in_language(examined.faults.get(name, "")),
    )


def _build_steps(
    examined: Examined, trials: Sequence[ToolTrial], name_fault: str
) -> tuple[Step, ...]:
    tool = examined.document.tool
    given = [parameter for parameter in tool.parameters if parameter.binding == Binding.AGENT]
    silent = [parameter for parameter in given if not parameter.description]
    tried = {trial.logic_hash for trial in trials if not trial.error}
    is_described = bool(tool.name and tool.description_agent) and not name_fault
    field = f"p-{silent[0].param_name}-description" if silent else "parameters"
    is_http = tool.tool_type == ToolType.HTTP
    is_written = bool(tool.definition.strip()) and examined.analysis.is_valid
    return (
        Step("describe", _("Describe"), is_described, "description_agent" if tool.name else "name"),
        Step("logic", _("Logic"), is_written, "http-path" if is_http else "definition"),
        Step("parameters", _("Parameters"), is_written and not silent, field),
        Step("test", _("Test & publish"), tool.logic_hash in tried, "result"),
    )


def view_as_agent(work: Work, examined: Examined, sources: SourceSettings) -> AgentView:
    """The agent's side of a working copy; two queries at most."""
    if examined.spec is None:
        return AgentView(problem=_first_fault(examined))
    if not (examined.document.tool.name and examined.document.tool.definition.strip()):
        return AgentView(problem=gettext("it needs a name and logic first"))
    advice = tuple(map(show_advice, advise_draft(examined.spec)))
    served = None
    if work.served:
        with suppress(DefinitionError):
            served = list_entry(work.served.to_spec(sources))[1]
    try:
        entry, tokens = list_entry(examined.spec)
    except DefinitionError as error:
        return AgentView(problem=in_language(error), served_tokens=served, advice=advice)
    if not examined.is_valid:
        return AgentView(problem=_first_fault(examined), served_tokens=served, advice=advice)
    spec = examined.spec
    translations = {
        language: list_entry(translate_spec(spec, language))[0]
        for language in sorted(languages_of(spec))
    }
    return AgentView(
        entry=_to_text(entry),
        tokens=tokens,
        served_tokens=served,
        advice=advice,
        translations=tuple((name, _to_text(shown)) for name, shown in translations.items()),
    )


def texts_by_language(descriptions: JsonValue) -> tuple[tuple[str, str], ...]:
    """The languages that the editor has fields for, each with its text."""
    texts = descriptions if isinstance(descriptions, dict) else {}
    return tuple((language, texts.get(language, "")) for language in settings.AGENT_LANGUAGES)


def _to_text(entry: JsonValue) -> str:
    return json.dumps(entry, ensure_ascii=False, indent=2)


def _first_fault(examined: Examined) -> str:
    errors = [diagnostic.message for diagnostic in examined.analysis.diagnostics]
    return next(map(in_language, [*errors, *examined.faults.values()]), "")
