"""What the editor's templates need beside Django's own: places in the logic, types as words, an empty row."""

from collections.abc import Mapping
from dataclasses import dataclass

from django import template
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language_info, gettext
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from core.diagnostics import Diagnostic, Severity
from core.parameter_types.kind import Kind
from core.toolspec import Binding, JsonValue, ParameterType, ResultFormat
from toolbuilder.editing.drafts import Work
from toolbuilder.editing.explanations import find_rule
from toolbuilder.editing.explorer import ExplorerColumn
from toolbuilder.editing.page import ParameterRow, WorkbenchPage, texts_by_language
from toolbuilder.models import OPEN_STATES, ToolReview
from toolbuilder.reviews.rules import find_unapproved
from tools.models import ToolType

register = template.Library()
# A longer name is cut in the middle where there is no room; so many of its end stay.
_UNCUT_CHARACTERS, _END_CHARACTERS = 12, 4
_KINDS: dict[str, Kind] = {kind.value: kind.kind for kind in ParameterType}
# In the reader's language.
_NAMES: dict[str, Promise] = {
    ResultFormat.TEXT.value: _("Text"),
    ResultFormat.MARKDOWN.value: _("Markdown table"),
    **{kind.value: kind.label for kind in ToolType},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The one line under the logic. `state` is empty, ok, warning or error.

    `line` and `column` count from 1, 0 if no place is meant; `row` is the key of the parameter at
    fault, `fix` what mends it by one click, `rule` the key of what explains it; `others` counts further complaints.
    """

    state: str
    message: str = ""
    line: int = 0
    column: int = 0
    row: str = ""
    fix: str = ""
    rule: str = ""
    others: int = 0


@register.simple_tag
def status_of(page: WorkbenchPage) -> Status:
    """What matters most of what was found of the logic and its parameters."""
    if not page.document.tool.definition.strip():
        return Status(state="empty")
    # Faults before warnings; those of parameters that only their rows know come last.
    found = page.examined.analysis.diagnostics
    complaints = sorted(
        (diagnostic for diagnostic in found if diagnostic.severity is not Severity.INFO),
        key=lambda item: (item.severity is not Severity.ERROR, bool(item.parameter), item.start),
    )
    known = {diagnostic.parameter for diagnostic in complaints}
    faults = page.examined.faults.items()
    complaints += [
        Diagnostic(message=text, parameter=name) for name, text in faults if name not in known
    ]
    if not complaints:
        return Status(state="ok")
    first = complaints[0]
    line = column = 0
    if first.end:
        before = page.document.tool.definition[: first.start]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Status(
        state=first.severity.value,
        message=in_language(first.message),
        line=line,
        column=column,
        row=next((row.key for row in page.rows if row.name == first.parameter), ""),
        fix=in_language(first.fix.label) if first.fix else "",
        rule=find_rule(first.message, first.code),
        others=len(complaints) - 1,
    )


@register.filter
def is_left_over(row: ParameterRow, page: WorkbenchPage) -> bool:
    """Whether the logic does not use the parameter; of a text with faults nobody can say."""
    found = page.examined.analysis.diagnostics
    is_faulty = any(
        diagnostic.severity is Severity.ERROR and not diagnostic.parameter for diagnostic in found
    )
    return not row.name or not (row.is_used or is_faulty)


@register.filter
def as_words(type_name: str) -> str:
    """A parameter's type or a format of rows as people read it, such as `string list`."""
    if kind := _KINDS.get(type_name):
        return in_language(kind.label)
    return str(_NAMES.get(type_name, type_name))


@register.filter
def type_icon(type_name: str) -> str:
    """The name of the icon of a parameter's type."""
    return _KINDS.get(type_name, ParameterType.STRING.kind).icon


@register.filter
def said_of(annotations: Mapping[str, JsonValue], hint: str) -> str:
    """What is said of an annotation: true, false, or '' if nothing is."""
    value = annotations.get(hint)
    return "" if value is None else "true" if value else "false"


@register.filter
def by_language(descriptions: JsonValue) -> tuple[tuple[str, str], ...]:
    """The languages that there are fields for, each with its text."""
    return texts_by_language(descriptions)


@register.filter
def language_name(language: str) -> str:
    """What a reader calls a language; the code of one that nobody knows."""
    try:
        name: str = get_language_info(language)["name_translated"]
    except KeyError:
        return language
    return name


@register.filter
def input_mode(type_name: str) -> str:
    """The keyboard that telephones show for values of the type."""
    return _KINDS.get(type_name, ParameterType.STRING.kind).input_mode


@register.filter
def type_placeholder(type_name: str) -> str:
    """What an empty field shows of values of the type, '' if that helps nobody."""
    return _KINDS.get(type_name, ParameterType.STRING.kind).placeholder


@register.simple_tag
def listed(*texts: object) -> str:
    """The texts that are not empty, with commas between them."""
    return format_html_join(", ", "{}", ((text,) for text in texts if text))


@register.filter
def column_label(column: ExplorerColumn) -> str:
    """What a screen reader says of a column of the explorer."""
    target = {"target": column.refers_to}
    reference = gettext("refers to %(target)s") % target if column.refers_to else ""
    texts = (column.name, column.short_type, column.about, _nullity(column), reference)
    return ", ".join(filter(None, texts))


@register.simple_tag
def cut_name(name: str) -> SafeString:
    """The name in two parts, so that where it is too long the middle goes and its end stays."""
    end = name[-_END_CHARACTERS:] if len(name) > _UNCUT_CHARACTERS else ""
    start = name.removesuffix(end) if end else name
    return format_html(
        '<span class="explorer-name" title="{}"><span class="explorer-start">{}</span><span class="explorer-end">{}</span></span>',
        name,
        start,
        end,
    )


def _nullity(column: ExplorerColumn) -> str:
    if column.is_primary_key:
        return gettext("primary key")
    return gettext("may be null") if column.is_nullable else ""


@register.simple_tag
def empty_row() -> ParameterRow:
    """A parameter that was just added; its key is a placeholder for the script that adds it."""
    texts = dict.fromkeys(
        ("test", "test_state", "default", "default_state", "allowed_values", "minimum", "maximum"),
        "",
    )
    return ParameterRow(
        key="new-parameter",
        name="",
        type=ParameterType.STRING.value,
        is_auto=False,
        presence="",
        is_required=True,
        is_nullable=False,
        is_used=False,
        description="",
        descriptions=texts_by_language({}),
        pattern="",
        example="",
        binding=Binding.AGENT.value,
        bound_value="",
        fault="",
        **texts,
    )


@register.filter
def open_review(work: Work) -> ToolReview | None:
    """The review of the work's draft that is not over yet."""
    return work.draft.reviews.filter(state__in=OPEN_STATES).first() if work.draft else None


@register.filter
def is_reviewed(work: Work) -> bool:
    """Whether somebody else has to approve the work before it is served."""
    return bool(find_unapproved(work.tool, work.document.tool))
