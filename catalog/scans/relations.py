"""Foreign keys of databases as relations of tables; relations that people made are not touched."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from django.utils import timezone

from catalog.models import CatalogScan, CatalogTable, TableRelation
from core.catalogue.entries import ForeignKey, RelationType, TableName, TableShape

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
        wanted: dict[_Key, TableRelation] = {}
        for pk, shape in tables.items():
            self._waiting.pop(pk, None)
            for key in shape.foreign_keys:
                self._collect(wanted, pk, key)
            if any(key.target not in self._ids for key in shape.foreign_keys):
                self._waiting[pk] = shape
        self._store(wanted, _read_before(tables))

    def _collect(self, wanted: dict[_Key, TableRelation], table_id: int, key: ForeignKey) -> None:
        target = self._ids.get(key.target)
        if target is not None:
            relation = _to_relation(table_id, target, key)
            wanted[table_id, relation.constraint_name] = relation

    def _store(self, wanted: dict[_Key, TableRelation], before: dict[_Key, TableRelation]) -> None:
        new = [relation for key, relation in wanted.items() if key not in before]
        changed = [
            row
            for key, row in before.items()
            if (_take_over(row, wanted[key]) if key in wanted else _end(row))
        ]
        TableRelation.objects.bulk_create(new)
        TableRelation.objects.bulk_update(
            changed, ["target", "columns", "target_columns", "gone_at"], batch_size=200
        )
        self._changed |= {relation.table_id for relation in (*new, *changed)}


def _read_before(tables: Iterable[int]) -> dict[_Key, TableRelation]:
    rows = TableRelation.objects.filter(
        table_id__in=list(tables), relation_type=RelationType.FOREIGN_KEY.value
    ).exclude(constraint_name="")
    return {(row.table_id, row.constraint_name): row for row in rows}


def _to_relation(table_id: int, target_id: int, key: ForeignKey) -> TableRelation:
    return TableRelation(
        table_id=table_id,
        target_id=target_id,
        relation_type=RelationType.FOREIGN_KEY.value,
        # Some engines have keys without a name.
        constraint_name=key.constraint_name or f"({', '.join(key.columns)})",
        columns=list(key.columns),
        target_columns=list(key.target_columns),
    )


def _take_over(row: TableRelation, said: TableRelation) -> bool:
    """Make the row what the database says now, and tell whether it was anything else."""
    changes = {
        name: getattr(said, name)
        for name in ("target_id", "columns", "target_columns", "gone_at")
        if getattr(row, name) != getattr(said, name)
    }
    for name, value in changes.items():
        setattr(row, name, value)
    return bool(changes)


def _end(row: TableRelation) -> bool:
    """Mark a key that is no longer there, and tell whether it was until now."""
    if row.gone_at is not None:
        return False
    row.gone_at = timezone.now()
    return True
