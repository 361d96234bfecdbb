"""Foreign keys of databases as relations of tables; relations that people made are not touched."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from catalog.models import CatalogScan, CatalogTable, TableRelation
from core.catalogue.entries import RelationType, TableName, TableShape

# The primary key of a table and the name of its constraint.
_Key = tuple[int, str]


@dataclass
class RelationWriter:
    """Writes the foreign keys of tables, as far as the tables that they lead to have rows.

    `listed` are the tables that the scan found; those left without a row until the end, such as
    tables that the scan's role may not see, have no relations.
    """

    scan: CatalogScan
    listed: Collection[TableName]
    _ids: dict[TableName, int] = field(default_factory=dict)
    _waiting: dict[int, TableShape] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)

    def add(self, shapes: Iterable[TableShape], new_ids: Mapping[TableName, int]) -> None:
        """Write the keys of these tables; those with a target that has no row yet wait.

        `new_ids` are primary keys of tables that have just been written.
        """
        self._find_ids()
        self._ids |= new_ids
        self._write({self._ids[shape.name]: shape for shape in shapes if shape.name in self._ids})

    def add_waiting(self) -> None:
        """Write the keys that had to wait."""
        self._find_ids(again=True)
        self._write(dict(self._waiting))

    def take_changed(self) -> set[int]:
        """Primary keys of tables whose relations have changed since this was last asked."""
        changed, self._changed = self._changed, set()
        return changed

    def _find_ids(self, *, again: bool = False) -> None:
        if self._ids and not again:
            return
        rows = CatalogTable.objects.filter(source_id=self.scan.source_id)
        found = ((TableName(*names), pk) for pk, *names in rows.values_list("pk", "schema", "name"))
        listed = set(self.listed)
        self._ids = {name: pk for name, pk in found if name in listed}

    def _write(self, tables: dict[int, TableShape]) -> None:
        new: dict[_Key, TableRelation] = {}
        for pk, shape in tables.items():
            self._waiting.pop(pk, None)
            for key in shape.foreign_keys:
                if key.target in self._ids:
                    # Some engines have keys without a name.
                    name = key.constraint_name or f"({', '.join(key.columns)})"
                    new[pk, name] = TableRelation(
                        table_id=pk,
                        target_id=self._ids[key.target],
                        relation_type=RelationType.FOREIGN_KEY.value,
                        constraint_name=name,
                        columns=list(key.columns),
                        target_columns=list(key.target_columns),
                    )
                else:
                    self._waiting[pk] = shape
        self._store(new, tables)

    def _store(self, relations: dict[_Key, TableRelation], table_ids: Iterable[int]) -> None:
        """Write those that are new or changed, and end the others of these tables."""
        rows = TableRelation.objects.filter(
            table_id__in=list(table_ids), relation_type=RelationType.FOREIGN_KEY.value
        ).exclude(constraint_name="")
        before = {(row.table_id, row.constraint_name): row for row in rows}
        new = [relation for key, relation in relations.items() if key not in before]
        changed = []
        for key, row in before.items():
            values: dict[str, Any] = {"gone_at": row.gone_at or timezone.now()}
            if relation := relations.get(key):
                names = ("target_id", "columns", "target_columns", "gone_at")
                values = {name: getattr(relation, name) for name in names}
            if any(getattr(row, name) != value for name, value in values.items()):
                for name, value in values.items():
                    setattr(row, name, value)
                changed.append(row)
        TableRelation.objects.bulk_create(new)
        TableRelation.objects.bulk_update(
            changed, ["target", "columns", "target_columns", "gone_at"], batch_size=200
        )
        self._changed |= {relation.table_id for relation in (*new, *changed)}
