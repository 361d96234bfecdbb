"""What agents called after they had searched: read as priors, and forgotten after 90 days."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Max
from django.utils import timezone

from core.retrieval.learned_use import LearnedUse, Priors, weigh_uses
from tools.models import SearchUse

FORGOTTEN_AFTER = timedelta(days=90)


def read_priors() -> Priors:
    """The priors of the last 90 days; none where MCP_SEARCH_LEARNING is off."""
    if not settings.MCP_SEARCH_LEARNING:
        return {}
    columns = ("concept", "tool_name", "key_id")
    recent = SearchUse.objects.filter(day__gt=timezone.now().date() - FORGOTTEN_AFTER)
    rows = recent.values_list(*columns).annotate(days=Count("day")).order_by()
    return weigh_uses(LearnedUse(*row) for row in rows.iterator())


def read_uses_revision() -> str:
    """Another text after each new use, and each day, as old ones are forgotten; one query at most."""
    if not settings.MCP_SEARCH_LEARNING:
        return ""
    last = SearchUse.objects.aggregate(last=Max("pk"))["last"]
    return f"{timezone.now().date()} {last}"


def forget_uses() -> int:
    """Delete the uses of more than 90 days ago; returns how many."""
    before = timezone.now().date() - FORGOTTEN_AFTER
    return SearchUse.objects.filter(day__lte=before).delete()[0]
