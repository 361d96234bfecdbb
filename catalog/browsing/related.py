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
from core.catalogue.diagram import Diagram, Neighbour, draw_relations
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
    rows = [_to_row(relation, table) for relation in _read_relations(user, table)]
    diagram = _draw(table, rows) if rows else None
    return {"rows": rows, "diagram": diagram}


def read_relation_choices(user: User, table: CatalogTable) -> dict[str, Any]:
    """What the form of a new relation offers: names of tables and of this table's columns."""
    tables = tables_open_to(user).filter(source=table.source, gone_at=None)
    columns = CatalogColumn.objects.filter(table=table, gone_at=None)
    return {
        "targets": [str(one) for one in tables.only("schema", "name")[:TARGETS_OFFERED]],
        "columns": list(columns.values_list("name", flat=True)),
    }


def _read_relations(user: User, table: CatalogTable) -> list[TableRelation]:
    visible = tables_open_to(user)
    ends = Q(table=table, target__in=visible) | Q(target=table, table__in=visible)
    relations = TableRelation.objects.filter(ends, gone_at=None).order_by("relation_type", "pk")
    return list(relations.select_related("table__source", "target__source"))


def _to_row(relation: TableRelation, table: CatalogTable) -> RelatedRow:
    is_incoming = relation.target_id == table.pk and relation.table_id != table.pk
    other = relation.table if is_incoming else relation.target
    name = _name_beside(other, table)
    return RelatedRow(
        relation=relation,
        name=name,
        display_name=other.display_name,
        address=f"{address_of(other, source_name_of(other))}?tab=related",
        join=relation.join_condition or _join_of(relation),
        is_incoming=is_incoming,
        description=relation_text(
            relation, name, f"{address_of(table, source_name_of(table))}?tab=related"
        ),
    )


def _join_of(relation: TableRelation) -> str:
    table, target = relation.table, relation.target
    return join_condition(
        TableName(table.schema, table.name),
        relation.columns,
        TableName(target.schema, target.name),
        relation.target_columns,
    )


def _name_beside(other: CatalogTable, table: CatalogTable) -> str:
    """As short as it is clear on the page of `table`."""
    if other.source_id != table.source_id:
        return f"{source_name_of(other)}: {other}"
    return other.name if other.schema == table.schema else str(other)


def _draw(table: CatalogTable, rows: list[RelatedRow]) -> Diagram:
    return draw_relations(
        table.name,
        (
            Neighbour(
                name=row.name,
                join=_short_join(row),
                relation_type=RelationType(row.relation.relation_type),
                is_incoming=row.is_incoming,
                address=row.address,
            )
            for row in rows
        ),
    )


def _short_join(row: RelatedRow) -> str:
    relation = row.relation
    pairs = zip(relation.columns, relation.target_columns, strict=False)
    return ", ".join(f"{one} → {other}" for one, other in pairs) or row.join
