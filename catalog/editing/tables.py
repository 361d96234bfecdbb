"""What people write of tables and columns: checked, written once, and followed by searches."""

import logging
from collections.abc import Collection, Mapping
from typing import TypeVar

from django.db import connection, transaction

from catalog.changes import tables_changed
from catalog.editing.texts import clean_tags, clean_text, fold_tag
from catalog.models import CatalogColumn, CatalogTable, Tag
from core.errors import EditError, StaleEditError
from core.messages import message

logger = logging.getLogger(__name__)

# Any number that no other program of this database uses for its own lock.
TAGS_LOCK = 3_003_007

# A text, or a choice; NULL leaves the masking of a column to the rule of names.
Value = str | bool | None
Row = TypeVar("Row", CatalogTable, CatalogColumn)

TABLE_FIELDS = ("display_name", "description", "notes", "is_hidden")
COLUMN_FIELDS = ("display_name", "description", "is_masked")
_CHOICES = frozenset({"is_hidden", "is_masked"})


def edit_table(
    table: CatalogTable,
    username: str,
    expected: Mapping[str, Value] | None = None,
    /,
    **changes: Value,
) -> bool:
    """Whether anything changed; `table` is then as its row.

    `changes` are display_name, description, notes and is_hidden. `expected` are the values that the
    editor saw: raises StaleEditError where the row has others. Raises EditError for texts that
    cannot be kept. Nothing is written where nothing changes.
    """
    values = _clean(changes, TABLE_FIELDS)
    with transaction.atomic():
        row = CatalogTable.objects.select_for_update().get(pk=table.pk)
        changed = _apply(row, values, expected, username)
        if changed:
            tables_changed([row.pk])
    _copy(row, table, values)
    return changed


def edit_column(
    column: CatalogColumn,
    username: str,
    expected: Mapping[str, Value] | None = None,
    /,
    **changes: Value,
) -> bool:
    """Whether anything changed, as `edit_table`; `changes` are display_name, description, is_masked.

    Values of a column that becomes masked are taken out of the sample at once; those of one that no
    longer is come back with the next scan.
    """
    values = _clean(changes, COLUMN_FIELDS)
    with transaction.atomic():
        # The table first, as everywhere: two that lock in different orders would wait for ever.
        table = CatalogTable.objects.select_for_update().get(pk=column.table_id)
        row = CatalogColumn.objects.select_for_update().get(pk=column.pk)
        changed = _apply(row, values, expected, username)
        if changed:
            hide_samples(table, [row])
            tables_changed([table.pk])
    _copy(row, column, values)
    return changed


def set_tags(table: CatalogTable, username: str, names: Collection[str]) -> bool:
    """Give the table these tags and no others; whether that changed any.

    A tag that differs only in case or width from a known one is that one; tags that no table has any
    more are deleted. Raises EditError for a name that cannot be kept.
    """
    cleaned = clean_tags(names)
    with transaction.atomic():
        lock_tags()
        row = CatalogTable.objects.select_for_update().get(pk=table.pk)
        tags = find_or_make_tags(cleaned)
        if {tag.pk for tag in tags.values()} == set(row.tags.values_list("pk", flat=True)):
            return False
        row.tags.set(tags.values())
        delete_unused_tags()
        row.updated_by = username
        row.save(update_fields=["updated_by", "updated_at"])
        tables_changed([row.pk])
    _copy(row, table, {})
    return True


def lock_tags() -> None:
    """Keep others from changing tags until the end of the transaction; before any row is locked.

    Else one could delete, as unused, the tag that another gives to a table.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TAGS_LOCK])


def find_or_make_tags(names: Collection[str]) -> dict[str, Tag]:
    """The tags of these cleaned names by `fold_tag`, new ones written."""
    known = {fold_tag(tag.name): tag for tag in Tag.objects.all()}
    new = [Tag(name=name) for name in names if fold_tag(name) not in known]
    # Another one may have made the same tag meanwhile.
    Tag.objects.bulk_create(new, ignore_conflicts=True)
    if new:
        added = Tag.objects.filter(name__in=[tag.name for tag in new])
        known |= {fold_tag(tag.name): tag for tag in added}
    return {fold_tag(name): known[fold_tag(name)] for name in names}


def delete_unused_tags() -> None:
    """Delete the tags that no table has."""
    Tag.objects.filter(tables=None).delete()


def hide_samples(table: CatalogTable, columns: Collection[CatalogColumn]) -> bool:
    """Take the values of those of the columns that are masked out of the table's sample.

    Whether there were any; NULL stays NULL.
    """
    masked = {column.name for column in columns if column.masks_samples(table)}
    sample = table.sample
    if not masked or not isinstance(sample, dict) or not sample.get("rows"):
        return False
    rows = table.mask_sample(masked)
    if rows == sample["rows"]:
        return False
    table.sample = {**sample, "rows": rows}
    CatalogTable.objects.filter(pk=table.pk).update(sample=table.sample)
    return True


def _clean(changes: Mapping[str, Value], fields: Collection[str]) -> dict[str, Value]:
    if unknown := changes.keys() - set(fields):
        raise TypeError(f"people do not write {', '.join(sorted(unknown))}")
    cleaned: dict[str, Value] = {}
    for name, value in changes.items():
        if name not in _CHOICES:
            cleaned[name] = clean_text(name, value if isinstance(value, str) else "")
        elif isinstance(value, bool) or (value is None and name == "is_masked"):
            cleaned[name] = value
        else:
            raise EditError(message("edit.yes_or_no", "{field} is yes or no", field=name))
    return cleaned


def _apply(
    row: Row, values: Mapping[str, Value], expected: Mapping[str, Value] | None, username: str
) -> bool:
    """Write the values that differ; whether there were any."""
    present = {name: getattr(row, name) for name in expected or {}}
    # Who writes what is already there is right, whatever was there before.
    stale = [
        name
        for name, seen in (expected or {}).items()
        if present[name] not in (seen, values.get(name, seen))
    ]
    if stale:
        raise StaleEditError(
            message(
                "edit.stale",
                "somebody else has changed {fields} meanwhile; look at it and save again",
                fields=", ".join(stale),
            ),
            present,
        )
    changes: dict[str, Value] = {
        name: new for name, new in values.items() if getattr(row, name) != new
    }
    if not changes:
        return False
    for name, value in changes.items():
        setattr(row, name, value)
    row.updated_by = username
    row.save(update_fields=[*changes, "updated_by", "updated_at"])
    logger.info("%s %s: %s edited by %s", type(row).__name__, row.pk, ", ".join(changes), username)
    return True


def _copy(row: Row, given: Row, values: Mapping[str, Value]) -> None:
    for name in (*values, "updated_at", "updated_by"):
        setattr(given, name, getattr(row, name))
