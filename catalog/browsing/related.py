"""The relations of a table, as its page shows them: a drawing and a list."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.browsing.addresses import address_of, source_name_of
from catalog.browsing.fields import EditableText, relation_text
from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable, TableRelation
from core.catalogue.diagram import Neighbour, draw_relations
from core.catalogue.entries import RelationType, TableName
from core.catalogue.sql_names import join_condition

TARGETS_OFFERED = 300
RELATION_LABELS = {
    RelationType.FOREIGN_KEY: _("foreign key"),
    RelationType.DERIVED: _("derived"),
    RelationType.OWN: _("own"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedRow:
    """A relation seen from one of its tables; `other` is the table at the other end."""

    relation: TableRelation
    name: str
    display_name: str
    address: str
    join: str
    is_incoming: bool
    description: EditableText

    @property
    def is_own(self) -> bool:
        """Whether people made it, so that they may remove it."""
        return self.relation.relation_type != RelationType.FOREIGN_KEY


def read_related(user: User, table: CatalogTable) -> dict[str, Any]:
    """`rows` of the relations to tables that the user may see, and their `diagram`; one query."""
    visible = tables_open_to(user)
    ends = Q(table=table, target__in=visible) | Q(target=table, table__in=visible)
    relations = TableRelation.objects.filter(ends, gone_at=None).order_by("relation_type", "pk")
    rows = [
        _to_row(relation, table)
        for relation in relations.select_related("table__source", "target__source")
    ]
    neighbours = []
    for row in rows:
        pairs = zip(row.relation.columns, row.relation.target_columns, strict=False)
        neighbours.append(
            Neighbour(
                name=row.name,
                join=", ".join(f"{column} → {target}" for column, target in pairs) or row.join,
                relation_type=RelationType(row.relation.relation_type),
                is_incoming=row.is_incoming,
                address=row.address,
            )
        )
    return {"rows": rows, "diagram": draw_relations(table.name, neighbours) if rows else None}


def read_relation_choices(user: User, table: CatalogTable) -> dict[str, Any]:
    """What the form of a new relation offers: names of tables and of this table's columns."""
    tables = tables_open_to(user).filter(source=table.source, gone_at=None)
    columns = CatalogColumn.objects.filter(table=table, gone_at=None)
    return {
        "targets": [str(target) for target in tables.only("schema", "name")[:TARGETS_OFFERED]],
        "columns": list(columns.values_list("name", flat=True)),
    }


def _to_row(relation: TableRelation, table: CatalogTable) -> RelatedRow:
    is_incoming = relation.target_id == table.pk and relation.table_id != table.pk
    other = relation.table if is_incoming else relation.target
    # As short as it is clear on the page of `table`.
    name = other.name if other.schema == table.schema else str(other)
    if other.source_id != table.source_id:
        name = f"{source_name_of(other)}: {other}"
    join = relation.join_condition or join_condition(
        TableName(relation.table.schema, relation.table.name),
        relation.columns,
        TableName(relation.target.schema, relation.target.name),
        relation.target_columns,
        dialect=relation.table.dialect,
    )
    return RelatedRow(
        relation=relation,
        name=name,
        display_name=other.display_name,
        address=address_of(other, "related"),
        join=join,
        is_incoming=is_incoming,
        description=relation_text(relation, name, address_of(table, "related")),
    )
