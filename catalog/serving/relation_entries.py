"""Relations of tables as their entries show them: outgoing and incoming ones, and keys of columns."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from catalog.models import TableRelation
from catalog.serving.table_names import Sight, TablePlace
from core.catalogue.entries import ColumnReference, RelationEntry, RelationType, TableName
from core.catalogue.sql_names import join_condition

# Told where a table was made of the other one; what people wrote is said from the other one's side.
MADE_OF_IT = "This table is derived from it."

_FIELDS = (
    *("table_id", "target_id", "relation_type", "columns", "target_columns"),
    *("join_condition", "description"),
    *("table__source__name", "table__schema", "table__name", "table__display_name"),
    *("target__source__name", "target__schema", "target__name", "target__display_name"),
)
Row = dict[str, Any]


@dataclass(slots=True)
class RelationEntries:
    """The relations of some tables, by table id; names are given when an entry is made."""

    outgoing: Mapping[int, list[Row]] = field(default_factory=dict)
    incoming: Mapping[int, list[Row]] = field(default_factory=dict)
    places: list[TablePlace] = field(default_factory=list)

    def of(self, table_id: int, named: Mapping[int, str]) -> tuple[RelationEntry, ...]:
        """Those that the table has, then those that others have to it; each once."""
        entries = [_outgoing(row, named) for row in self.outgoing.get(table_id, ())]
        told = {(entry.name, entry.join_condition) for entry in entries}
        others = [_incoming(row, named) for row in self.incoming.get(table_id, ())]
        entries += [one for one in others if (one.name, one.join_condition) not in told]
        return tuple(dict.fromkeys(entries))

    def references_of(self, table_id: int, named: Mapping[int, str]) -> dict[str, ColumnReference]:
        """By column name, what its foreign key leads to; the first key where it is in several."""
        references: dict[str, ColumnReference] = {}
        for row in self.outgoing.get(table_id, ()):
            if row["relation_type"] != RelationType.FOREIGN_KEY:
                continue
            table = named[row["target_id"]]
            for column, target in zip(row["columns"], row["target_columns"], strict=False):
                references.setdefault(column, ColumnReference(table=table, column=target))
        return references


def read_relations(sight: Sight, ids: Collection[int]) -> RelationEntries:
    """Relations of the tables with these ids among those in sight; one query."""
    relations = TableRelation.objects.filter(
        Q(table__in=ids) | Q(target__in=ids),
        sight.of_relation("table"),
        sight.of_relation("target"),
        gone_at=None,
    )
    outgoing: dict[int, list[Row]] = defaultdict(list)
    incoming: dict[int, list[Row]] = defaultdict(list)
    places: dict[int, TablePlace] = {}
    for row in relations.order_by("pk").values(*_FIELDS):
        outgoing[row["table_id"]].append(row)
        if row["target_id"] != row["table_id"]:
            incoming[row["target_id"]].append(row)
        for end in ("table", "target"):
            places[row[f"{end}_id"]] = _place(row, end)
    return RelationEntries(outgoing, incoming, list(places.values()))


def _outgoing(row: Row, named: Mapping[int, str]) -> RelationEntry:
    return RelationEntry(
        name=named[row["target_id"]],
        display_name=row["target__display_name"],
        relation_type=RelationType(row["relation_type"]),
        join_condition=_join(row),
        description=row["description"],
    )


def _incoming(row: Row, named: Mapping[int, str]) -> RelationEntry:
    is_derived = row["relation_type"] == RelationType.DERIVED
    return RelationEntry(
        name=named[row["table_id"]],
        display_name=row["table__display_name"],
        relation_type=RelationType(row["relation_type"]),
        join_condition=_join(row),
        description=MADE_OF_IT if is_derived else "",
    )


def _join(row: Row) -> str:
    """What people wrote, or else the equality of the columns."""
    own: str = row["join_condition"]
    return own or join_condition(
        _table_name(row, "table"), row["columns"], _table_name(row, "target"), row["target_columns"]
    )


def _table_name(row: Row, end: str) -> TableName:
    return TableName(row[f"{end}__schema"], row[f"{end}__name"])


def _place(row: Row, end: str) -> TablePlace:
    names = (row[f"{end}__{part}"] for part in ("source__name", "schema", "name"))
    return TablePlace(row[f"{end}_id"], *names)
