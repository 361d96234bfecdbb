"""What each person chose of the look of the pages, so that it follows them to another browser."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import models, transaction


class Preferences(models.Model):
    """A person's choices; who never chose anything has no row.

    `layout` has sizes in pixels and 0 or 1 for what is folded, by the names of LAYOUT; `tables` are ids of
    favourite tables, `filters` by their name what the address of the list of tools says after its "?".
    """

    user = models.OneToOneField(
        User, on_delete=models.CASCADE, primary_key=True, editable=False, related_name="+"
    )
    layout = models.JSONField(default=dict, db_default={}, editable=False)
    tables = models.JSONField(default=list, db_default=[], editable=False)
    filters = models.JSONField(default=dict, db_default={}, editable=False)

    class Meta:
        db_table = "h_preferences"

    def __str__(self) -> str:
        return str(self.pk)


def read_preferences(user: User) -> Preferences:
    """What the person chose; one query."""
    return Preferences.objects.filter(pk=user.pk).first() or Preferences(user=user)


@contextmanager
def change_preferences(user: User) -> Iterator[Preferences]:
    """The person's row, which nobody else changes meanwhile; stored at the end."""
    with transaction.atomic():
        Preferences.objects.bulk_create([Preferences(user=user)], ignore_conflicts=True)
        row = Preferences.objects.select_for_update().get(pk=user.pk)
        yield row
        row.save()
