"""What people would have written of the demo shop's tables; written where nobody has, and once."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from catalog.catalogue_changes import tables_changed
from catalog.models import (
    CatalogColumn,
    CatalogTable,
    DocumentKind,
    ReferenceDocument,
    TableRelation,
    Tag,
)
from config.demo.loading import DOCUMENTS_SOURCE, FOLDER
from core.catalogue.entries import RelationType

PATH: Path = FOLDER / "catalogue.json"
SCHEMA = "public"
AUTHOR = "demo"
_TEXTS = ("display_name", "description", "notes")


def load_catalogue() -> int:
    """Describe the shop's tables, and return how many; only where the default data source is the shop.

    A table that anybody has edited, this loader included, is left alone: what was removed does not
    come back.
    """
    entries: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    with transaction.atomic():
        tables = _find_shop(entries["tables"])
        untouched = {name: table for name, table in tables.items() if not table.updated_by}
        for name, table in untouched.items():
            _describe(table, entries["tables"][name])
        for relation in entries["relations"]:
            if relation["table"] in untouched:
                _relate(tables, relation)
        _remove_former_documents(tables)
        tables_changed([table.pk for table in untouched.values()])
        return len(untouched)


def _find_shop(names: Mapping[str, Any]) -> dict[str, CatalogTable]:
    """The shop's tables by name; none unless all are there, for then it is another database."""
    rows = CatalogTable.objects.present().select_for_update()
    found = rows.filter(source=None, schema=SCHEMA, name__in=names)
    tables = {table.name: table for table in found}
    return tables if len(tables) == len(names) else {}


def _describe(table: CatalogTable, entry: Mapping[str, Any]) -> None:
    for name in _TEXTS:
        if not getattr(table, name):
            setattr(table, name, entry[name])
    table.updated_by = AUTHOR
    table.save(update_fields=[*_TEXTS, "updated_by", "updated_at"])
    if not table.tags.exists():
        for name in entry["tags"]:
            table.tags.add(Tag.objects.get_or_create(name=name)[0])


def _relate(tables: Mapping[str, CatalogTable], entry: Mapping[str, Any]) -> None:
    table, target = tables[entry["table"]], tables[entry["target"]]
    known = TableRelation.objects.filter(
        table=table, target=target, relation_type=entry["relation_type"]
    )
    if entry["relation_type"] == RelationType.FOREIGN_KEY:
        known.filter(columns=entry["columns"], description="").update(
            description=entry["description"]
        )
    elif not known.exists():
        values = {name: value for name, value in entry.items() if name not in {"table", "target"}}
        TableRelation.objects.create(table=table, target=target, **values)


def _remove_former_documents(tables: Mapping[str, CatalogTable]) -> None:
    """Delete demo documents of columns that say no more than the catalogue now does by itself."""
    columns = CatalogColumn.objects.filter(table__in=tables.values())
    told = columns.values_list("table__name", "name", "source_comment")
    comments = {f"column:{table}.{name}": comment for table, name, comment in told}
    former = ReferenceDocument.objects.filter(source=DOCUMENTS_SOURCE, kind=DocumentKind.COLUMN)
    stale = [
        pk
        for pk, key, content in former.values_list("pk", "key", "content")
        if comments.get(key) == content.get("description")
    ]
    ReferenceDocument.objects.filter(pk__in=stale).delete()
