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
from gateways.engines import find_engine

# Told where a table was made of the other one; what people wrote is said from the other one's side.
MADE_OF_IT = "This table is derived from it."

_FIELDS = (
    *("table_id", "target_id", "relation_type", "columns", "target_columns"),
    *("join_condition", "description", "table__source__engine"),
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
        entries = [
            _to_entry(row, "target", named, row["description"])
            for row in self.outgoing.get(table_id, ())
        ]
        known = {(entry.name, entry.join_condition) for entry in entries}
        for row in self.incoming.get(table_id, ()):
            is_derived = row["relation_type"] == RelationType.DERIVED
            entry = _to_entry(row, "table", named, MADE_OF_IT if is_derived else "")
            if (entry.name, entry.join_condition) not in known:
                entries.append(entry)
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
            pk = row[f"{end}_id"]
            names = (row[f"{end}__{part}"] for part in ("source__name", "schema", "name"))
            places[pk] = TablePlace(pk, *names)
    return RelationEntries(outgoing, incoming, list(places.values()))


def _to_entry(row: Row, end: str, named: Mapping[int, str], description: str) -> RelationEntry:
    """The relation to the table at this end, `table` or `target`."""
    return RelationEntry(
        name=named[row[f"{end}_id"]],
        display_name=row[f"{end}__display_name"],
        relation_type=RelationType(row["relation_type"]),
        # What people wrote, or else the equality of the columns.
        join_condition=row["join_condition"]
        or join_condition(
            TableName(row["table__schema"], row["table__name"]),
            row["columns"],
            TableName(row["target__schema"], row["target__name"]),
            row["target_columns"],
            dialect=find_engine(row["table__source__engine"]).dialect,
        ),
        description=description,
    )
