"""What somebody should look at: broken and failing tools, what is undescribed, databases, scans."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import User
from django.db.models import Count, Max
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.call_log import ANY_FAILURE
from access.figures import read_failing_tools, start_of_today
from access.limits.usage import read_near_limits
from access.reader_language import stored_text
from access.templatetags.access import tool_address
from access.visibility import visible_limits
from catalog.models import CatalogScan, CheckState, DefaultSourceCheck, KeptCheck, ScanState
from catalog.rights import on_open_source, open_sources
from catalog.sources.findings import translate_summary
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from toolbuilder.listing.tool_list import undescribed_parameters
from toolbuilder.visibility import visible_tools
from tools.drift import RUNTIME_SILENT_AFTER
from tools.models import QuarantinedTool
from tools.resting import RestingTool

SHOWN_OF_EACH = 5
FAILING_PERCENT = 20
# One failed call of two says little.
FAILING_CALLS = 5


@dataclass(frozen=True, slots=True)
class Attention:
    """One line: `level` is bad or warn, `address` where it is mended or explained."""

    level: str
    icon: str
    title: str
    text: str
    address: str


def find_broken_tools(user: User) -> Iterator[Attention]:
    """Active tools that are not served, the latest first."""
    broken = QuarantinedTool.objects.filter(tool__in=visible_tools(user).active())
    broken = broken.select_related("tool")
    for row in broken.order_by("-since")[:SHOWN_OF_EACH]:
        name, text = row.tool.name, _("broken: %s") % stored_text(row, "reason")
        yield Attention("bad", "wrench", name, text, tool_address(name))
    if (more := broken.count() - SHOWN_OF_EACH) > 0:
        text = ngettext("%d more broken tool", "%d more broken tools", more) % more
        yield Attention("bad", "wrench", text, "", f"{reverse('tools')}?state=broken")


def find_resting_tools(user: User) -> Iterator[Attention]:
    """Tools that living runtimes leave alone for a while, since they kept failing."""
    alive = timezone.now() - RUNTIME_SILENT_AFTER
    rows = RestingTool.objects.filter(
        tool__in=visible_tools(user).active(), runtime__last_seen_at__gte=alive
    )
    counts = rows.values_list("tool__name").annotate(count=Count("pk")).order_by("tool__name")
    for name, count in counts[:SHOWN_OF_EACH]:
        text = ngettext(
            "rests after repeated errors, in %d runtime",
            "rests after repeated errors, in %d runtimes",
            count,
        )
        yield Attention("bad", "clock", name, text % count, tool_address(name))


def find_failing_tools(user: User) -> Iterator[Attention]:
    """Tools of which more than a fifth of today's calls failed, the worst first."""
    today = start_of_today()
    figures = read_failing_tools(user, today, calls=FAILING_CALLS, percent=FAILING_PERCENT)
    failing = sorted(figures.items(), key=lambda item: (-item[1].errors, item[0]))
    for name, figure in failing[:SHOWN_OF_EACH]:
        words = {
            "errors": number_format(figure.errors),
            "calls": number_format(figure.calls),
        }
        query = urlencode({"tool": name, "outcome": ANY_FAILURE, "start": localdate().isoformat()})
        yield Attention(
            "bad",
            "activity",
            name,
            _("%(errors)s of %(calls)s calls failed today") % words,
            f"{reverse('calls')}?{query}",
        )


def find_undescribed_tools(user: User) -> Iterator[Attention]:
    """One line on all active tools whose parameters leave agents guessing."""
    count = visible_tools(user).active().filter(undescribed_parameters()).count()
    if count:
        text = ngettext(
            "%d tool has a parameter without a description",
            "%d tools have parameters without a description",
            count,
        )
        address = f"{reverse('tools')}?state=undescribed"
        yield Attention("warn", "pencil", text % count, _("Agents guess what to put in."), address)


def find_bad_sources(user: User) -> Iterator[Attention]:
    """Data sources that this user may use and that the last check refused or did not reach."""
    bad = [CheckState.REFUSED, CheckState.UNREACHABLE]
    sources = open_sources(user).filter(last_check__state__in=bad).select_related("last_check")
    checks: list[tuple[str, KeptCheck]] = [
        (DEFAULT_SOURCE_NAME, check) for check in DefaultSourceCheck.objects.filter(state__in=bad)
    ]
    checks += [(each.name, each.last_check) for each in sources.order_by("name")[:SHOWN_OF_EACH]]
    for name, check in checks:
        reason = stored_text(check, "refusal") or translate_summary(check)
        text = f"{check.get_state_display()}: {reason}".rstrip(": ")
        yield Attention("bad", "database", name, text, reverse("source", args=[name]))


def find_near_limits(user: User) -> Iterator[Attention]:
    """Limits of which 80 % is used."""
    for use in islice(read_near_limits(visible_limits(user)), SHOWN_OF_EACH):
        who = use.who or use.row.tool_name or use.row.get_target_type_display()
        used = {"used": number_format(use.used or 0), "most": number_format(use.most)}
        text = _("%(used)s of %(most)s are used") % used
        yield Attention(use.level, "key-round", f"{who}: {use.label}", text, reverse("limits"))


def find_failed_scans(user: User) -> Iterator[Attention]:
    """Data sources that this user may use and whose last scan failed."""
    last = CatalogScan.objects.order_by().values("source").annotate(last=Max("pk")).values("last")
    failed = CatalogScan.objects.filter(on_open_source(user), pk__in=last, state=ScanState.FAILED)
    for scan in failed.select_related("source")[:SHOWN_OF_EACH]:
        name = scan.source.name if scan.source else DEFAULT_SOURCE_NAME
        text = _("the last scan failed: %s") % stored_text(scan, "error")
        yield Attention("warn", "scan-search", name, text, reverse("catalogue-scans"))
