"""Tags of a table as chips, and the known ones that are offered."""

from django.contrib.auth.models import User
from django.db.models import Count

from catalog.gates import tables_open_to
from catalog.models import CatalogTable, Tag

TAGS_OFFERED = 300


def read_tag_names(table: CatalogTable) -> list[str]:
    """The tags of the table, by name."""
    return list(table.tags.order_by("name").values_list("name", flat=True))


def read_known_tags(user: User) -> list[str]:
    """The tags of tables that the user may see, those used most, at most 300, by name."""
    seen = Tag.objects.filter(tables__in=tables_open_to(user))
    used = seen.annotate(count=Count("tables")).order_by("-count", "name")
    return sorted(used.values_list("name", flat=True)[:TAGS_OFFERED])
