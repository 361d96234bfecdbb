"""What somebody should know before a working copy is published."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.reader_language import in_language
from core.diagnostics import Severity
from core.errors import DefinitionError
from core.lint import AdviceLevel
from toolbuilder.editing.advice import ShownAdvice
from toolbuilder.editing.page import WorkbenchPage
from toolbuilder.editing.publishing import require_free_name
from toolbuilder.editing.works import Work
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.models import ToolTrial


@dataclass(frozen=True, slots=True)
class Fault:
    """Why it cannot be served; `field` is the id of what mends it, '' if nothing on the page does.

    `start` and `end` count characters of the logic.
    """

    text: str
    field: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishReview:
    """With `faults` it cannot be published. `difference` is None of a tool that is new."""

    faults: tuple[Fault, ...] = ()
    advice: tuple[ShownAdvice, ...] = ()
    difference: ShownDifference | None = None
    is_untried: bool = False
    is_renamed: bool = False

    @property
    def has_doubts(self) -> bool:
        """Whether somebody should look before it is served."""
        is_breaking = bool(self.difference and self.difference.breaking)
        is_advised = any(one.level is not AdviceLevel.SUGGESTION for one in self.advice)
        return is_breaking or is_advised or self.is_untried or self.is_renamed


def review_page(page: WorkbenchPage) -> PublishReview:
    """The review of a working copy that was saved and examined just now; three queries at most."""
    work, new = page.work, page.document.tool
    served = work.served
    return PublishReview(
        faults=tuple(_find_faults(page)),
        advice=page.agent.advice,
        difference=show_difference(served, new) if served else None,
        is_untried=_is_untried(work),
        is_renamed=bool(served and served.name != new.name),
    )


def _find_faults(page: WorkbenchPage) -> Iterator[Fault]:
    tool = page.work.tool
    if tool and tool.archived_at:
        yield Fault(_("%(name)s is archived; bring it back first.") % {"name": tool.name})
    if name_fault := _find_name_fault(page):
        yield Fault(name_fault, "name")
    for one in page.examined.analysis.diagnostics:
        if one.severity is Severity.ERROR and not one.parameter:
            yield Fault(in_language(one.message), "definition", one.start, one.end)
    keys = {row.name: row.key for row in page.rows}
    for name, text in page.examined.faults.items():
        yield Fault(in_language(text), f"p-{keys[name]}-type" if name in keys else "parameters")


def _find_name_fault(page: WorkbenchPage) -> str:
    name = page.document.tool.name
    if not name:
        return _("Give the tool a name.")
    if page.name_fault:
        return page.name_fault
    try:
        require_free_name(name, page.work.tool)
    except DefinitionError as error:
        return in_language(error)
    return ""


def _is_untried(work: Work) -> bool:
    """Whether nobody ran this logic with success; what is served already counts as tried."""
    logic = work.document.tool.logic_hash
    if work.served and work.served.logic_hash == logic:
        return False
    trials = ToolTrial.objects.filter(logic_hash=logic, error="")
    own = trials.filter(tool=work.tool) if work.tool else trials.filter(draft=work.draft)
    return not own.exists()
