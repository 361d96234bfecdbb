"""Jobs of tools that workers run and beat starts."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from toolbuilder.cases.nightly import run_nightly
from toolbuilder.history.versions import record_versions
from toolbuilder.models import ReviewComment
from toolbuilder.playground.turns import forget_chats
from toolbuilder.reviews.deciding import mail_author
from toolbuilder.search_lab.recording import record_measurement
from toolbuilder.taking_up.mcp_servers import read_due_servers
from tools.aliases import forget_old_names
from tools.drift import check_drift
from tools.finding.learned_uses import forget_uses
from tools.models import ToolSearch
from tools.uses.refresh import refresh_uses


@shared_task(ignore_result=True)
def refresh_tool_uses() -> int:
    """Bring the stored uses of tables up to date; returns how many tools were read."""
    return refresh_uses()


@shared_task(ignore_result=True, time_limit=600)
def measure_saved_questions() -> bool:
    """Search the saved questions again if what is served has changed; whether it had."""
    return record_measurement()


@shared_task(ignore_result=True)
def check_tools() -> int:
    """Ask the databases about all active tools; returns how many are broken."""
    return len(check_drift().broken)


@shared_task(ignore_result=True, time_limit=900)
def check_mcp_servers() -> int:
    """Read the tools of every active MCP server; returns how many do not answer."""
    return len(read_due_servers())


@shared_task(ignore_result=True)
def record_outside_versions() -> int:
    """Keep what other programs wrote of tools as versions; returns how many."""
    return record_versions()


@shared_task(ignore_result=True)
def run_nightly_cases() -> int:
    """Run the test cases that are to run each night; returns how many tools are red."""
    return run_nightly()


@shared_task(ignore_result=True)
def mail_review_author(comment_id: int) -> None:
    """Tell the author of a review what somebody wrote or decided."""
    mail_author(ReviewComment.objects.select_related("review").get(pk=comment_id))


@shared_task(ignore_result=True)
def prune_tool_searches() -> int:
    """Delete searches older than CALL_LOG_RETENTION_DAYS, and what was learned long ago; returns how many."""
    forget_uses()
    before = timezone.now() - timedelta(days=settings.CALL_LOG_RETENTION_DAYS)
    return ToolSearch.objects.filter(at__lt=before).delete()[0]


@shared_task(ignore_result=True)
def forget_old_tool_names() -> int:
    """Delete old names of tools and parameters that expired long ago; returns how many."""
    return forget_old_names()


@shared_task(ignore_result=True)
def forget_playground_chats() -> int:
    """Delete chats of the playground that nobody has used for a week; returns how many."""
    return forget_chats()
