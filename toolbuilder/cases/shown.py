"""What the editor shows of test cases: a line each, with its difference to the golden answer."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from core.answer_differences import ComparedAnswer
from core.cases.documents import CaseDocument, CaseSource, GoldenAnswer, read_case
from core.cases.outcomes import CaseState
from core.errors import DefinitionError
from core.formatting import format_cell
from core.http_logic import is_writing
from core.messages import Message, join
from core.toolspec import HttpLogic
from toolbuilder.editing.drafts import Work
from toolbuilder.models import NightlyCases, ToolCase
from tools.models import ToolType

_SHOWN_CHARACTERS = 40
_SOURCES: dict[CaseSource, Promise] = {
    CaseSource.TRIAL: _("trial"),
    CaseSource.CALL: _("a call"),
    CaseSource.EXAMPLE: _("examples"),
    CaseSource.HAND: _("by hand"),
    CaseSource.FILE: _("a file"),
}


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case: its arguments as name and text, what it expects and where it comes from, in words."""

    row: ToolCase
    case: CaseDocument
    arguments: list[tuple[str, str]]
    expects: str
    source: Promise

    @property
    def is_open(self) -> bool:
        """Whether it shows what differs without being asked."""
        return bool(self.row.state) and CaseState(self.row.state).blocks

    @property
    def caller(self) -> str:
        """As whom the tool is called, '' for nobody."""
        return self.case.caller.owner or self.case.caller.key_id


@dataclass(frozen=True, slots=True)
class ShownCases:
    """All cases of a work, and how they went when they ran last; those of a new draft run on no night.

    Nor do those of a tool that `is_writing`, which run only when somebody says so.
    """

    cases: Sequence[ShownCase] = ()
    nightly: NightlyCases | None = None
    nightly_address: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    ran_at: datetime | None = None
    is_writing: bool = False

    @property
    def red(self) -> int:
        """How many keep the tool from being served."""
        return sum(self.counts.get(state, 0) for state in CaseState if state.blocks)

    @property
    def green(self) -> int:
        """How many are as expected."""
        return self.counts.get(CaseState.GREEN, 0)

    @property
    def slow(self) -> int:
        """How many are right, but too slow or too large."""
        return self.counts.get(CaseState.SLOW, 0)


def show_cases(work: Work) -> ShownCases:
    """The cases of the work by name; two queries at most."""
    shown = [_show(row) for row in ToolCase.objects.of(work.tool, work.draft).listed()]
    counts: dict[str, int] = {}
    for one in shown:
        counts[one.row.state] = counts.get(one.row.state, 0) + 1
    found = ShownCases(
        cases=shown,
        counts=counts,
        ran_at=max((one.row.ran_at for one in shown if one.row.ran_at), default=None),
    )
    tool = work.document.tool
    with suppress(DefinitionError):
        if tool.tool_type == ToolType.HTTP and is_writing(HttpLogic(tool.definition)):
            return replace(found, is_writing=True)
    if not shown or work.tool is None:
        return found
    return replace(
        found,
        nightly=NightlyCases.objects.filter(tool=work.tool).first(),
        nightly_address=reverse("tool-case-nightly", args=[work.tool.name]),
    )


def _show(row: ToolCase) -> ShownCase:
    case = read_case(row.document, row.name)
    if (taken := row.golden_taken) is not None:
        # Without the answer, which is large and not shown.
        case = replace(case, golden=GoldenAnswer(answer=ComparedAnswer(), **taken))
    arguments = [(name, _clip(value)) for name, value in case.arguments.items()]
    expects = Message("", "{parts}", {"parts": join(case.describe(), " · ")})
    return ShownCase(row, case, arguments, in_language(expects), _SOURCES[case.source])


def _clip(value: object) -> str:
    text = "NULL" if value is None else format_cell(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
