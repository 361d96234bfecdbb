"""Relations that people know of and the database does not: added, described and removed."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from catalog.changes import tables_changed
from catalog.editing.texts import clean_text
from catalog.models import CatalogColumn, CatalogTable, TableRelation
from core.catalogue.entries import RelationType
from core.errors import EditError
from core.messages import message

logger = logging.getLogger(__name__)

MAX_PAIRS = 32
_TEXTS = ("join_condition", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationTerms:
    """How rows belong together: columns of both tables, paired by position, or a join condition."""

    relation_type: RelationType = RelationType.OWN
    columns: Sequence[str] = ()
    target_columns: Sequence[str] = ()
    join_condition: str = ""
    description: str = ""


def add_relation(
    table: CatalogTable, target: CatalogTable, username: str, terms: RelationTerms
) -> TableRelation:
    """The new relation.

    An own one needs columns or a join condition, and both tables in one data source; a derived one
    needs neither. Raises EditError, which names what is wrong.
    """
    relation = TableRelation(
        table=table,
        target=target,
        relation_type=terms.relation_type,
        columns=list(terms.columns),
        target_columns=list(terms.target_columns),
        join_condition=clean_text("join_condition", terms.join_condition),
        description=clean_text("description", terms.description),
    )
    with transaction.atomic():
        CatalogTable.objects.select_for_update().get(pk=table.pk)
        _check(relation)
        relation.save(force_insert=True)
        _follow(relation)
    logger.info("relation %s added by %s", relation.pk, username)
    return relation


def edit_relation(relation: TableRelation, username: str, **changes: str) -> bool:
    """Whether anything changed; `changes` are description and, of people's own, join_condition."""
    if unknown := changes.keys() - set(_TEXTS):
        raise TypeError(f"people do not write {', '.join(sorted(unknown))}")
    cleaned = {name: clean_text(name, text) for name, text in changes.items()}
    with transaction.atomic():
        row = TableRelation.objects.select_for_update().get(pk=relation.pk)
        if row.relation_type == RelationType.FOREIGN_KEY and "join_condition" in cleaned:
            raise EditError(
                message(
                    "relation.of_database",
                    "the database defines this relation; only its description is yours",
                )
            )
        changed = {name: text for name, text in cleaned.items() if getattr(row, name) != text}
        for name, text in changed.items():
            setattr(row, name, text)
        if changed:
            _check(row)
            row.save(update_fields=list(changed))
            _follow(row)
            logger.info("relation %s edited by %s", row.pk, username)
    for name in cleaned:
        setattr(relation, name, getattr(row, name))
    return bool(changed)


def remove_relation(relation: TableRelation, username: str) -> None:
    """Delete a relation that people added; raises EditError for one of the database."""
    if relation.relation_type == RelationType.FOREIGN_KEY:
        raise EditError(
            message(
                "relation.goes_with_key",
                "the database defines this relation; it goes when the key goes",
            )
        )
    with transaction.atomic():
        _follow(relation)
        TableRelation.objects.filter(pk=relation.pk).delete()
    logger.info("relation %s removed by %s", relation.pk, username)


def _check(relation: TableRelation) -> None:
    if relation.relation_type == RelationType.FOREIGN_KEY:
        # Only its description can have been edited.
        if relation.pk is None:
            raise EditError(
                message(
                    "relation.no_foreign_key",
                    "foreign keys are read by scans; add a relation of your own",
                )
            )
        return
    is_own = relation.relation_type == RelationType.OWN
    if is_own and relation.table.source_id != relation.target.source_id:
        raise EditError(
            message(
                "relation.two_sources",
                "tables of different data sources cannot be joined; call the relation derived",
            )
        )
    if is_own and not relation.columns and not relation.join_condition:
        raise EditError(
            message(
                "relation.no_columns",
                "say which columns belong together, or write a join condition",
            )
        )
    if not is_own and relation.table_id == relation.target_id:
        raise EditError(message("relation.from_itself", "a table cannot be derived from itself"))
    _check_columns(relation)
    same = TableRelation.objects.filter(
        table=relation.table,
        target=relation.target,
        relation_type=relation.relation_type,
        columns=relation.columns,
        target_columns=relation.target_columns,
        join_condition=relation.join_condition,
    )
    if same.exclude(pk=relation.pk).exists():
        raise EditError(
            message("relation.exists", "this relation is there already; edit its description")
        )


def _check_columns(relation: TableRelation) -> None:
    if len(relation.columns) != len(relation.target_columns):
        raise EditError(
            message("relation.pairs", "each column needs one of the other table beside it")
        )
    if len(relation.columns) > MAX_PAIRS:
        raise EditError(
            message("relation.too_many_pairs", "at most {limit} pairs of columns", limit=MAX_PAIRS)
        )
    _require_columns(relation.table, relation.columns)
    _require_columns(relation.target, relation.target_columns)


def _require_columns(table: CatalogTable, names: Collection[str]) -> None:
    present = CatalogColumn.objects.filter(table=table, name__in=names, gone_at=None)
    known = set(present.values_list("name", flat=True))
    if unknown := [name for name in names if name not in known]:
        raise EditError(
            message(
                "relation.no_column",
                "{table} has no column {column}",
                table=str(table),
                column=unknown[0],
            )
        )


def _follow(relation: TableRelation) -> None:
    tables_changed([relation.table_id, relation.target_id])
