"""Jobs of tools that workers run and beat starts."""

from celery import shared_task

from toolbuilder.drift import check_drift
from toolbuilder.use_refresh import refresh_uses
from toolbuilder.versions import record_versions

REFRESH_USES = "toolbuilder.tasks.refresh_tool_uses"


@shared_task(ignore_result=True)
def refresh_tool_uses() -> int:
    """Bring the stored uses of tables up to date; returns how many tools were read."""
    return refresh_uses()


@shared_task(ignore_result=True)
def check_tools() -> int:
    """Ask the databases about all active tools; returns how many are broken."""
    return len(check_drift().broken)


@shared_task(ignore_result=True)
def record_outside_versions() -> int:
    """Keep what other programs wrote of tools as versions; returns how many."""
    return record_versions()
