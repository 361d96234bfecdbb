"""Cases as people fill them in: arguments, the caller, and what is expected, a line each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.models import ApiKey
from core.bindings import NOBODY, CallerFacts, is_bound
from core.cases.documents import CaseDocument, read_case
from core.cases.expectations import Expectation
from core.toolspec import JsonValue, ParameterType, ToolSpec
from toolbuilder.editing.running import facts_of
from toolbuilder.editing.values import ABSENT, read_entry, state_of

# The caller that a case has already, whose key may be gone or somebody else's.
KEPT_CALLER = "~"
SPARE_LINES = 3
# What each line says of its fields: what is looked at, how it is compared, and with what.
CHECKS: Mapping[str, Promise] = {
    "rows": _("rows"),
    "columns": _("columns"),
    "value": _("value at"),
    "contains": _("contains the text"),
    "row": _("a row has"),
    "sorted": _("sorted by"),
    "error": _("error with"),
    "ms": _("milliseconds at most"),
    "bytes": _("bytes at most"),
    "tokens": _("tokens at most"),
}
COMPARISONS = ("=", ">=", "<=", "asc", "desc")


@dataclass(frozen=True, slots=True)
class ArgumentField:
    """A parameter in the form; `state` says what its empty text means."""

    name: str
    type: str
    text: str
    state: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class ExpectationLine:
    """A line of the table: the kind, a path or column, the comparison and the value, as typed."""

    check: str = ""
    place: str = ""
    comparison: str = ""
    value: str = ""

    @classmethod
    def of(cls, expected: Expectation) -> "ExpectationLine":
        """The line of an expectation."""
        document = expected.to_document()
        match document:
            case {"value": value}:
                text = _write_value(value)
            case {"columns": list(columns)}:
                text = ", ".join(f"{column['name']} {column['type']}" for column in columns)
            case {"values": values}:
                text = json.dumps(values, ensure_ascii=False)
            case _:
                found = (document.get(name) for name in ("count", "at_most", "text"))
                text = next((str(value) for value in found if value is not None), "")
        return cls(
            check=expected.check,
            place=document.get("path") or document.get("column") or "",
            comparison=document.get("is") or document.get("order") or "",
            value=text,
        )

    def to_document(self) -> dict[str, JsonValue]:
        """The expectation as its document; what was typed wrong is left for the reader to refuse."""
        comparison = self.comparison if self.comparison in {"=", ">=", "<="} else "="
        fields: dict[str, JsonValue] = {"text": self.value}
        match self.check:
            case "rows":
                fields = {"is": comparison, "count": _read_number(self.value)}
            case "columns":
                fields = {"columns": list(map(_read_column, self.value.split(",")))}
            case "value":
                value = _read_value(self.value)
                fields = {"path": self.place, "is": comparison, "value": value}
            case "row":
                fields = {"values": _read_value(self.value)}
            case "sorted":
                order = "desc" if self.comparison == "desc" else "asc"
                fields = {"column": self.place, "order": order}
            case "ms" | "bytes" | "tokens":
                fields = {"at_most": _read_number(self.value)}
        return {"check": self.check, **fields}


def argument_fields(spec: ToolSpec, arguments: Mapping[str, JsonValue]) -> list[ArgumentField]:
    """The fields of what an agent gives, with these arguments."""
    fields = []
    for parameter in spec.parameters:
        if is_bound(parameter):
            continue
        is_given, value = parameter.name in arguments, arguments.get(parameter.name)
        fields.append(
            ArgumentField(
                name=parameter.name,
                type=parameter.type.value,
                text=parameter.type.kind.write_text(value) if is_given else "",
                state=state_of(value) if is_given else "",
                is_required=not parameter.accepts_null and parameter.presence == "required",
            )
        )
    return fields


def expectation_lines(case: CaseDocument) -> list[ExpectationLine]:
    """The lines of what the case expects, and empty ones for more."""
    lines = [ExpectationLine.of(expected) for expected in case.expects]
    return [*lines, *([ExpectationLine()] * SPARE_LINES)]


def example_arguments(spec: ToolSpec) -> dict[str, JsonValue]:
    """The examples that the parameters have."""
    return {
        parameter.name: parameter.example
        for parameter in spec.parameters
        if not is_bound(parameter) and parameter.example is not None
    }


def read_case_form(
    data: QueryDict, spec: ToolSpec, callers: Sequence[ApiKey], former: CaseDocument
) -> CaseDocument:
    """The case that the form says. Raises DefinitionError for a line that makes no sense."""
    arguments: dict[str, JsonValue] = {}
    for parameter in spec.parameters:
        field = f"arg-{parameter.name}"
        if is_bound(parameter) or field not in data:
            continue
        text, state = data.get(field, ""), data.get(f"{field}-state", "")
        was = former.arguments.get(parameter.name, ABSENT)
        kind = ParameterType(parameter.type)
        is_same = was is not ABSENT and kind.kind.write_text(was) == text and state == state_of(was)
        allowed = parameter.allowed_values
        value: Any = was if is_same else read_entry(text, state, kind, allowed)
        if value is not ABSENT:
            arguments[parameter.name] = value
    columns = [data.getlist(f"expect-{name}") for name in ("check", "place", "is", "value")]
    lines = [
        ExpectationLine(check, place.strip(), comparison, value.strip())
        for check, place, comparison, value in zip(*columns, strict=False)
        if check
    ]
    document: dict[str, JsonValue] = {
        **former.to_document(),
        "name": data.get("case_name", "").replace("\0", ""),
        "arguments": arguments,
        "expects": [line.to_document() for line in lines],
    }
    if "golden" in document and "keeps_golden" not in data:
        del document["golden"]
    case = read_case(document, str(_("case")))
    return replace(case, caller=read_caller(data, callers, former.caller))


def read_caller(
    data: QueryDict, callers: Sequence[ApiKey], former: CallerFacts = NOBODY
) -> CallerFacts:
    """The facts of the key that is chosen among these, those that were there, or nobody's."""
    chosen = data.get("case_caller", "")
    if chosen == KEPT_CALLER:
        return former
    key = next((key for key in callers if key.key_id == chosen), None)
    facts = facts_of(key)
    return CallerFacts(key_id=facts.key_id, owner=facts.owner, claims=facts.claims)


def require_form_name(data: QueryDict) -> str:
    """The posted name of a case. Raises DefinitionError where it is none."""
    name = data.get("case_name", "").replace("\0", "").strip()
    return read_case({"name": name}, str(_("case"))).name


def _read_column(text: str) -> dict[str, JsonValue]:
    name, _space, kind = text.strip().rpartition(" ")
    return {"name": name, "type": kind} if name else {"name": kind, "type": "any"}


def _read_number(text: str) -> JsonValue:
    digits = text.replace(",", "").replace("_", "")
    return int(digits[:12]) if digits.isascii() and digits.isdigit() else text


def _read_value(text: str) -> JsonValue:
    """JSON where it is some, any other text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _write_value(value: JsonValue) -> str:
    """What `_read_value` reads again as the same."""
    is_plain = isinstance(value, str) and _read_value(value) == value
    return str(value) if is_plain else json.dumps(value, ensure_ascii=False)
