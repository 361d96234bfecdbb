"""Searches of people, one row for each that they settled on, so that the catalogue's words can be improved."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from catalog.models import CatalogQuery

SURFACE = "page"
# Typing on within this time is the same search.
_TYPING_TIME = timedelta(seconds=10)


def record_search(user: User, query: str, result_count: int) -> None:
    """Keep the query; one that goes on from the user's last one takes its place."""
    now = timezone.now()
    recent = CatalogQuery.objects.filter(user=user, surface=SURFACE, at__gt=now - _TYPING_TIME)
    last = recent.order_by("-id").first()
    if last is None or not _goes_on(last.query, query):
        last = CatalogQuery(user=user, surface=SURFACE)
    last.at, last.query, last.result_count = now, query, result_count
    last.save()


def _goes_on(before: str, now: str) -> bool:
    return now.startswith(before) or before.startswith(now)
