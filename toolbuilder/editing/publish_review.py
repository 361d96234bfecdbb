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
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.models import ToolTrial


@dataclass(frozen=True, slots=True)
class PublishFault:
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

    faults: tuple[PublishFault, ...] = ()
    advice: tuple[ShownAdvice, ...] = ()
    difference: ShownDifference | None = None
    is_untried: bool = False
    is_renamed: bool = False

    @property
    def has_doubts(self) -> bool:
        """Whether somebody should look before it is served."""
        is_breaking = bool(self.difference and self.difference.breaking)
        is_advised = any(shown.level is not AdviceLevel.SUGGESTION for shown in self.advice)
        return is_breaking or is_advised or self.is_untried or self.is_renamed


def review_page(page: WorkbenchPage) -> PublishReview:
    """The review of a working copy that was saved and examined just now; three queries at most."""
    work, new = page.work, page.document.tool
    served, logic = work.served, work.document.tool.logic_hash
    trials = ToolTrial.objects.filter(logic_hash=logic, error="")
    own = trials.filter(tool=work.tool) if work.tool else trials.filter(draft=work.draft)
    return PublishReview(
        faults=tuple(_find_faults(page)),
        advice=page.agent.advice,
        difference=show_difference(served, new) if served else None,
        # What is served already counts as tried.
        is_untried=not (served and served.logic_hash == logic) and not own.exists(),
        is_renamed=bool(served and served.name != new.name),
    )


def _find_faults(page: WorkbenchPage) -> Iterator[PublishFault]:
    tool, name = page.work.tool, page.document.tool.name
    if tool and tool.archived_at:
        yield PublishFault(_("%(name)s is archived; bring it back first.") % {"name": tool.name})
    if not name or page.name_fault:
        yield PublishFault(page.name_fault or _("Give the tool a name."), "name")
    else:
        try:
            require_free_name(name, tool)
        except DefinitionError as error:
            yield PublishFault(in_language(error), "name")
    for found in page.examined.analysis.diagnostics:
        if found.severity is Severity.ERROR and not found.parameter:
            yield PublishFault(in_language(found.message), "definition", found.start, found.end)
    keys = {row.name: row.key for row in page.rows}
    for parameter, text in page.examined.faults.items():
        field = f"p-{keys[parameter]}-type" if parameter in keys else "parameters"
        yield PublishFault(in_language(text), field)
