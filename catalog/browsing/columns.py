"""The columns of a table and its sample, as its page shows them."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator

from catalog.browsing.addresses import address_of
from catalog.browsing.fields import EditableText, column_text
from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable, TableRelation
from core.catalogue.entries import RelationType
from core.catalogue.masking import MASK, is_sensitive

PAGE_SIZE = 200
_CELL_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A column that a key leads to."""

    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRow:
    """A column with its fields; `references` are empty where no key begins in it."""

    column: CatalogColumn
    display_name: EditableText
    description: EditableText
    references: list[Reference]
    is_masked: bool
    is_sensitive_by_rule: bool

    @property
    def mask_choice(self) -> str:
        """What people decided: yes, no, or '' to leave it to the rule."""
        return {None: "", True: "yes", False: "no"}[self.column.is_masked]


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a sample as text; `kind` is null, masked or empty."""

    text: str
    kind: str = ""


def read_columns(
    user: User, table: CatalogTable, number: str
) -> "tuple[Page[Any], list[ColumnRow]]":
    """One page of the columns that are not gone, and its rows."""
    columns = CatalogColumn.objects.filter(table=table, gone_at=None).order_by("position", "id")
    page = Paginator(columns, PAGE_SIZE).get_page(number)
    references = _read_references(user, table)
    rows = [to_column_row(column, table, references.get(column.name, [])) for column in page]
    return page, rows


def to_column_row(
    column: CatalogColumn, table: CatalogTable, references: list[Reference]
) -> ColumnRow:
    """The row of one column; the data source of the table has to be loaded."""
    page = address_of(table)
    return ColumnRow(
        column=column,
        display_name=column_text(column, "display_name", page),
        description=column_text(column, "description", page),
        references=references,
        is_masked=column.masks_samples(table),
        is_sensitive_by_rule=is_sensitive(column.name, column.source_comment, table.name),
    )


def read_sample(table: CatalogTable) -> dict[str, Any]:
    """`columns` and `rows` of cells, masked as the rules say now; no rows where no sample was read."""
    if not isinstance(table.sample, dict):
        return {"columns": [], "rows": []}
    masked = table.find_masked(CatalogColumn.objects.filter(table=table))
    rows = [[_to_cell(value) for value in row] for row in table.mask_sample(masked)]
    return {"columns": table.sample["columns"], "rows": rows}


def _read_references(user: User, table: CatalogTable) -> Mapping[str, list[Reference]]:
    """By column, what foreign keys lead to, as far as the user may see it."""
    keys = TableRelation.objects.filter(
        table=table,
        relation_type=RelationType.FOREIGN_KEY,
        gone_at=None,
        target__in=tables_open_to(user),
    )
    found: dict[str, list[Reference]] = defaultdict(list)
    for key in keys.select_related("target__source"):
        address = address_of(key.target)
        for column, target in zip(key.columns, key.target_columns, strict=False):
            name = f"{key.target.name}.{target}"
            found[column].append(Reference(name=name, address=address))
    return found


def _to_cell(value: object) -> Cell:
    if value is None:
        return Cell("NULL", "null")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if text == MASK:
        return Cell(text, "masked")
    if len(text) > _CELL_CHARACTERS:
        text = f"{text[:_CELL_CHARACTERS]}…"
    return Cell(text, "" if text.strip() else "empty")
