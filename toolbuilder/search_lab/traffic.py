"""What agents searched in the last days: most often, and without calling what they found."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, Max, Q, QuerySet
from django.utils import timezone

from tools.models import ToolSearch

DAYS = 7
PAGE_SIZE = 20
Rows = Page[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Questions with `query`, `count`, `called`, `last` and `duration_ms`; how many searches there were.

    `hidden_count` of them say no question, since CALL_LOG_ARGUMENTS keeps none.
    """

    uncalled: Rows
    most: Rows
    search_count: int
    called_count: int
    degraded_count: int
    hidden_count: int


def read_traffic(uncalled_page: int, most_page: int) -> Traffic:
    """Of the last 7 days: both lists at their pages; three queries and two that count."""
    searches = ToolSearch.objects.filter(at__gte=timezone.now() - timedelta(days=DAYS))
    counts = searches.aggregate(
        all=Count("pk"),
        called=Count("called_tool"),
        degraded=Count("pk", filter=Q(degraded=True)),
        hidden=Count("pk", filter=Q(query="")),
    )
    # One row a question, most often asked first.
    by_query = searches.exclude(query="").order_by().values("query")
    figures = by_query.annotate(
        count=Count("pk"),
        called=Count("called_tool"),
        last=Max("at"),
        duration_ms=Avg("duration_ms"),
    )
    grouped = figures.order_by("-count", "-last", "query")
    return Traffic(
        uncalled=_page(grouped.filter(called=0), uncalled_page),
        most=_page(grouped, most_page),
        search_count=counts["all"],
        called_count=counts["called"],
        degraded_count=counts["degraded"],
        hidden_count=counts["hidden"],
    )


def _page(rows: "QuerySet[Any, Any]", number: int) -> Rows:
    return Paginator(rows, PAGE_SIZE).get_page(number)
