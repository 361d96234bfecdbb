"""Descriptions as a file for a spreadsheet or an editor, written piece by piece."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from django.db.models import Prefetch, QuerySet

from catalog.browsing.addresses import source_name_of
from catalog.exchange.cells import HEADER, guard_cell
from catalog.exchange.yaml_files import write_scalar
from catalog.models import CatalogColumn, CatalogTable

TABLES_TOGETHER = 100
# So that Excel takes it for UTF-8.
_MARK = "\ufeff"
_MASKED = {None: "", True: "yes", False: "no"}


class FileFormat(StrEnum):
    """Kinds of file that descriptions are exchanged in; the value is the ending of the name."""

    CSV = "csv"
    YAML = "yaml"


def export_descriptions(file_format: FileFormat, tables: QuerySet[CatalogTable]) -> Iterator[str]:
    """The file in pieces of some hundred rows: these tables and their present columns, in order.

    Importing it unchanged changes nothing.
    """
    is_csv = file_format == FileFormat.CSV
    if is_csv:
        yield _MARK + _to_lines([HEADER])
    ordered = tables.order_by("source__name", "schema", "name", "pk")
    ids = list(ordered.values_list("pk", flat=True))
    columns = Prefetch("columns", CatalogColumn.objects.filter(gone_at=None))
    for start in range(0, len(ids), TABLES_TOGETHER):
        rows = ordered.filter(pk__in=ids[start : start + TABLES_TOGETHER]).select_related("source")
        portion = rows.defer("search_text", "sample").prefetch_related("tags", columns)
        yield "".join(_write_csv(table) if is_csv else _write_yaml(table) for table in portion)


def _write_csv(table: CatalogTable) -> str:
    place = (source_name_of(table), table.schema, table.name)
    tags = ";".join(_tags(table))
    own = (table.display_name, table.description, tags, table.notes, "")
    rows = [(*place, "", table.kind, table.source_comment, *own)]
    for column in table.columns.all():
        texts = (column.display_name, column.description, "", "", _MASKED[column.is_masked])
        rows.append((*place, column.name, column.type_name, column.source_comment, *texts))
    return _to_lines(rows)


def _to_lines(rows: Iterable[Sequence[str]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows(map(guard_cell, row) for row in rows)
    return written.getvalue()


def _write_yaml(table: CatalogTable) -> str:
    lines = [
        f"- table:{write_scalar(table.name, 4)}",
        f"  datasource:{write_scalar(source_name_of(table), 4)}",
        *_yaml_lines("  ", schema=table.schema, comment=table.source_comment),
        f"  display_name:{write_scalar(table.display_name, 4)}",
        f"  description:{write_scalar(table.description, 4)}",
        "  tags:",
        *(f"    -{write_scalar(name, 6)}" for name in _tags(table)),
        f"  notes:{write_scalar(table.notes, 4)}",
        "  columns:",
    ]
    for column in table.columns.all():
        lines += [
            f"    - name:{write_scalar(column.name, 8)}",
            *_yaml_lines("      ", type=column.type_name, comment=column.source_comment),
            f"      display_name:{write_scalar(column.display_name, 8)}",
            f"      description:{write_scalar(column.description, 8)}",
        ]
        if column.is_masked is not None:
            lines.append(f'      masked: "{_MASKED[column.is_masked]}"')
    return "\n".join(lines) + "\n\n"


def _yaml_lines(margin: str, **texts: str) -> list[str]:
    """Lines of what is only written where there is something."""
    indent = len(margin) + 2
    return [f"{margin}{name}:{write_scalar(text, indent)}" for name, text in texts.items() if text]


def _tags(table: CatalogTable) -> list[str]:
    return sorted(tag.name for tag in table.tags.all())
